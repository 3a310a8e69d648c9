/* SPDX-License-Identifier: Apache-2.0 */
/* One connection with its statements; see the header. Runs in the thread that owns it. */
#include "storage/database.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const statement_names[STATEMENT_COUNT] = {
	[STATEMENT_ALERT_PUT] = "alert_put",
	[STATEMENT_BASELINE_GET] = "baseline_get",
	[STATEMENT_BASELINE_PUT] = "baseline_put",
	[STATEMENT_COMMIT_GET] = "commit_get",
	[STATEMENT_COMMIT_PUT] = "commit_put",
	[STATEMENT_EVENT_INSERT] = "event_insert",
	[STATEMENT_EVENT_RETIRE] = "event_retire",
	[STATEMENT_FRAME_GIVE_WAY] = "frame_give_way",
	[STATEMENT_FRAME_INSERT] = "frame_insert",
	[STATEMENT_FRAME_NEXT] = "frame_next",
	[STATEMENT_FRAME_OLDEST] = "frame_oldest",
	[STATEMENT_FRAME_REOPEN] = "frame_reopen",
	[STATEMENT_FRAME_RETIRE] = "frame_retire",
	[STATEMENT_HOTSPOT_FIND] = "hotspot_find",
	[STATEMENT_HOTSPOT_PUT] = "hotspot_put",
	[STATEMENT_HOTSPOT_RETIRE] = "hotspot_retire",
	[STATEMENT_MARK_GET] = "mark_get",
	[STATEMENT_MARK_PUT] = "mark_put",
	[STATEMENT_NAME_INSERT] = "name_insert",
	[STATEMENT_OUTBOX_DELETE] = "outbox_delete",
	[STATEMENT_OUTBOX_INSERT] = "outbox_insert",
	[STATEMENT_OUTBOX_UPDATE] = "outbox_update",
	[STATEMENT_OWNER_PUT] = "owner_put",
	[STATEMENT_OWNER_RETIRE] = "owner_retire",
	[STATEMENT_TARGET_FIND] = "target_find",
	[STATEMENT_TARGET_INSERT] = "target_insert",
	[STATEMENT_TARGET_NEXT] = "target_next",
	[STATEMENT_TASK_FRAME_INSERT] = "task_frame_insert",
	[STATEMENT_TASK_FRAME_RETIRE] = "task_frame_retire",
	[STATEMENT_ALERTS] = "alerts",
	[STATEMENT_DELTAS] = "deltas",
	[STATEMENT_DELTAS_AFTER_COMMIT] = "deltas_after_commit",
	[STATEMENT_EVENTS] = "events",
	[STATEMENT_FRAME_EXTENT] = "frame_extent",
	[STATEMENT_HOTSPOTS] = "hotspots",
	[STATEMENT_LAST_END] = "last_end",
	[STATEMENT_NAMES] = "names",
	[STATEMENT_OUTBOX] = "outbox",
	[STATEMENT_OWNERS] = "owners",
	[STATEMENT_TASKS_AFTER_COMMIT] = "tasks_after_commit",
};

bool database_open(struct database *database, const char *path, int flags, struct error *err)
{
	*database = (struct database){0};
	const int code = sqlite3_open_v2(path, &database->handle, flags, NULL);
	if (!database->handle)
		return error_set(err, ERROR_IO, code, "cannot open '%s': %s", path,
				 sqlite3_errstr(code));
	if (code != SQLITE_OK)
		return database_error(database, err, "cannot open '%s'", path);
	(void)sqlite3_extended_result_codes(database->handle, 1);
	return true;
}

void database_close(struct database *database)
{
	for (int i = 0; i < STATEMENT_COUNT; i++)
		(void)sqlite3_finalize(database->statements[i]); /* repeats an error told before */
	const int code = sqlite3_close(database->handle);
	assert(code == SQLITE_OK);
	*database = (struct database){0};
}

static enum error_kind kind_of(int code)
{
	switch (code & 0xff) {
	case SQLITE_FULL:
		return ERROR_FULL;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return ERROR_CORRUPT;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return ERROR_CONFLICT;
	case SQLITE_CONSTRAINT:
	case SQLITE_MISMATCH:
	case SQLITE_TOOBIG:
	case SQLITE_RANGE:
		return ERROR_INVALID;
	default:
		return ERROR_IO;
	}
}

bool database_error(struct database *database, struct error *err, const char *fmt, ...)
{
	char doing[256];
	va_list args;
	va_start(args, fmt);
	(void)vsnprintf(doing, sizeof(doing), fmt, args); /* may cut */
	va_end(args);
	const int code = sqlite3_extended_errcode(database->handle);
	return error_set(err, kind_of(code), code, "%s: %s", doing,
			 sqlite3_errmsg(database->handle));
}

bool database_run(struct database *database, const char *text, struct error *err)
{
	if (sqlite3_exec(database->handle, text, NULL, NULL, NULL) == SQLITE_OK)
		return true;
	return database_error(database, err, "store: '%.60s'", text);
}

bool database_ask(struct database *database, const char *pragma, int64_t *value, struct error *err)
{
	sqlite3_stmt *statement = NULL;
	int code = sqlite3_prepare_v2(database->handle, pragma, -1, &statement, NULL);
	if (code == SQLITE_OK)
		code = sqlite3_step(statement);
	const bool has_row = code == SQLITE_ROW;
	if (has_row)
		*value = sqlite3_column_int64(statement, 0);
	else
		(void)database_error(database, err, "store: '%s'", pragma);
	(void)sqlite3_finalize(statement); /* repeats the code of the step */
	return has_row;
}

bool database_is_in_transaction(const struct database *database)
{
	return sqlite3_get_autocommit(database->handle) == 0;
}

bool cursor_init(struct cursor *cursor, struct database *database, enum statement which,
		 struct error *err)
{
	*cursor = (struct cursor){0};
	if (!database->statements[which]) {
		char path[64];
		(void)snprintf(path, sizeof(path), "storage/sql/%s.sql", statement_names[which]);
		const struct embedded *file = embedded_find(embedded_storage, path);
		assert(file);
		if (sqlite3_prepare_v3(database->handle, file->data, (int)file->size + 1,
				       SQLITE_PREPARE_PERSISTENT, &database->statements[which],
				       NULL) != SQLITE_OK)
			return database_error(database, err, "store: '%s'", path);
	}
	cursor->database = database;
	cursor->statement = database->statements[which];
	return true;
}

void cursor_done(struct cursor *cursor)
{
	if (!cursor->statement)
		return;
	(void)sqlite3_reset(cursor->statement); /* repeats an error told before */
	(void)sqlite3_clear_bindings(cursor->statement);
	*cursor = (struct cursor){0};
}

static void note_bind(struct cursor *cursor, int code)
{
	if (cursor->failure == SQLITE_OK)
		cursor->failure = code;
}

void cursor_bind_int(struct cursor *cursor, int64_t value)
{
	note_bind(cursor, sqlite3_bind_int64(cursor->statement, ++cursor->parameter, value));
}

void cursor_bind_double(struct cursor *cursor, double value)
{
	note_bind(cursor, sqlite3_bind_double(cursor->statement, ++cursor->parameter, value));
}

void cursor_bind_text(struct cursor *cursor, const char *value)
{
	note_bind(cursor, sqlite3_bind_text(cursor->statement, ++cursor->parameter, value, -1,
					    SQLITE_STATIC));
}

void cursor_bind_blob(struct cursor *cursor, const void *value, size_t size)
{
	note_bind(cursor, sqlite3_bind_blob64(cursor->statement, ++cursor->parameter, value, size,
					      SQLITE_STATIC));
}

void cursor_bind_null(struct cursor *cursor)
{
	note_bind(cursor, sqlite3_bind_null(cursor->statement, ++cursor->parameter));
}

bool cursor_step(struct cursor *cursor, bool *has_row, struct error *err)
{
	if (cursor->failure != SQLITE_OK)
		return error_set(err, kind_of(cursor->failure), cursor->failure, "store: %s",
				 sqlite3_errstr(cursor->failure));
	const int code = sqlite3_step(cursor->statement);
	cursor->column = 0;
	if (code != SQLITE_ROW && code != SQLITE_DONE) {
		cursor->failure = code;
		return database_error(cursor->database, err, "store");
	}
	*has_row = code == SQLITE_ROW;
	return true;
}

bool cursor_next(struct cursor *cursor, struct error *err)
{
	bool has_row = false;
	return cursor_step(cursor, &has_row, err) && has_row;
}

bool cursor_has_failed(const struct cursor *cursor)
{
	return cursor->failure != SQLITE_OK;
}

bool cursor_run(struct cursor *cursor, struct error *err)
{
	bool has_row = false;
	return cursor_step(cursor, &has_row, err);
}

int64_t cursor_int(struct cursor *cursor)
{
	return sqlite3_column_int64(cursor->statement, cursor->column++);
}

double cursor_double(struct cursor *cursor)
{
	return sqlite3_column_double(cursor->statement, cursor->column++);
}

const char *cursor_text(struct cursor *cursor)
{
	const unsigned char *text = sqlite3_column_text(cursor->statement, cursor->column++);
	return text ? (const char *)text : "";
}

void cursor_copy_text(struct cursor *cursor, char *text, size_t size)
{
	(void)snprintf(text, size, "%s", cursor_text(cursor)); /* written from the same size */
}

const void *cursor_blob(struct cursor *cursor, size_t *size)
{
	const void *blob = sqlite3_column_blob(cursor->statement, cursor->column);
	*size = (size_t)sqlite3_column_bytes(cursor->statement, cursor->column++);
	return blob;
}

bool cursor_is_null(const struct cursor *cursor)
{
	return sqlite3_column_type(cursor->statement, cursor->column) == SQLITE_NULL;
}
