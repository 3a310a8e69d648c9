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
struct held_file;

/*
 * The way of one thread to its server: the port, which for an instance the SQL Server Browser tells
 * and which then is written into the target's section, because libsybdb takes it from nowhere else.
 */
struct login_route {
	int fd;		     /* of the FreeTDS configuration; borrowed */
	int64_t port_offset; /* of five digits in it */
	int port;	     /* 0: to be asked for */
};

/*
 * Appends the section of a target to a FreeTDS configuration and begins its route, whose fd is the
 * caller's to set.
 *
 * Errors:  ERROR_INVALID FreeTDS would misread a value.
 * Threads: main.
 */
MUST_CHECK bool login_write_section(const struct config_target *target, struct strbuf *text,
				    struct login_route *route, struct error *err);

/*
 * Starts the client library with a configuration of all targets, held in memory, and begins the
 * route of each.
 *
 * Owns:    the caller ends it with session_library_stop, then releases held; also releases held
 *          after a failure.
 * Errors:  ERROR_IO; ERROR_INVALID FreeTDS would misread a value.
 * Threads: main.
 */
MUST_CHECK bool login_library_start(const struct config *config, struct login_route *routes,
				    struct held_file *held, struct error *err);

/*
 * Logs in and asks who the server is, within the target's login and query timeouts together. When
 * the login breaks off without a reason and TLS is in play, a probe of TLS finds the reason.
 *
 * Units:   now_mono_ms is when it begins, monotonic.
 * Owns:    the caller closes the session; slot is borrowed until then. The route keeps the port of
 *          an instance until a login fails.
 * Errors:  ERROR_IO no password file; ERROR_NOT_FOUND no such credential; ERROR_INVALID it is empty
 *          or too long; those of browser_ask, session_open and collect_server; ERROR_TIMEOUT when
 * the deadline cut it short. Threads: the owner of the session; blocks.
 */
MUST_CHECK struct session *login_open(const struct config_target *target, struct login_route *route,
				      struct deadline_slot *slot, int64_t now_mono_ms,
				      struct server *server, struct epoch *epoch,
				      struct error *err);
