/* SPDX-License-Identifier: Apache-2.0 */
/*
 * INSERT of a client: which table, how many rows; the contention model does the rest. Also the text
 * and the hash of the statement a session runs. Session thread.
 */
#include "tests/sim/instance_load.h"
#include "tests/sim/metadata.h"
#include "tests/sim/session_batch.h"
#include "tests/sim/session_rights.h"
#include "tests/sim/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Literals and blanks do not count, as with the server's query_hash. */
static uint64_t hash_statement(const char *sql, size_t size)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	bool is_quoted = false;

	for (size_t i = 0; i < size; i++) {
		unsigned char letter = (unsigned char)sql[i];
		is_quoted ^= letter == '\'';
		if (is_quoted || isdigit(letter) || isspace(letter))
			continue;
		hash = (hash ^ (unsigned char)tolower(letter)) * UINT64_C(0x100000001b3);
	}
	return hash;
}

void session_note_statement(struct session_engine *engine, const char *sql, size_t size)
{
	struct client_session *client = engine->client;
	uint64_t hash = hash_statement(sql, size);

	instance_lock(engine->instance);
	snprintf(client->statement, sizeof(client->statement), "%.*s",
		 (int)(size < STATEMENT_SIZE ? size : STATEMENT_SIZE - 1), sql);
	client->query_hash = hash;
	instance_unlock(engine->instance);
}

/* The object of a name of one to three parts; NULL when there is none. */
static const struct metadata_object *find_table(const struct session_engine *engine,
						const struct token *tokens, size_t name)
{
	const struct metadata_database *database = metadata_find_database(engine->database_name);
	char *part;

	if (name == 4) {
		part = token_content(&tokens[0]);
		database = metadata_find_database(part);
		free(part);
	}
	if (!database)
		return NULL;
	part = token_content(&tokens[name]);
	const struct metadata_object *object = metadata_find_object_name(database->id, part);
	free(part);
	return object && strcmp(object->type, "U ") == 0 ? object : NULL;
}

/* Tells of a database that is closed to the login. */
static enum batch_status check_database(struct batch *batch, int32_t database_id, int32_t line)
{
	char reason[SESSION_REASON_SIZE];
	int number = 0;
	int severity = 0;
	int skipped = 0;

	instance_lock(batch->engine->instance);
	bool is_refused = session_refuses_database(
		batch->engine, metadata_find_database_id(database_id)->name, NULL, reason);
	instance_unlock(batch->engine->instance);
	if (!is_refused || sscanf(reason, "%d %d %n", &number, &severity, &skipped) != 2)
		return BATCH_GOES_ON;
	struct sql_message message = {.number = number,
				      .state = 1,
				      .severity = (uint8_t)severity,
				      .text = reason + skipped,
				      .line = line};
	return batch_fail(batch, &message);
}

static enum batch_status fail_table(struct batch *batch, const struct token *tokens, size_t name)
{
	char text[300];
	const char *end = tokens[name].start + tokens[name].size;
	struct sql_message message = {
		.number = 208, .state = 1, .severity = 16, .text = text, .line = tokens[0].line};

	snprintf(text, sizeof(text), "Invalid object name '%.*s'.", (int)(end - tokens[0].start),
		 tokens[0].start);
	return batch_fail(batch, &message);
}

/* Rows behind VALUES, or one of DEFAULT VALUES; 0 when it is neither. */
static int64_t count_rows(const struct token *tokens, size_t from, size_t count)
{
	int64_t rows = 0;

	if (from < count && token_is_symbol(&tokens[from], "("))
		from = tokens_closing(tokens, from, count) + 1;
	if (from + 1 < count && token_is_word(&tokens[from], "DEFAULT"))
		return token_is_word(&tokens[from + 1], "VALUES");
	if (from >= count || !token_is_word(&tokens[from], "VALUES"))
		return 0;
	for (size_t i = from + 1; i < count; i++) {
		if (!token_is_symbol(&tokens[i], "("))
			continue;
		rows++;
		i = tokens_closing(tokens, i, count);
	}
	return rows;
}

enum batch_status batch_insert(struct batch *batch, const struct statement *statement)
{
	struct session_engine *engine = batch->engine;
	const struct token *tokens = statement->tokens + 1;
	size_t count = statement->count - 1;
	size_t name = 0;
	bool is_known = false;

	if (count > 0 && token_is_word(tokens, "INTO")) {
		tokens++;
		count--;
	}
	if (count == 0)
		return batch_fail_syntax(batch, &statement->tokens[0]);
	while (name < 4 && name + 2 < count && token_is_symbol(&tokens[name + 1], "."))
		name += 2;
	const struct metadata_object *object = find_table(engine, tokens, name);
	if (!object)
		return fail_table(batch, tokens, name);
	enum batch_status status = check_database(batch, object->database_id, tokens[0].line);
	if (status != BATCH_GOES_ON)
		return status;
	int64_t rows = count_rows(tokens, name + 1, count);
	if (rows == 0)
		return batch_fail_syntax(batch, &tokens[count - 1]);
	if (!instance_insert(engine->instance, engine->client, object->object_id, rows,
			     batch->sink->is_wanted, batch->sink->context, &is_known))
		return is_known ? BATCH_STOPPED : fail_table(batch, tokens, name);
	return batch->sink->done(batch->sink->context, !engine->has_no_count, (uint64_t)rows, false)
		       ? BATCH_GOES_ON
		       : BATCH_STOPPED;
}
