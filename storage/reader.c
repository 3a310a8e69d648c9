/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pool of read-only connections. The mutex guards who has which reader; a lent reader is its
 * borrower's alone. Statements are prepared at their first use and kept.
 */
#include "storage/reader.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#include "daemon/base/alloc.h"
#include "daemon/base/clock.h"
#include "storage/reader_private.h"

enum { BUSY_TIMEOUT_MS = 250 };

struct reader_pool {
	pthread_mutex_t mutex;
	pthread_cond_t returned;
	struct reader *readers;
	size_t count;
};

static struct reader_pool *pool_new(size_t count)
{
	struct reader_pool *pool = xcalloc(1, sizeof(*pool));
	pthread_condattr_t attributes;
	int failed = pthread_mutex_init(&pool->mutex, NULL);
	failed |= pthread_condattr_init(&attributes);
	failed |= pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	failed |= pthread_cond_init(&pool->returned, &attributes);
	assert(!failed);
	pthread_condattr_destroy(&attributes);
	pool->readers = xcalloc(count, sizeof(*pool->readers));
	pool->count = count;
	return pool;
}

static bool open_reader(struct reader *reader, const char *path, struct error *err)
{
	if (!database_open(&reader->database, path, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX,
			   err))
		return false;
	(void)sqlite3_busy_timeout(reader->database.handle, BUSY_TIMEOUT_MS);
	return database_run(&reader->database,
			    "PRAGMA query_only = ON; PRAGMA cache_size = -4096;"
			    "PRAGMA temp_store = MEMORY",
			    err);
}

struct reader_pool *reader_pool_open(const char *path, size_t count, struct error *err)
{
	struct reader_pool *pool = pool_new(count);
	for (size_t i = 0; i < count; i++) {
		pool->readers[i].pool = pool;
		if (open_reader(&pool->readers[i], path, err))
			continue;
		reader_pool_close(pool);
		return NULL;
	}
	return pool;
}

void reader_pool_close(struct reader_pool *pool)
{
	if (!pool)
		return;
	for (size_t i = 0; i < pool->count; i++) {
		struct reader *reader = &pool->readers[i];
		assert(!reader->is_lent);
		database_close(&reader->database);
		names_done(&reader->names);
		frame_room_done(&reader->room);
	}
	pthread_cond_destroy(&pool->returned);
	pthread_mutex_destroy(&pool->mutex);
	free(pool->readers);
	free(pool);
}

static struct reader *find_free(struct reader_pool *pool)
{
	for (size_t i = 0; i < pool->count; i++)
		if (!pool->readers[i].is_lent)
			return &pool->readers[i];
	return NULL;
}

static struct reader *wait_free(struct reader_pool *pool, int64_t deadline_mono_ms)
{
	pthread_mutex_lock(&pool->mutex);
	struct reader *reader = find_free(pool);
	while (!reader) {
		const int64_t left_ms = deadline_mono_ms - clock_now().mono_ms;
		if (left_ms <= 0)
			break;
		const struct timespec wake = clock_wake_after(left_ms);
		pthread_cond_timedwait(&pool->returned, &pool->mutex, &wake);
		reader = find_free(pool);
	}
	if (reader)
		reader->is_lent = true;
	pthread_mutex_unlock(&pool->mutex);
	return reader;
}

struct reader *reader_borrow(struct reader_pool *pool, int64_t deadline_mono_ms, struct error *err)
{
	struct reader *reader = wait_free(pool, deadline_mono_ms);
	if (!reader) {
		(void)error_set(err, ERROR_TIMEOUT, 0, "all %zu readers of the store are busy",
				pool->count);
		return NULL;
	}
	if (database_run(&reader->database, "BEGIN", err))
		return reader;
	reader_return(reader);
	return NULL;
}

void reader_return(struct reader *reader)
{
	if (!reader)
		return;
	struct error ignored = ERROR_INIT; /* nothing was written that could be lost */
	if (database_is_in_transaction(&reader->database))
		(void)!database_run(&reader->database, "ROLLBACK", &ignored);
	struct reader_pool *pool = reader->pool;
	pthread_mutex_lock(&pool->mutex);
	reader->is_lent = false;
	pthread_cond_signal(&pool->returned);
	pthread_mutex_unlock(&pool->mutex);
}

bool reader_load_names(struct reader *reader, struct error *err)
{
	return names_load(&reader->names, &reader->database, err);
}
