/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the login of a session may see: views, databases, rows, names. Session thread. A refusal is
 * text of the form "NUMBER SEVERITY TEXT".
 */
#pragma once

#include "tests/sim/session_state.h"

/* Lets the connection ask before each view that a statement names. */
void session_guard_views(struct session_engine *engine);

/* The instance must be locked for the four below. */

/* True when that database is closed to the session; names what was asked for, NULL = nothing. */
bool session_refuses_database(const struct session_engine *engine, const char *database,
			      const char *view, char reason[SESSION_REASON_SIZE]);

/* Drops rows the login may not see: of other sessions, of objects it has no right to. */
void session_hide_rows(const struct session_engine *engine, const struct view *view,
		       struct rows *rows);

/* True when the session may see names of that object. */
bool session_sees_object(const struct session_engine *engine, int32_t database_id,
			 int64_t object_id);

/* The session's login as it stands now, NULL when it was removed meanwhile. */
const struct account *session_account(const struct session_engine *engine);
