/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Serves the views to SQLite. A view without arguments is filled at most once per statement: the
 * copy lives in the virtual table and carries the serial number of the statement, so that a join
 * that scans a view many times sees one state. Runs in session threads; does not know the wire.
 */
#include "tests/sim/catalog.h"

#include "tests/sim/instance_state.h"
#include "tests/sim/session_rights.h"
#include "tests/sim/session_state.h"
#include "tests/sim/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARGUMENTS_MAX 4

struct view_table {
	sqlite3_vtab base;
	const struct view *view;
	struct session_engine *engine;
	struct rows rows;
	uint64_t serial;		    /* of the statement that filled the rows */
	int column_count;		    /* that this version has; hidden ones follow */
	int column_of[CATALOG_COLUMNS_MAX]; /* where each is in the rows */
};

struct view_cursor {
	sqlite3_vtab_cursor base;
	struct rows own_rows; /* when the view has arguments */
	const struct rows *rows;
	size_t row;
};

/* What SQLite hands the module: which view, for which session. */
struct view_binding {
	const struct view *view;
	struct session_engine *engine;
};

static int view_connect(sqlite3 *database, void *context, int argc, const char *const *argv,
			sqlite3_vtab **table, char **error)
{
	const struct view_binding *binding = context;
	struct text declaration = {0};
	struct view_table *made = memory_new(1, sizeof(*made));

	(void)argc;
	(void)argv;
	made->view = binding->view;
	made->engine = binding->engine;
	made->column_count =
		(int)catalog_declare(binding->view, binding->engine->instance->profile,
				     &declaration, made->column_of, &made->rows.column_count);
	int status = sqlite3_declare_vtab(database, text_string(&declaration));
	text_done(&declaration);
	if (status == SQLITE_OK) {
		*table = &made->base;
	} else {
		*error = sqlite3_mprintf("%s", sqlite3_errmsg(database));
		free(made);
	}
	return status;
}

static int view_disconnect(sqlite3_vtab *base)
{
	struct view_table *table = (struct view_table *)base;

	rows_done(&table->rows);
	free(table);
	return SQLITE_OK;
}

/* Arguments arrive as equalities on hidden columns; idxNum tells which are there. */
static int view_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	const struct view_table *table = (const struct view_table *)base;
	int constraint_of[ARGUMENTS_MAX] = {0};

	for (int i = 0; i < info->nConstraint; i++) {
		int argument = info->aConstraint[i].iColumn - table->column_count;
		if (argument < 0 || argument >= ARGUMENTS_MAX ||
		    info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
			continue;
		if (!info->aConstraint[i].usable)
			return SQLITE_CONSTRAINT;
		constraint_of[argument] = i + 1;
	}
	int next = 1;
	for (int argument = 0; argument < ARGUMENTS_MAX; argument++) {
		if (constraint_of[argument] == 0)
			continue;
		info->aConstraintUsage[constraint_of[argument] - 1].argvIndex = next++;
		info->aConstraintUsage[constraint_of[argument] - 1].omit = 1;
		info->idxNum |= 1 << argument;
	}
	info->estimatedCost = next > 1 ? 1 : 1000;
	info->estimatedRows = next > 1 ? 1 : 1000;
	return SQLITE_OK;
}

static int view_open(sqlite3_vtab *base, sqlite3_vtab_cursor **cursor)
{
	const struct view_table *table = (const struct view_table *)base;
	struct view_cursor *made = memory_new(1, sizeof(*made));

	made->own_rows.column_count = table->rows.column_count;
	*cursor = &made->base;
	return SQLITE_OK;
}

static int view_close(sqlite3_vtab_cursor *base)
{
	struct view_cursor *cursor = (struct view_cursor *)base;

	rows_done(&cursor->own_rows);
	free(cursor);
	return SQLITE_OK;
}

static struct cell cell_from_value(sqlite3_value *value)
{
	struct cell cell = {0};

	switch (sqlite3_value_type(value)) {
	case SQLITE_INTEGER:
		cell.kind = CELL_INTEGER;
		cell.integer = sqlite3_value_int64(value);
		break;
	case SQLITE_FLOAT:
		cell.kind = CELL_INTEGER;
		cell.integer = (int64_t)sqlite3_value_double(value);
		break;
	case SQLITE_TEXT:
		cell.kind = CELL_TEXT;
		cell.size = (size_t)sqlite3_value_bytes(value);
		cell.bytes = memory_copy_string((const char *)sqlite3_value_text(value), cell.size);
		break;
	case SQLITE_BLOB:
		cell.kind = CELL_BYTES;
		cell.size = (size_t)sqlite3_value_bytes(value);
		cell.bytes = memory_copy_string(sqlite3_value_blob(value), cell.size);
		break;
	default:
		break;
	}
	return cell;
}

/* Fills rows under the instance's lock, and takes away what the login may not see. */
static int fill(struct view_table *table, const struct cell *arguments, struct rows *rows)
{
	struct session_engine *engine = table->engine;
	struct view_request request = {
		.instance = engine->instance,
		.now = engine->now,
		.session_id = engine->session_id,
		.database = engine->database_name,
		.arguments = arguments,
	};
	char reason[SESSION_REASON_SIZE];

	if (table->view->is_per_database && arguments[0].kind == CELL_TEXT)
		request.database = arguments[0].bytes;
	rows_clear(rows);
	instance_lock(engine->instance);
	if (table->view->is_per_database &&
	    session_refuses_database(engine, request.database, table->view->name, reason))
		request.error = reason;
	else
		table->view->fill(&request, rows);
	session_hide_rows(engine, table->view, rows);
	instance_unlock(engine->instance);
	if (!request.error)
		return SQLITE_OK;
	sqlite3_free(table->base.zErrMsg);
	table->base.zErrMsg = sqlite3_mprintf("%s", request.error);
	return SQLITE_ERROR;
}

static int view_filter(sqlite3_vtab_cursor *base, int index, const char *name, int argc,
		       sqlite3_value **argv)
{
	struct view_cursor *cursor = (struct view_cursor *)base;
	struct view_table *table = (struct view_table *)cursor->base.pVtab;
	struct cell arguments[ARGUMENTS_MAX] = {0};
	int status = SQLITE_OK;
	int next = 0;

	(void)name;
	for (int i = 0; i < ARGUMENTS_MAX && next < argc; i++)
		if (index & (1 << i))
			arguments[i] = cell_from_value(argv[next++]);
	cursor->row = 0;
	if (argc > 0 || table->view->arguments) {
		status = fill(table, arguments, &cursor->own_rows);
		cursor->rows = &cursor->own_rows;
	} else {
		if (table->serial != table->engine->serial)
			status = fill(table, arguments, &table->rows);
		table->serial = status == SQLITE_OK ? table->engine->serial : 0;
		cursor->rows = &table->rows;
	}
	for (int i = 0; i < ARGUMENTS_MAX; i++)
		cell_done(&arguments[i]);
	return status;
}

static int view_next(sqlite3_vtab_cursor *base)
{
	((struct view_cursor *)base)->row++;
	return SQLITE_OK;
}

static int view_eof(sqlite3_vtab_cursor *base)
{
	const struct view_cursor *cursor = (const struct view_cursor *)base;

	return cursor->row >= rows_count(cursor->rows);
}

static int view_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
	const struct view_cursor *cursor = (const struct view_cursor *)base;
	const struct view_table *table = (const struct view_table *)base->pVtab;

	if (column >= table->column_count)
		return SQLITE_OK; /* a hidden argument: null */
	const struct cell *cell =
		rows_cell(cursor->rows, cursor->row, (size_t)table->column_of[column]);
	switch (cell->kind) {
	case CELL_NULL:
		break;
	case CELL_INTEGER:
		sqlite3_result_int64(context, cell->integer);
		break;
	case CELL_NUMBER:
		sqlite3_result_double(context, cell->number);
		break;
	case CELL_TEXT:
		sqlite3_result_text(context, cell->bytes, (int)cell->size, SQLITE_TRANSIENT);
		break;
	case CELL_BYTES:
		sqlite3_result_blob(context, cell->bytes, (int)cell->size, SQLITE_TRANSIENT);
		break;
	}
	return SQLITE_OK;
}

static int view_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid)
{
	*rowid = (sqlite3_int64)((struct view_cursor *)base)->row;
	return SQLITE_OK;
}

static const sqlite3_module view_module = {
	.xConnect = view_connect,
	.xBestIndex = view_best_index,
	.xDisconnect = view_disconnect,
	.xOpen = view_open,
	.xClose = view_close,
	.xFilter = view_filter,
	.xNext = view_next,
	.xEof = view_eof,
	.xColumn = view_column,
	.xRowid = view_rowid,
};

/* As the default collation of a server: letter case and trailing blanks do not count. */
static int compare_tsql(void *context, int left_size, const void *left, int right_size,
			const void *right)
{
	const unsigned char *a = left;
	const unsigned char *b = right;

	(void)context;
	while (left_size > 0 && a[left_size - 1] == ' ')
		left_size--;
	while (right_size > 0 && b[right_size - 1] == ' ')
		right_size--;
	for (int i = 0; i < left_size && i < right_size; i++)
		if (tolower(a[i]) != tolower(b[i]))
			return tolower(a[i]) - tolower(b[i]);
	return left_size - right_size;
}

bool catalog_register(sqlite3 *database, struct session_engine *engine)
{
	if (sqlite3_create_collation(database, "tsql", SQLITE_UTF8, NULL, compare_tsql) !=
	    SQLITE_OK)
		return false;
	for (const struct view *view = catalog_next_view(NULL); view;
	     view = catalog_next_view(view)) {
		if (!profile_has_view(engine->instance->profile, view->name))
			continue;
		struct view_binding *binding = memory_new(1, sizeof(*binding));
		*binding = (struct view_binding){.view = view, .engine = engine};
		if (sqlite3_create_module_v2(database, view->name, &view_module, binding, free) !=
		    SQLITE_OK)
			return false;
	}
	return true;
}
