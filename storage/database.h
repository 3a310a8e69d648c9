/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One connection to the SQLite file with its prepared statements, and the translation of SQLite's
 * errors. What the store (read-write) and the readers (read-only) have in common; private to
 * storage/. Threads: the owner of the connection.
 */
#pragma once

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/embedded.h"
#include "daemon/base/error.h"

/* The .sql files and schema steps of this folder. */
extern const struct embedded embedded_storage[];

/* Each is the file storage/sql/NAME.sql; database.c holds the table. */
enum statement {
	/* run by the writer */
	STATEMENT_ALERT_PUT,
	STATEMENT_BASELINE_GET,
	STATEMENT_BASELINE_PUT,
	STATEMENT_COMMIT_GET,
	STATEMENT_COMMIT_PUT,
	STATEMENT_EVENT_INSERT,
	STATEMENT_EVENT_RETIRE,
	STATEMENT_FRAME_GIVE_WAY,
	STATEMENT_FRAME_INSERT,
	STATEMENT_FRAME_NEXT,
	STATEMENT_FRAME_OLDEST,
	STATEMENT_FRAME_REOPEN,
	STATEMENT_FRAME_RETIRE,
	STATEMENT_HOTSPOT_FIND,
	STATEMENT_HOTSPOT_PUT,
	STATEMENT_HOTSPOT_RETIRE,
	STATEMENT_MARK_GET,
	STATEMENT_MARK_PUT,
	STATEMENT_NAME_INSERT,
	STATEMENT_OUTBOX_DELETE,
	STATEMENT_OUTBOX_INSERT,
	STATEMENT_OUTBOX_UPDATE,
	STATEMENT_OWNER_PUT,
	STATEMENT_OWNER_RETIRE,
	STATEMENT_TARGET_FIND,
	STATEMENT_TARGET_INSERT,
	STATEMENT_TARGET_NEXT,
	STATEMENT_TASK_FRAME_INSERT,
	STATEMENT_TASK_FRAME_RETIRE,
	/* run by readers; the names by both */
	STATEMENT_ALERTS,
	STATEMENT_DELTAS,
	STATEMENT_DELTAS_AFTER_COMMIT,
	STATEMENT_EVENTS,
	STATEMENT_FRAME_EXTENT,
	STATEMENT_HOTSPOTS,
	STATEMENT_LAST_END,
	STATEMENT_NAMES,
	STATEMENT_OUTBOX,
	STATEMENT_OWNERS,
	STATEMENT_TASKS_AFTER_COMMIT,
};

enum { STATEMENT_COUNT = STATEMENT_TASKS_AFTER_COMMIT + 1 };

struct database {
	sqlite3 *handle;
	sqlite3_stmt *statements[STATEMENT_COUNT]; /* NULL until first asked for */
};

/*
 * Opens a connection; flags are those of sqlite3_open_v2.
 *
 * Owns:    the caller closes, also after a failure.
 * Errors:  as database_error.
 * Threads: any.
 */
MUST_CHECK bool database_open(struct database *database, const char *path, int flags,
			      struct error *err);

/* Finalises the statements and closes; a zeroed struct is fine. Owns: contents. */
void database_close(struct database *database);

/*
 * Fills err from the last failure of this connection.
 *
 * Errors:  ERROR_FULL, ERROR_CORRUPT, ERROR_CONFLICT (somebody else holds the lock: try again),
 * ERROR_INVALID (this row can never be stored), ERROR_IO all else.
 */
PRINTF(3, 4)
bool database_error(struct database *database, struct error *err, const char *fmt, ...);

/* Runs PRAGMA, BEGIN, COMMIT or a schema step. Errors: as database_error. */
MUST_CHECK bool database_run(struct database *database, const char *text, struct error *err);

/* Asks a PRAGMA for its one integer. Errors: as database_error. */
MUST_CHECK bool database_ask(struct database *database, const char *pragma, int64_t *value,
			     struct error *err);

/* True while a BEGIN awaits its end. Pure. */
bool database_is_in_transaction(const struct database *database);

/*
 * A prepared statement in use. Arguments are bound and columns read one after the other, in the
 * order of the .sql file; a failure to bind is kept and comes out of statement_step.
 */
struct cursor {
	struct database *database;
	sqlite3_stmt *statement;
	int parameter; /* last one bound */
	int column;    /* next one to be read */
	int failure;   /* SQLite's code of the first failed bind or step */
};

/* Takes the statement, preparing it at its first use. Owns: the caller ends with cursor_done. */
MUST_CHECK bool cursor_init(struct cursor *cursor, struct database *database, enum statement which,
			    struct error *err);

/* Resets the statement; a zeroed cursor is fine. Owns: contents. */
void cursor_done(struct cursor *cursor);

/* Binds the next argument; texts and blobs are borrowed until cursor_done. */
void cursor_bind_int(struct cursor *cursor, int64_t value);
void cursor_bind_double(struct cursor *cursor, double value);
void cursor_bind_text(struct cursor *cursor, const char *value);
void cursor_bind_blob(struct cursor *cursor, const void *value, size_t size);
void cursor_bind_null(struct cursor *cursor);

/* Goes to the next row; *has_row is false after the last. Errors: as database_error. */
MUST_CHECK bool cursor_step(struct cursor *cursor, bool *has_row, struct error *err);

/*
 * Goes to the next row, for walks: false after the last and after a failure, which
 * cursor_has_failed tells apart. Errors: as database_error.
 */
MUST_CHECK bool cursor_next(struct cursor *cursor, struct error *err);

/* True when the walk ended for a failure. Pure. */
bool cursor_has_failed(const struct cursor *cursor);

/* Runs a statement that has no rows. Errors: as database_error. */
MUST_CHECK bool cursor_run(struct cursor *cursor, struct error *err);

/* Reads the next column of the row; what is borrowed lives until the next step. */
int64_t cursor_int(struct cursor *cursor);
double cursor_double(struct cursor *cursor);
const char *cursor_text(struct cursor *cursor); /* "" for NULL */
void cursor_copy_text(struct cursor *cursor, char *text, size_t size);
const void *cursor_blob(struct cursor *cursor, size_t *size);
bool cursor_is_null(const struct cursor *cursor); /* the next column; does not move on */
