/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening the SQLite file. Runs in main before the threads start, then in the writer.
 *
 * Whose file it is: PATH.lock is taken with flock first, so that two latchd never meet in one file.
 * A file that is not SQLite at all is only ours, and moved aside as damaged, when it carries our
 * application_id or its lock file was there before; else it is somebody's and refused.
 */
#include "storage/store.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "daemon/base/alloc.h"
#include "daemon/base/clock.h"
#include "storage/baseline_frame.h"
#include "storage/frame_row.h"
#include "storage/store_private.h"

enum {
	APPLICATION_ID = 0x6c617463, /* "latc" */
	APPLICATION_ID_OFFSET = 68,
	HEADER_SIZE = 72,
	BUSY_TIMEOUT_MS = 250,
	QUICK_CHECK_MAX_BYTES = 256 << 20, /* a larger file would hold up the start for seconds */
};

/* Step number i + 1 brings the schema from user_version i to i + 1. */
static const char *const schema_steps[] = {
	"storage/schema/001_first.sql",
	"storage/schema/002_rollup.sql",
};

enum { SCHEMA_VERSION = sizeof(schema_steps) / sizeof(schema_steps[0]) };

/* What the first bytes of a file say of it. */
enum origin { ORIGIN_NEW, ORIGIN_SQLITE, ORIGIN_OURS, ORIGIN_UNKNOWN };

static enum origin origin_of(const char *path)
{
	static const char magic[] = "SQLite format 3"; /* its NUL counts */
	unsigned char header[HEADER_SIZE] = {0};
	FILE *file = fopen(path, "rbe");
	if (!file)
		return ORIGIN_NEW; /* opening it for real tells what is wrong */
	const size_t size = fread(header, 1, sizeof(header), file);
	(void)fclose(file); /* was only read */
	if (size == 0)
		return ORIGIN_NEW;
	uint32_t id = 0;
	for (int i = 0; i < 4; i++)
		id = id << 8 | header[APPLICATION_ID_OFFSET + i];
	if (id == APPLICATION_ID)
		return ORIGIN_OURS;
	return memcmp(header, magic, sizeof(magic)) == 0 ? ORIGIN_SQLITE : ORIGIN_UNKNOWN;
}

static bool take_lock(struct store *store, const char *path, struct error *err)
{
	store->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (store->lock_fd < 0)
		return error_set(err, ERROR_IO, errno, "cannot open '%s': %s", path,
				 strerror(errno));
	if (flock(store->lock_fd, LOCK_EX | LOCK_NB) == 0)
		return true;
	if (errno == EWOULDBLOCK)
		return error_set(err, ERROR_CONFLICT, 0, "another latchd has the store '%s' open",
				 store->path);
	return error_set(err, ERROR_IO, errno, "cannot lock '%s': %s", path, strerror(errno));
}

static bool check_ownership(struct store *store, int64_t *version, struct error *err)
{
	struct database *database = &store->database;
	int64_t id = 0;
	int64_t object_count = 0;
	if (!database_ask(database, "PRAGMA application_id", &id, err) ||
	    !database_ask(database, "PRAGMA user_version", version, err) ||
	    !database_ask(database, "SELECT count(*) FROM sqlite_schema", &object_count, err))
		return false;
	const bool is_empty = id == 0 && *version == 0 && object_count == 0;
	if (!is_empty && id != APPLICATION_ID)
		return error_set(err, ERROR_INVALID, 0,
				 "'%s' belongs to another program; choose another storage.path",
				 store->path);
	if (*version > SCHEMA_VERSION)
		return error_set(
			err, ERROR_UNSUPPORTED, (int)*version,
			"'%s' was written by a newer latchd (schema %lld, this one knows %d)",
			store->path, (long long)*version, SCHEMA_VERSION);
	return true;
}

static bool check_health(struct store *store, struct error *err)
{
	struct stat status;
	if (stat(store->path, &status) != 0 || status.st_size > QUICK_CHECK_MAX_BYTES)
		return true;
	sqlite3_stmt *statement = NULL;
	int code = sqlite3_prepare_v2(store->database.handle, "PRAGMA quick_check(1)", -1,
				      &statement, NULL);
	if (code == SQLITE_OK)
		code = sqlite3_step(statement);
	const bool has_row = code == SQLITE_ROW;
	const char *verdict = has_row ? (const char *)sqlite3_column_text(statement, 0) : NULL;
	const bool is_sound = verdict && strcmp(verdict, "ok") == 0;
	if (has_row && !is_sound)
		(void)error_set(err, ERROR_CORRUPT, 0, "'%s' is damaged: %.200s", store->path,
				verdict ? verdict : "no verdict");
	else if (!is_sound)
		(void)database_error(&store->database, err, "cannot check '%s'", store->path);
	(void)sqlite3_finalize(statement); /* repeats the code of the step */
	return is_sound;
}

static bool apply_step(struct store *store, int64_t version, struct error *err)
{
	const struct embedded *step = embedded_find(embedded_storage, schema_steps[version]);
	assert(step);
	char finish[64];
	(void)snprintf(finish, sizeof(finish), "PRAGMA user_version = %lld; COMMIT",
		       (long long)version + 1);
	struct database *database = &store->database;
	if (database_run(database, "BEGIN IMMEDIATE", err) &&
	    database_run(database, step->data, err) && database_run(database, finish, err))
		return true;
	struct error ignored = ERROR_INIT; /* the failure before it is the one that counts */
	if (database_is_in_transaction(database))
		(void)!database_run(database, "ROLLBACK", &ignored);
	return error_prefix(err, "'%s'", step->path);
}

static bool read_state(struct store *store, struct error *err)
{
	CLEANUP(cursor_done) struct cursor cursor;
	bool has_row = false;
	if (!cursor_init(&cursor, &store->database, STATEMENT_COMMIT_GET, err) ||
	    !cursor_step(&cursor, &has_row, err))
		return false;
	if (!has_row)
		return error_set(err, ERROR_CORRUPT, 0, "'%s' has lost its commit number",
				 store->path);
	store->last_commit = cursor_int(&cursor);
	return names_load(&store->names, &store->database, err);
}

/* application_id and auto_vacuum must stand before the first table is made. */
static bool begin_fresh(struct store *store, struct error *err)
{
	char pragmas[128];
	(void)snprintf(pragmas, sizeof(pragmas),
		       "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA application_id = %d",
		       APPLICATION_ID);
	return database_run(&store->database, pragmas, err);
}

static bool open_file(struct store *store, const struct store_options *options, struct error *err)
{
	struct database *database = &store->database;
	int64_t version = 0;
	if (!database_open(database, store->path,
			   SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, err))
		return false;
	(void)sqlite3_busy_timeout(database->handle, BUSY_TIMEOUT_MS);
	if (!check_ownership(store, &version, err) || !check_health(store, err))
		return false;
	if (version == 0 && !begin_fresh(store, err))
		return false;
	if (!database_run(database,
			  "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 2000;"
			  "PRAGMA secure_delete = FAST; PRAGMA cache_size = -8192;"
			  "PRAGMA temp_store = MEMORY",
			  err) ||
	    !database_run(database,
			  options->is_synchronous_full ? "PRAGMA synchronous = FULL"
						       : "PRAGMA synchronous = NORMAL",
			  err))
		return false;
	for (; version < SCHEMA_VERSION; version++)
		if (!apply_step(store, version, err))
			return false;
	return read_state(store, err);
}

static void close_file(struct store *store)
{
	database_close(&store->database);
	names_done(&store->names);
}

/* Renames the file and what belongs to it to PATH.damaged-UTC. */
static bool move_aside(struct store *store, struct error *err)
{
	const struct instant now = clock_now(); /* once at start; it only makes a file name */
	const time_t seconds = now.utc_ms / 1000;
	struct tm parts;
	char stamp[32];
	if (!gmtime_r(&seconds, &parts) ||
	    strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%S", &parts) == 0)
		return error_set(err, ERROR_IO, 0, "the system's clock makes no sense");
	static const char *const suffixes[] = {"", "-wal", "-shm"};
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		CLEANUP(freep) char *from = xasprintf("%s%s", store->path, suffixes[i]);
		CLEANUP(freep)
		char *to = xasprintf("%s.damaged-%s.%03dZ%s", store->path, stamp,
				     (int)(now.utc_ms % 1000), suffixes[i]);
		if (rename(from, to) != 0 && errno != ENOENT)
			return error_set(err, ERROR_IO, errno, "cannot move '%s' aside: %s", from,
					 strerror(errno));
	}
	return true;
}

struct store *store_open(const struct store_options *options, bool *was_damaged, struct error *err)
{
	CLEANUP(store_closep) struct store *store = xcalloc(1, sizeof(*store));
	clock_read_boot_id(store->boot_id);
	store->lock_fd = -1;
	store->path = xstrdup(options->path);
	*was_damaged = false;
	CLEANUP(freep) char *lock_path = xasprintf("%s.lock", store->path);
	const bool was_locked_before = access(lock_path, F_OK) == 0;
	const enum origin origin = origin_of(store->path);
	if (origin == ORIGIN_UNKNOWN && !was_locked_before) {
		(void)error_set(err, ERROR_INVALID, 0,
				"'%s' is no SQLite file; choose another storage.path", store->path);
		return NULL;
	}
	if (!take_lock(store, lock_path, err))
		return NULL;
	if (open_file(store, options, err))
		return TAKE(store);
	if (err->kind != ERROR_CORRUPT || (origin != ORIGIN_OURS && origin != ORIGIN_UNKNOWN))
		return NULL;
	close_file(store);
	if (!move_aside(store, err) || !open_file(store, options, err))
		return NULL;
	error_clear(err);
	*was_damaged = true;
	return TAKE(store);
}

void store_close(struct store *store)
{
	if (!store)
		return;
	if (store->database.handle && store->last_commit > 0) {
		/* A reader that is still open would keep the closing from doing it. */
		struct error ignored = ERROR_INIT; /* then the log is read at the next start */
		(void)!store_checkpoint(store, &ignored);
	}
	close_file(store);
	if (store->lock_fd >= 0)
		(void)close(store->lock_fd); /* nothing was written to it */
	strbuf_done(&store->packed);
	free(store->ids);
	free(store->path);
	free(store);
}

bool store_intern_target(struct store *store, const char *name, int64_t *id, struct error *err)
{
	CLEANUP(cursor_done) struct cursor find;
	bool has_row = false;
	if (!cursor_init(&find, &store->database, STATEMENT_TARGET_FIND, err))
		return false;
	cursor_bind_text(&find, name);
	if (!cursor_step(&find, &has_row, err))
		return false;
	if (has_row) {
		*id = cursor_int(&find);
		return true;
	}
	CLEANUP(cursor_done) struct cursor insert;
	if (!cursor_init(&insert, &store->database, STATEMENT_TARGET_INSERT, err))
		return false;
	cursor_bind_text(&insert, name);
	if (!cursor_run(&insert, err))
		return error_prefix(err, "target '%s'", name);
	*id = sqlite3_last_insert_rowid(store->database.handle);
	return true;
}

/* What is in the row at cursor; false when it can not be read. */
static bool read_baseline(struct store *store, struct cursor *cursor, enum family family,
			  struct baseline *baseline)
{
	struct epoch epoch = {0};
	cursor_copy_text(cursor, epoch.server_name, sizeof(epoch.server_name));
	cursor_copy_text(cursor, epoch.node_name, sizeof(epoch.node_name));
	epoch.process_id = cursor_int(cursor);
	epoch.start_ticks = cursor_int(cursor);
	epoch.ms_ticks = cursor_int(cursor);
	struct instant taken = {0};
	taken.mono_ms = cursor_int(cursor);
	taken.utc_ms = cursor_int(cursor);
	size_t size = 0;
	const void *body = cursor_blob(cursor, &size);
	const struct frame_names names = names_view(&store->names);
	struct error ignored = ERROR_INIT; /* a baseline that can not be read is no baseline */
	baseline->sample = sample_new(family, &epoch, taken);
	return baseline_frame_unpack(body, size, &names, store->boot_id, baseline, &ignored) &&
	       sample_seal(baseline->sample, &ignored);
}

bool store_load_baseline(struct store *store, int64_t target_id, enum family family,
			 struct baseline **baseline, struct error *err)
{
	CLEANUP(cursor_done) struct cursor cursor;
	bool has_row = false;
	if (!cursor_init(&cursor, &store->database, STATEMENT_BASELINE_GET, err))
		return false;
	cursor_bind_int(&cursor, target_id);
	cursor_bind_int(&cursor, family);
	if (!cursor_step(&cursor, &has_row, err))
		return false;
	*baseline = NULL;
	if (!has_row)
		return true;
	CLEANUP(baseline_freep) struct baseline *read = xcalloc(1, sizeof(*read));
	if (read_baseline(store, &cursor, family, read))
		*baseline = TAKE(read);
	return true;
}

bool store_load_last_end(struct store *store, int64_t target_id, enum family family,
			 int64_t *end_utc_ms, struct error *err)
{
	return frame_row_last_end(&store->database, target_id, family, end_utc_ms, err);
}

bool store_checkpoint(struct store *store, struct error *err)
{
	const int code = sqlite3_wal_checkpoint_v2(store->database.handle, NULL,
						   SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
	/* A reader in the way only puts it off. */
	if (code == SQLITE_OK || code == SQLITE_BUSY)
		return true;
	return database_error(&store->database, err, "store: checkpoint");
}

bool store_vacuum(struct store *store, int64_t page_count, struct error *err)
{
	char pragma[64];
	(void)snprintf(pragma, sizeof(pragma), "PRAGMA incremental_vacuum(%lld)",
		       (long long)page_count);
	return database_run(&store->database, pragma, err);
}

bool store_measure(struct store *store, struct store_size *size, struct error *err)
{
	int64_t page_size = 0;
	int64_t page_count = 0;
	int64_t free_count = 0;
	struct database *database = &store->database;
	if (!database_ask(database, "PRAGMA page_size", &page_size, err) ||
	    !database_ask(database, "PRAGMA page_count", &page_count, err) ||
	    !database_ask(database, "PRAGMA freelist_count", &free_count, err))
		return false;
	CLEANUP(freep) char *wal = xasprintf("%s-wal", store->path);
	struct stat status = {0};
	(void)stat(wal, &status); /* no log is a log of no bytes */
	*size = (struct store_size){.file_bytes = page_size * page_count,
				    .free_bytes = page_size * free_count,
				    .wal_bytes = status.st_size};
	return true;
}
