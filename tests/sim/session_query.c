/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs one query: rewrite, prepare, read all rows, find the type of each column, send. Rows are
 * read whole first, since a column that is an expression may show its type only in a later row.
 * Session thread; does not know the wire.
 */
#include "tests/sim/session_batch.h"

#include "tests/sim/text.h"
#include "tests/sim/tsql_rewrite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct query {
	struct rewrite rewrite;
	sqlite3_stmt *statement;
	struct rows rows;
	struct sql_column *columns;
	int32_t line;
};

static void query_done(struct query *query)
{
	sqlite3_finalize(query->statement);
	rows_done(&query->rows);
	rewrite_done(&query->rewrite);
	free(query->columns);
}

static void bind_cell(sqlite3_stmt *statement, int position, const struct cell *cell)
{
	switch (cell->kind) {
	case CELL_NULL:
		sqlite3_bind_null(statement, position);
		break;
	case CELL_INTEGER:
		sqlite3_bind_int64(statement, position, cell->integer);
		break;
	case CELL_NUMBER:
		sqlite3_bind_double(statement, position, cell->number);
		break;
	case CELL_TEXT:
		sqlite3_bind_text(statement, position, cell->bytes, (int)cell->size,
				  SQLITE_TRANSIENT);
		break;
	case CELL_BYTES:
		sqlite3_bind_blob(statement, position, cell->bytes, (int)cell->size,
				  SQLITE_TRANSIENT);
		break;
	}
}

static void bind_variables(const struct batch *batch, sqlite3_stmt *statement)
{
	for (int i = 1; i <= sqlite3_bind_parameter_count(statement); i++) {
		const char *name = sqlite3_bind_parameter_name(statement, i);
		const struct tsql_variable *variable =
			name ? variables_find(&batch->variables, name, strlen(name)) : NULL;
		if (variable)
			bind_cell(statement, i, &variable->value);
	}
}

static void read_row(struct query *query)
{
	for (int i = 0; i < (int)query->rows.column_count; i++) {
		switch (sqlite3_column_type(query->statement, i)) {
		case SQLITE_INTEGER:
			rows_add_integer(&query->rows, sqlite3_column_int64(query->statement, i));
			break;
		case SQLITE_FLOAT:
			rows_add_number(&query->rows, sqlite3_column_double(query->statement, i));
			break;
		case SQLITE_TEXT:
			rows_add_bytes(&query->rows, CELL_TEXT,
				       sqlite3_column_text(query->statement, i),
				       (size_t)sqlite3_column_bytes(query->statement, i));
			break;
		case SQLITE_BLOB:
			rows_add_bytes(&query->rows, CELL_BYTES,
				       sqlite3_column_blob(query->statement, i),
				       (size_t)sqlite3_column_bytes(query->statement, i));
			break;
		default:
			rows_add_null(&query->rows);
			break;
		}
	}
}

/* The type that holds every value of a column nothing else is known of. */
static struct tsql_type type_of_values(const struct rows *rows, size_t column)
{
	struct tsql_type type = {.type = SQL_INT};
	size_t longest = 1;

	for (size_t row = 0; row < rows_count(rows); row++) {
		const struct cell *cell = rows_cell(rows, row, column);
		if (cell->size > longest)
			longest = cell->size;
		if (cell->kind == CELL_TEXT)
			type.type = SQL_NVARCHAR;
		else if (cell->kind == CELL_BYTES)
			type.type = SQL_VARBINARY;
		else if (cell->kind == CELL_NUMBER)
			type.type = SQL_FLOAT;
		else if (cell->kind == CELL_INTEGER && type.type == SQL_INT &&
			 (cell->integer > INT32_MAX || cell->integer < INT32_MIN))
			type.type = SQL_BIGINT;
	}
	type.length = longest > 4000 ? 0 : (int)longest;
	return type;
}

static struct tsql_type type_of_column(const struct query *query, int column)
{
	const char *declared = sqlite3_column_decltype(query->statement, column);
	const struct tsql_type *hint =
		rewrite_hint(&query->rewrite, sqlite3_column_name(query->statement, column));
	struct tsql_type type;

	if (declared && strcmp(declared, "sql_variant") != 0 &&
	    tsql_type_parse(declared, strlen(declared), &type))
		return type;
	if (!declared && hint)
		return *hint;
	return type_of_values(&query->rows, (size_t)column);
}

static bool column_has_null(const struct rows *rows, size_t column)
{
	for (size_t row = 0; row < rows_count(rows); row++)
		if (rows_cell(rows, row, column)->kind == CELL_NULL)
			return true;
	return false;
}

static bool column_is_declared_nullable(const struct query *query, int column)
{
	const char *table = sqlite3_column_table_name(query->statement, column);
	const char *origin = sqlite3_column_origin_name(query->statement, column);
	const struct view *view = table ? catalog_find_view(table, strlen(table)) : NULL;
	size_t type_size;
	bool is_nullable = true;

	if (view && origin)
		(void)catalog_column_type(view, origin, strlen(origin), &type_size,
					  &is_nullable); /* for the flag */
	return is_nullable;
}

static void describe_columns(struct query *query)
{
	query->columns = memory_new(query->rows.column_count, sizeof(*query->columns));
	for (int i = 0; i < (int)query->rows.column_count; i++) {
		struct sql_column *column = &query->columns[i];
		const char *name = sqlite3_column_name(query->statement, i);
		struct tsql_type type = type_of_column(query, i);
		snprintf(column->name, sizeof(column->name), "%s", name[0] == '?' ? "" : name);
		column->type = type.type;
		column->length = type.length;
		column->is_nullable = column_is_declared_nullable(query, i) ||
				      column_has_null(&query->rows, (size_t)i);
	}
}

struct sql_value batch_value(const struct cell *cell, enum sql_type type, char scratch[static 64])
{
	struct sql_value value = {
		.is_null = cell->kind == CELL_NULL,
		.integer = cell->kind == CELL_NUMBER ? (int64_t)cell->number : cell->integer,
		.number = cell->kind == CELL_INTEGER ? (double)cell->integer : cell->number,
		.bytes = cell->bytes,
		.size_bytes = cell->size,
	};
	int64_t utc_us = 0;
	bool is_number = cell->kind == CELL_INTEGER || cell->kind == CELL_NUMBER;

	if ((type == SQL_DATETIME || type == SQL_DATETIME2) && cell->kind == CELL_TEXT) {
		value.is_null = !time_parse(cell->bytes, &utc_us);
		value.integer =
			type == SQL_DATETIME ? time_to_datetime(utc_us) : time_to_datetime2(utc_us);
	} else if (type == SQL_NVARCHAR && is_number) {
		int size = cell->kind == CELL_INTEGER
				   ? snprintf(scratch, 64, "%lld", (long long)cell->integer)
				   : snprintf(scratch, 64, "%.15g", cell->number);
		value.bytes = scratch;
		value.size_bytes = (size_t)size;
	} else if (type <= SQL_FLOAT && cell->kind == CELL_TEXT) {
		value.integer = strtoll(cell->bytes, NULL, 10);
		value.number = strtod(cell->bytes, NULL);
	}
	return value;
}

static bool send_rows(const struct batch *batch, const struct query *query)
{
	size_t count = query->rows.column_count;
	struct sql_value *values = memory_new(count, sizeof(*values));
	char(*scratch)[64] = memory_new(count, sizeof(*scratch));
	bool goes_on = true;

	for (size_t row = 0; goes_on && row < rows_count(&query->rows); row++) {
		for (size_t i = 0; i < count; i++)
			values[i] = batch_value(rows_cell(&query->rows, row, i),
						query->columns[i].type, scratch[i]);
		goes_on = batch->sink->row(batch->sink->context, values, count);
	}
	free(scratch);
	free(values);
	return goes_on;
}

static void copy_cell(struct cell *target, const struct cell *source)
{
	cell_done(target);
	*target = *source;
	if (source->bytes)
		target->bytes = memory_copy_string(source->bytes, source->size);
}

/* The last row goes to the variables that name its columns. */
static void assign_variables(const struct batch *batch, const struct query *query)
{
	size_t count = rows_count(&query->rows);

	for (int i = 0; count > 0 && i < (int)query->rows.column_count; i++) {
		const char *name = sqlite3_column_name(query->statement, i);
		struct tsql_variable *variable =
			variables_find(&batch->variables, name, strlen(name));
		if (variable)
			copy_cell(&variable->value, rows_cell(&query->rows, count - 1, (size_t)i));
	}
}

/* Rewrites, prepares and reads; the caller cleans up in every case. */
static enum batch_status read_rows(struct batch *batch, const struct token *tokens, size_t count,
				   struct query *query)
{
	struct session_engine *engine = batch->engine;
	struct rewrite_problem problem;

	query->line = tokens[0].line;
	engine->refusal[0] = '\0';
	if (!tsql_rewrite(tokens, count, &batch->variables, &query->rewrite, &problem)) {
		struct sql_message message = {
			.number = problem.number, .state = 1, .line = problem.line};
		message.severity = problem.severity;
		message.text = problem.text;
		return batch_fail(batch, &message);
	}
	if (sqlite3_prepare_v2(engine->database, text_string(&query->rewrite.sql), -1,
			       &query->statement, NULL) != SQLITE_OK ||
	    !query->statement)
		return batch_fail_sqlite(batch, query->line);
	bind_variables(batch, query->statement);
	engine->now = instance_now(engine->instance);
	engine->serial++;
	query->rows.column_count = (size_t)sqlite3_column_count(query->statement);
	for (;;) {
		int status = sqlite3_step(query->statement);
		if (status == SQLITE_DONE)
			return BATCH_GOES_ON;
		if (status == SQLITE_INTERRUPT)
			return BATCH_STOPPED;
		if (status != SQLITE_ROW)
			return batch_fail_sqlite(batch, query->line);
		read_row(query);
	}
}

static enum batch_status send_result(const struct batch *batch, struct query *query)
{
	const struct result_sink *sink = batch->sink;
	bool has_count = !batch->engine->has_no_count;

	describe_columns(query);
	if (!sink->columns(sink->context, query->columns, query->rows.column_count) ||
	    !send_rows(batch, query) ||
	    !sink->done(sink->context, has_count, rows_count(&query->rows), false))
		return BATCH_STOPPED;
	return BATCH_GOES_ON;
}

enum batch_status batch_query(struct batch *batch, const struct token *tokens, size_t count)
{
	struct query query = {0};
	enum batch_status status = read_rows(batch, tokens, count, &query);

	/* Also with NOCOUNT ON, which only leaves it out of the answer. */
	batch->engine->row_count = status == BATCH_GOES_ON ? (int64_t)rows_count(&query.rows) : 0;
	if (status == BATCH_GOES_ON && query.rewrite.is_assignment) {
		assign_variables(batch, &query);
		status = batch_done(batch);
	} else if (status == BATCH_GOES_ON) {
		status = send_result(batch, &query);
	}
	query_done(&query);
	return status;
}

enum batch_status batch_evaluate(struct batch *batch, const struct token *tokens, size_t count,
				 const char *type, size_t type_size, struct cell *value)
{
	struct query query = {0};
	struct text sql = {0};
	struct token_list list;
	const struct token *last = &tokens[count - 1];

	text_add_format(&sql, "SELECT CONVERT(%.*s, (%.*s))", (int)type_size, type,
			(int)(last->start + last->size - tokens[0].start), tokens[0].start);
	token_list_init(&list, text_string(&sql), sql.size);
	enum batch_status status = read_rows(batch, list.tokens, list.count, &query);
	if (status == BATCH_GOES_ON && rows_count(&query.rows) > 0)
		copy_cell(value, rows_cell(&query.rows, 0, 0));
	query_done(&query);
	token_list_done(&list);
	text_done(&sql);
	return status;
}
