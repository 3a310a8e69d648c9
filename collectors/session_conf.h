/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of latchd's private FreeTDS configuration: one section per target, everything written
 * out, so that neither the system's file nor a default decides (platform-facts A3). Pure text; who
 * writes the file is the daemon.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/error.h"
#include "daemon/base/strbuf.h"

enum session_encryption {
	SESSION_ENCRYPTION_OFF,	    /* not even the login */
	SESSION_ENCRYPTION_REQUEST, /* the login, the rest where the server wants it */
	SESSION_ENCRYPTION_REQUIRE, /* everything, or no connection */
};

enum { SESSION_CONF_VALUE_SIZE = 200 };

struct session_conf_target {
	const char *name; /* section; also what LOGIN7 carries as the server's name */
	const char *host;
	int port;
	const char *database; /* NULL = the login's default */
	bool is_read_only_intent;
	enum session_encryption encryption;
	const char *ca; /* "system", a path, or NULL = certificates are not verified */
	bool verify_hostname;
	int64_t login_timeout_ms; /* rounded up to seconds, as is the next */
	int64_t query_timeout_ms;
};

/*
 * Appends the configuration of all targets to text.
 *
 * Errors:  ERROR_INVALID a value that FreeTDS would misread (comment signs, runs of blanks, over
 * long), with the target's name; text is then unchanged.
 * Threads: any.
 */
MUST_CHECK bool session_conf_write(const struct session_conf_target *targets, size_t target_count,
				   struct strbuf *text, struct error *err);
