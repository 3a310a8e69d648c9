/* SPDX-License-Identifier: Apache-2.0 */
/* Statements that are no queries: SET, DECLARE, PRINT, EXECUTE, WAITFOR. Session thread. */
#include "tests/sim/session_batch.h"

#include "tests/sim/metadata.h"
#include "tests/sim/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EXECUTE_DEPTH_MAX 32
#define WAIT_STEP_MS	  25

enum batch_status batch_fail_syntax(struct batch *batch, const struct token *token)
{
	char text[200];
	struct sql_message message = {
		.number = 102, .state = 1, .severity = 15, .text = text, .line = token->line};

	snprintf(text, sizeof(text), "Incorrect syntax near '%.*s'.",
		 (int)(token->size > 120 ? 120 : token->size), token->start);
	return batch_fail(batch, &message);
}

static enum batch_status set_option(struct batch *batch, const struct statement *statement)
{
	const struct token *tokens = statement->tokens;

	if (statement->count < 2)
		return batch_fail_syntax(batch, &tokens[0]);
	if (statement->count > 2 && token_is_word(&tokens[1], "NOCOUNT"))
		batch->engine->has_no_count = token_is_word(&tokens[2], "ON");
	return batch_done(batch);
}

static enum batch_status set_variable(struct batch *batch, const struct statement *statement)
{
	const struct token *name = &statement->tokens[1];
	struct tsql_variable *variable = variables_find(&batch->variables, name->start, name->size);

	if (statement->count < 4 || !token_is_symbol(&statement->tokens[2], "="))
		return batch_fail_syntax(batch, name);
	if (!variable) {
		char text[200];
		struct sql_message message = {.number = 137,
					      .state = 1,
					      .severity = 15,
					      .text = text,
					      .line = name->line};
		snprintf(text, sizeof(text), "Must declare the scalar variable \"%.*s\".",
			 (int)(name->size > 120 ? 120 : name->size), name->start);
		return batch_fail(batch, &message);
	}
	bool is_text = variable->type.type == SQL_NVARCHAR;
	const char *type = is_text ? "nvarchar(max)" : "sql_variant";
	enum batch_status status =
		batch_evaluate(batch, &statement->tokens[3], statement->count - 3, type,
			       strlen(type), &variable->value);
	return status == BATCH_GOES_ON ? batch_done(batch) : status;
}

static size_t item_end(const struct token *tokens, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		if (token_is_symbol(&tokens[i], "("))
			i = tokens_closing(tokens, i, to);
		else if (token_is_symbol(&tokens[i], ","))
			return i;
	}
	return to;
}

/* "@x [AS] type [= expression]"; with `values` NULL the expression is left alone. */
static enum batch_status declare_one(struct batch *batch, struct tsql_variables *variables,
				     const struct token *tokens, size_t count, bool is_evaluated)
{
	size_t first = count > 1 && token_is_word(&tokens[1], "AS") ? 2 : 1;
	size_t equals = first;
	struct tsql_type type;

	while (equals < count && !token_is_symbol(&tokens[equals], "=") &&
	       !token_is_word(&tokens[equals], "OUTPUT") && !token_is_word(&tokens[equals], "OUT"))
		equals++;
	if (count < 2 || tokens[0].kind != TOKEN_VARIABLE || equals == first)
		return batch_fail_syntax(batch, &tokens[0]);
	const char *name = tokens[first].start;
	size_t name_size = (size_t)(tokens[equals - 1].start + tokens[equals - 1].size - name);
	if (!tsql_type_parse(name, name_size, &type))
		return batch_fail_syntax(batch, &tokens[first]);
	struct cell value = {0};
	enum batch_status status = BATCH_GOES_ON;
	if (is_evaluated && equals + 1 < count)
		status = batch_evaluate(batch, &tokens[equals + 1], count - equals - 1, name,
					name_size, &value);
	if (status != BATCH_GOES_ON)
		return status;
	variables_add(variables, tokens[0].start, tokens[0].size, type)->value = value;
	return BATCH_GOES_ON;
}

enum batch_status batch_declare(struct batch *batch, struct tsql_variables *variables,
				const struct token *tokens, size_t count, bool is_evaluated)
{
	for (size_t at = 0; at < count;) {
		size_t end = item_end(tokens, at, count);
		if (end == at)
			return batch_fail_syntax(batch, &tokens[at]);
		enum batch_status status =
			declare_one(batch, variables, &tokens[at], end - at, is_evaluated);
		if (status != BATCH_GOES_ON)
			return status;
		at = end + 1;
	}
	return BATCH_GOES_ON;
}

static enum batch_status run_declare(struct batch *batch, const struct statement *statement)
{
	if (statement->count < 3)
		return batch_fail_syntax(batch, &statement->tokens[0]);
	enum batch_status status = batch_declare(batch, &batch->variables, statement->tokens + 1,
						 statement->count - 1, true);
	return status == BATCH_GOES_ON ? batch_done(batch) : status;
}

static enum batch_status run_print(struct batch *batch, const struct statement *statement)
{
	struct cell value = {0};
	enum batch_status status;

	if (statement->count < 2)
		return batch_fail_syntax(batch, &statement->tokens[0]);
	status = batch_evaluate(batch, &statement->tokens[1], statement->count - 1,
				"nvarchar(4000)", 14, &value);
	if (status == BATCH_GOES_ON)
		status = batch_inform(batch, 0, 0, value.bytes ? value.bytes : " ",
				      statement->tokens[0].line);
	cell_done(&value);
	return status;
}

/* Evaluates one text argument of EXECUTE; the caller frees *text. */
static enum batch_status text_argument(struct batch *batch, const struct token *tokens,
				       size_t count, struct cell *text)
{
	enum batch_status status = batch_evaluate(batch, tokens, count, "nvarchar(max)", 13, text);

	return status;
}

/* "[@name =] value" into the inner variables: by name, else by position. */
static enum batch_status pass_argument(struct batch *batch, struct tsql_variables *inner,
				       size_t position, const struct token *tokens, size_t count)
{
	bool is_named =
		count > 2 && tokens[0].kind == TOKEN_VARIABLE && token_is_symbol(&tokens[1], "=");
	struct tsql_variable *variable = NULL;
	size_t first = is_named ? 2 : 0;

	if (is_named)
		variable = variables_find(inner, tokens[0].start, tokens[0].size);
	else if (position < inner->count)
		variable = &inner->items[position];
	if (count > first + 1 && (token_is_word(&tokens[count - 1], "OUTPUT") ||
				  token_is_word(&tokens[count - 1], "OUT")))
		count--;
	if (!variable || first >= count)
		return batch_fail_syntax(batch, &tokens[0]);
	const char *type = variable->type.type == SQL_NVARCHAR ? "nvarchar(max)" : "sql_variant";
	return batch_evaluate(batch, &tokens[first], count - first, type, strlen(type),
			      &variable->value);
}

/* N'sql' [, N'@a int, ...' [, @a = 1, ...]] */
static enum batch_status execute_sql(struct batch *batch, const struct token *tokens, size_t count)
{
	struct batch inner = {.engine = batch->engine, .sink = batch->sink};
	struct cell sql = {0};
	struct cell declarations = {0};
	struct token_list list = {0};
	size_t position = 0;
	size_t end = item_end(tokens, 0, count);
	enum batch_status status = text_argument(batch, tokens, end, &sql);

	if (status == BATCH_GOES_ON && end + 1 < count) {
		size_t at = end + 1;
		end = item_end(tokens, at, count);
		status = text_argument(batch, &tokens[at], end - at, &declarations);
		if (status == BATCH_GOES_ON && declarations.bytes) {
			token_list_init(&list, declarations.bytes, declarations.size);
			status = batch_declare(batch, &inner.variables, list.tokens, list.count,
					       false);
		}
	}
	while (status == BATCH_GOES_ON && end + 1 < count) {
		size_t at = end + 1;
		end = item_end(tokens, at, count);
		if (end == at)
			status = batch_fail_syntax(batch, &tokens[at]);
		else
			status = pass_argument(batch, &inner.variables, position++, &tokens[at],
					       end - at);
	}
	if (status == BATCH_GOES_ON && sql.bytes)
		status = batch_run(&inner, sql.bytes, sql.size);
	variables_done(&inner.variables);
	token_list_done(&list);
	cell_done(&sql);
	cell_done(&declarations);
	return status;
}

static enum batch_status fail_procedure(struct batch *batch, const struct token *token,
					int32_t number)
{
	char text[200];
	struct sql_message message = {
		.number = number, .state = 62, .severity = 16, .text = text, .line = token->line};
	int size = (int)(token->size > 120 ? 120 : token->size);

	if (number == 2812)
		snprintf(text, sizeof(text), "Could not find stored procedure '%.*s'.", size,
			 token->start);
	else
		snprintf(
			text, sizeof(text),
			"Maximum stored procedure, function, trigger, or view nesting level exceeded (limit 32).");
	return batch_fail(batch, &message);
}

/* Runs the text inside the database that stands before sp_executesql, if one does. */
static enum batch_status execute_in_database(struct batch *batch, const struct token *tokens,
					     size_t name, size_t count)
{
	struct session_engine *engine = batch->engine;
	char before[NAME_SIZE];

	snprintf(before, sizeof(before), "%s", engine->database_name);
	if (name >= 2 && token_is_name(&tokens[0])) {
		char *first = token_content(&tokens[0]);
		const struct metadata_database *database = metadata_find_database(first);
		if (database)
			snprintf(engine->database_name, NAME_SIZE, "%s", database->name);
		free(first);
	}
	engine->depth++;
	enum batch_status status = execute_sql(batch, &tokens[name + 1], count - name - 1);
	engine->depth--;
	snprintf(engine->database_name, NAME_SIZE, "%s", before);
	return status;
}

static enum batch_status run_execute(struct batch *batch, const struct statement *statement)
{
	const struct token *tokens = statement->tokens + 1;
	size_t count = statement->count - 1;
	size_t name = 0;

	if (count == 0)
		return batch_fail_syntax(batch, &statement->tokens[0]);
	if (batch->engine->depth >= EXECUTE_DEPTH_MAX)
		return fail_procedure(batch, &tokens[0], 217);
	if (token_is_symbol(&tokens[0], "(")) {
		size_t closing = tokens_closing(tokens, 0, count);
		batch->engine->depth++;
		enum batch_status status = closing < 2
						   ? batch_fail_syntax(batch, &tokens[0])
						   : execute_sql(batch, tokens + 1, closing - 1);
		batch->engine->depth--;
		return status;
	}
	while (name + 2 < count && token_is_symbol(&tokens[name + 1], "."))
		name += 2;
	char *procedure = token_content(&tokens[name]);
	bool is_known =
		text_is_word(procedure, strlen(procedure), "sp_executesql") && name + 1 < count;
	free(procedure);
	return is_known ? execute_in_database(batch, tokens, name, count)
			: fail_procedure(batch, &tokens[name], 2812);
}

/* WAITFOR DELAY 'hh:mm:ss[.fff]', in steps that notice a client that has had enough. */
static enum batch_status run_waitfor(struct batch *batch, const struct statement *statement)
{
	const struct token *tokens = statement->tokens;
	int hours = 0;
	int minutes = 0;
	double seconds = 0;

	if (statement->count < 3 || !token_is_word(&tokens[1], "DELAY") ||
	    tokens[2].kind != TOKEN_STRING)
		return batch_fail_syntax(batch, &tokens[0]);
	char *delay = token_content(&tokens[2]);
	int field_count = sscanf(delay, "%2d:%2d:%lf", &hours, &minutes, &seconds);
	free(delay);
	if (field_count < 2)
		return batch_fail_syntax(batch, &tokens[2]);
	int64_t left_ms = (hours * INT64_C(60) + minutes) * 60000 + (int64_t)(seconds * 1000);
	for (; left_ms > 0; left_ms -= WAIT_STEP_MS) {
		const struct timespec step = {.tv_nsec = WAIT_STEP_MS * 1000000L};
		if (!batch->sink->is_wanted(batch->sink->context))
			return BATCH_STOPPED;
		nanosleep(&step, NULL);
	}
	return batch_done(batch);
}

enum batch_status batch_command(struct batch *batch, const struct statement *statement)
{
	switch (statement->kind) {
	case STATEMENT_QUERY:
		return batch_query(batch, statement->tokens, statement->count);
	case STATEMENT_SET_OPTION:
		return set_option(batch, statement);
	case STATEMENT_SET_VARIABLE:
		return set_variable(batch, statement);
	case STATEMENT_DECLARE:
		return run_declare(batch, statement);
	case STATEMENT_USE:
		return batch_use(batch, statement);
	case STATEMENT_PRINT:
		return run_print(batch, statement);
	case STATEMENT_DBCC:
		return batch_dbcc(batch, statement);
	case STATEMENT_EXECUTE:
		return run_execute(batch, statement);
	case STATEMENT_TRANSACTION:
		return batch_transaction(batch, statement);
	case STATEMENT_WAITFOR:
		return run_waitfor(batch, statement);
	case STATEMENT_INSERT:
		return batch_insert(batch, statement);
	case STATEMENT_UNKNOWN:
		break;
	}
	return batch_fail_syntax(batch, &statement->tokens[0]);
}
