/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Getting into a server: the private FreeTDS configuration, the password read at each login and
 * wiped after it, the session within a deadline. Used by target and lookup threads.
 */
#pragma once

#include "collectors/server.h"
#include "collectors/session.h"
#include "daemon/base/strbuf.h"
#include "daemon/config.h"

struct deadline_slot;

/*
 * Appends the section of a target to a FreeTDS configuration.
 *
 * Threads: main.
 */
void login_write_section(const struct config_target *target, struct strbuf *text);

/* Name of the section of a target: its name; the host for Azure, which routes by it. Pure. */
const char *login_section_name(const struct config_target *target);

/*
 * Reads the password of a login, without the newline at its end.
 *
 * Owns:    the caller wipes and ends password, also after a failure.
 * Errors:  ERROR_IO no such file; ERROR_NOT_FOUND no such credential; ERROR_INVALID empty or too
 * long. The text never holds the password.
 * Threads: any; blocks on the disk.
 */
MUST_CHECK bool login_read_password(const struct config_login *login, struct strbuf *password,
				    struct error *err);

/*
 * Logs in and asks who the server is, within the target's login and query timeouts together.
 *
 * Units:   now_mono_ms is when it begins, monotonic.
 * Owns:    the caller closes the session; slot is borrowed until then.
 * Errors:  those of login_read_password, session_open and collect_server; ERROR_TIMEOUT when the
 * deadline cut it short.
 * Threads: the owner of the session; blocks.
 */
MUST_CHECK struct session *login_open(const struct config_target *target,
				      struct deadline_slot *slot, int64_t now_mono_ms,
				      struct server *server, struct epoch *epoch,
				      struct error *err);
