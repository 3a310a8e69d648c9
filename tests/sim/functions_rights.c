/* SPDX-License-Identifier: Apache-2.0 */
/* T-SQL functions that tell a login what it may do. Run in session threads inside a query. */
#include "tests/sim/functions.h"

#include "tests/sim/metadata.h"
#include "tests/sim/session_rights.h"

#include <string.h>
#include <strings.h>

static const char *text_of(sqlite3_value *value)
{
	const unsigned char *text = sqlite3_value_text(value);

	return text ? (const char *)text : "";
}

static bool is_closed(const struct session_engine *engine, const char *database)
{
	char reason[SESSION_REASON_SIZE];

	return session_refuses_database(engine, database, NULL, reason);
}

/* SELECT on a view: only a DENY takes it away. */
static int may_select(const struct session_engine *engine, const char *view)
{
	char reason[SESSION_REASON_SIZE];
	const char *dot = strrchr(view, '.');
	bool is_refused = account_refuses_view(session_account(engine), engine->instance->profile,
					       dot ? dot + 1 : view, engine->database_name, reason,
					       sizeof(reason));

	return !is_refused || strncmp(reason, "229 ", 4) != 0;
}

/* (securable, class, permission): the server, a database or a view; NULL for what is unknown. */
void function_has_rights(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	const struct session_engine *engine = sqlite3_user_data(context);
	const char *class = text_of(argv[1]);
	const char *permission = text_of(argv[2]);
	int answer;

	(void)argc;
	instance_lock(engine->instance);
	if (strcasecmp(class, "OBJECT") == 0)
		answer = may_select(engine, text_of(argv[0]));
	else
		answer = account_has_permission(session_account(engine), engine->instance->profile,
						permission);
	if (answer > 0 && strcasecmp(class, "DATABASE") == 0 && is_closed(engine, text_of(argv[0])))
		answer = 0;
	instance_unlock(engine->instance);
	if (answer >= 0)
		sqlite3_result_int(context, answer);
}

void function_is_member(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	const struct session_engine *engine = sqlite3_user_data(context);

	(void)argc;
	instance_lock(engine->instance);
	const struct account *account = session_account(engine);
	bool is_administrator = account && account->rights == RIGHT_ALL;
	instance_unlock(engine->instance);
	sqlite3_result_int(context,
			   is_administrator || strcasecmp(text_of(argv[0]), "public") == 0);
}

void function_has_dbaccess(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	const struct session_engine *engine = sqlite3_user_data(context);
	const char *database = text_of(argv[0]);

	(void)argc;
	if (!metadata_find_database(database))
		return;
	instance_lock(engine->instance);
	sqlite3_result_int(context, !is_closed(engine, database));
	instance_unlock(engine->instance);
}
