/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which right lets a login see what, and the statement that grants it: in the words of the server's
 * version, and to the login that is really in use. Pure; any thread.
 */
#pragma once

#include "collectors/server.h"
#include "daemon/base/strbuf.h"

enum right {
	RIGHT_NONE,	  /* no GRANT cures it */
	RIGHT_STATE,	  /* waits, latches, spinlocks, tasks, the clock */
	RIGHT_NAMES,	  /* names of tables and indexes */
	RIGHT_CONNECTION, /* whether the session is encrypted */
	RIGHT_DATABASE,	  /* to enter the databases whose pages are hot */
};

/* Appends the statement that grants right; nothing for RIGHT_NONE. Threads: any. */
void right_cure(const struct server *server, enum right right, struct strbuf *out);

/*
 * The right that is missing when the server refuses a view with this number: RIGHT_NONE for a DENY
 * on the view itself, RIGHT_DATABASE for a closed database, else wanted. Pure.
 */
enum right right_missing(int number, enum right wanted);
