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

/*
 * Logs in and asks who the server is, within the target's login and query timeouts together.
 *
 * Units:   now_mono_ms is when it begins, monotonic.
 * Owns:    the caller closes the session; slot is borrowed until then.
 * Errors:  ERROR_IO no password file; ERROR_NOT_FOUND no such credential; ERROR_INVALID it is empty
 *          or too long; those of session_open and collect_server; ERROR_TIMEOUT when the deadline
 *          cut it short.
 * Threads: the owner of the session; blocks.
 */
MUST_CHECK struct session *login_open(const struct config_target *target,
				      struct deadline_slot *slot, int64_t now_mono_ms,
				      struct server *server, struct epoch *epoch,
				      struct error *err);
