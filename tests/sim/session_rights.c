/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the login of a session may see. The grants are read anew for every statement, so that a
 * GRANT counts at once, as it does on a server.
 */
#include "tests/sim/session_rights.h"

#include "tests/sim/metadata.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define SYSTEM_OBJECT_MAX 99

const struct account *session_account(const struct session_engine *engine)
{
	return accounts_find(&engine->instance->accounts, engine->client->login_name);
}

static unsigned rights_of(const struct session_engine *engine)
{
	return account_rights(session_account(engine), engine->instance->profile);
}

/* SQLite calls this for each column a statement reads, while it is being prepared. */
static int authorize(void *context, int action, const char *view, const char *column,
		     const char *schema, const char *trigger)
{
	struct session_engine *engine = context;

	(void)column;
	(void)schema;
	(void)trigger;
	if (action != SQLITE_READ || !view)
		return SQLITE_OK;
	instance_lock(engine->instance);
	bool is_refused = account_refuses_view(session_account(engine), engine->instance->profile,
					       view, engine->database_name, engine->refusal,
					       sizeof(engine->refusal));
	instance_unlock(engine->instance);
	return is_refused ? SQLITE_DENY : SQLITE_OK;
}

void session_guard_views(struct session_engine *engine)
{
	sqlite3_set_authorizer(engine->database, authorize, engine);
}

/* Guests may enter these. */
static bool is_open_to_all(const char *database)
{
	return strcasecmp(database, "master") == 0 || strcasecmp(database, "tempdb") == 0 ||
	       strcasecmp(database, "msdb") == 0;
}

bool session_refuses_database(const struct session_engine *engine, const char *database,
			      const char *view, char reason[SESSION_REASON_SIZE])
{
	bool is_azure = engine->instance->profile->bit & PROFILE_AZURE;

	if (is_azure && view && strcasecmp(database, engine->database_name) != 0 &&
	    strcasecmp(database, "tempdb") != 0) {
		snprintf(reason, SESSION_REASON_SIZE,
			 "40515 15 Reference to database and/or server name in '%.128s.sys.%.128s' "
			 "is not supported in this version of SQL Server.",
			 database, view);
		return true;
	}
	if (is_open_to_all(database) || (rights_of(engine) & RIGHT_CONNECT_ANY_DATABASE))
		return false;
	snprintf(reason, SESSION_REASON_SIZE,
		 "916 14 The server principal \"%.128s\" is not able to access the database "
		 "\"%.128s\" under the current security context.",
		 engine->client->login_name, database);
	return true;
}

static bool sees_definitions(const struct session_engine *engine)
{
	return rights_of(engine) & (RIGHT_VIEW_ANY_PERFORMANCE_DEFINITION | RIGHT_VIEW_DEFINITION);
}

void session_hide_rows(const struct session_engine *engine, const struct view *view,
		       struct rows *rows)
{
	int object = catalog_column_position(view, "object_id");

	if (account_view_shows_own_rows(view->name) &&
	    !(rights_of(engine) & RIGHT_VIEW_SERVER_PERFORMANCE_STATE))
		rows_keep(rows, 0, engine->session_id, engine->session_id);
	if (view->is_per_database && object >= 0 && !sees_definitions(engine))
		rows_keep(rows, (size_t)object, 0, SYSTEM_OBJECT_MAX);
}

bool session_sees_object(const struct session_engine *engine, int32_t database_id,
			 int64_t object_id)
{
	const struct metadata_database *database = metadata_find_database_id(database_id);
	char reason[SESSION_REASON_SIZE];

	if (!database || session_refuses_database(engine, database->name, NULL, reason))
		return false;
	return object_id <= SYSTEM_OBJECT_MAX || sees_definitions(engine);
}
