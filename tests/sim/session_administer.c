/* SPDX-License-Identifier: Apache-2.0 */
/* USE and DBCC SQLPERF: statements that ask what the login may do. Session thread. */
#include "tests/sim/session_batch.h"

#include "tests/sim/metadata.h"
#include "tests/sim/session_rights.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#define TEXT_SIZE 400

static enum batch_status fail(struct batch *batch, int32_t line, int32_t number, uint8_t severity,
			      const char *text)
{
	struct sql_message message = {
		.number = number, .state = 1, .severity = severity, .text = text, .line = line};

	return batch_fail(batch, &message);
}

/* Refuses a database that is not there, not the login's, or on Azure not this connection's. */
static enum batch_status check_database(struct batch *batch, const char *name, int32_t line)
{
	struct session_engine *engine = batch->engine;
	char text[SESSION_REASON_SIZE];
	int number;
	int severity;
	int skipped = 0;

	if (!metadata_find_database(name)) {
		snprintf(text, sizeof(text),
			 "Database '%.128s' does not exist. Make sure that the name is entered "
			 "correctly.",
			 name);
		return fail(batch, line, 911, 16, text);
	}
	if ((engine->instance->profile->bit & PROFILE_AZURE) &&
	    strcasecmp(name, engine->database_name) != 0)
		return fail(batch, line, 40508, 16,
			    "USE statement is not supported to switch between databases. Use a new "
			    "connection to connect to a different database.");
	instance_lock(engine->instance);
	bool is_refused = session_refuses_database(engine, name, NULL, text);
	instance_unlock(engine->instance);
	if (is_refused && sscanf(text, "%d %d %n", &number, &severity, &skipped) == 2)
		return fail(batch, line, number, (uint8_t)severity, text + skipped);
	return BATCH_GOES_ON;
}

enum batch_status batch_use(struct batch *batch, const struct statement *statement)
{
	struct session_engine *engine = batch->engine;
	int32_t line = statement->tokens[0].line;
	char text[TEXT_SIZE];

	if (statement->count < 2)
		return batch_fail_syntax(batch, &statement->tokens[0]);
	char *name = token_content(&statement->tokens[1]);
	enum batch_status status = check_database(batch, name, line);
	const struct metadata_database *database = metadata_find_database(name);
	free(name);
	if (status != BATCH_GOES_ON)
		return status;
	snprintf(engine->database_name, NAME_SIZE, "%s", database->name);
	instance_lock(engine->instance);
	engine->client->database_id = database->id;
	instance_unlock(engine->instance);
	snprintf(text, sizeof(text), "Changed database context to '%s'.", database->name);
	return batch_inform(batch, 5701, 10, text, line);
}

/* A right that is missing, or a product that has no such statement. */
static enum batch_status check_clear(struct batch *batch, int32_t line)
{
	struct session_engine *engine = batch->engine;
	char text[TEXT_SIZE];

	if (engine->instance->profile->bit & PROFILE_AZURE)
		return fail(batch, line, 40510, 16,
			    "Statement 'DBCC SQLPERF' is not supported in this version of SQL "
			    "Server.");
	instance_lock(engine->instance);
	bool is_allowed = account_rights(session_account(engine), engine->instance->profile) &
			  RIGHT_ALTER_SERVER_STATE;
	instance_unlock(engine->instance);
	if (is_allowed)
		return BATCH_GOES_ON;
	snprintf(text, sizeof(text), "User '%s' does not have permission to run DBCC SQLPERF.",
		 engine->client->login_name);
	return fail(batch, line, 2571, 14, text);
}

/* DBCC SQLPERF('sys.dm_os_wait_stats', CLEAR) */
enum batch_status batch_dbcc(struct batch *batch, const struct statement *statement)
{
	struct instance *instance = batch->engine->instance;
	const struct token *tokens = statement->tokens;
	enum counter_view view;

	if (statement->count < 6 || !token_is_word(&tokens[1], "SQLPERF") ||
	    !token_is_word(&tokens[5], "CLEAR"))
		return batch_fail_syntax(batch, &tokens[statement->count > 1 ? 1 : 0]);
	char *name = token_content(&tokens[3]);
	bool is_view = counter_view_parse(name, &view);
	free(name);
	if (!is_view)
		return batch_fail_syntax(batch, &tokens[3]);
	enum batch_status status = check_clear(batch, tokens[0].line);
	if (status != BATCH_GOES_ON)
		return status;
	instance_lock(instance);
	counters_clear(&instance->counters[view], instance_now(instance).mono_us);
	instance_unlock(instance);
	return batch_inform(batch, 2528, 10,
			    "DBCC execution completed. If DBCC printed error messages, contact "
			    "your system administrator.",
			    tokens[0].line);
}
