/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds out why a login fails over TLS: libsybdb tells only that it did (platform-facts A1). A
 * connection of its own goes as far as the end of the TLS handshake and no farther, so no login and
 * no password is ever sent. The only door to GnuTLS. Runs in the thread that logs in.
 */
#pragma once

#include <stdint.h>

#include "daemon/base/error.h"

struct tls_probe_options {
	const char *host;
	int port;
	const char *ca;	  /* "system", a path, or NULL: certificates are not verified */
	bool is_required; /* a server without encryption is a failure */
	bool verify_hostname;
	int64_t limit_ms; /* for everything but resolving the name */
	/* As in session_options: lets a deadline slot end the probe. NULL: none. */
	void (*on_socket)(void *context, int fd);
	void *context;
};

/*
 * True when nothing is wrong with TLS there, so that the login failed for another reason. False
 * with one sentence that says what is.
 *
 * Units:   limit_ms in milliseconds.
 * Errors:  ERROR_IO the CA file; ERROR_TIMEOUT; ERROR_UNREACHABLE the rest: no connection, no
 *          encryption, a certificate that is expired, of another host, of an unknown CA, signed by
 *          itself.
 * Threads: any; blocks up to the limit.
 */
MUST_CHECK bool tls_probe_run(const struct tls_probe_options *options, struct error *err);
