/* SPDX-License-Identifier: Apache-2.0 */
/* A store of its own for a test; see the header. */
#include "tests/storage/store_fixture.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/alloc.h"
#include "daemon/base/clock.h"
#include "tests/support.h"
#include "tests/support/delta_builder.h"

bool seen_note(struct seen *seen, int64_t value)
{
	assert_true(seen->count < SEEN_MAX);
	seen->values[seen->count++] = value;
	return true;
}

void seen_expect(const struct seen *seen, const int64_t *values, size_t count)
{
	assert_int_equal(seen->count, count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(seen->values[i], values[i]);
}

void fixture_make(struct store_fixture *fixture)
{
	*fixture = (struct store_fixture){.keep_ms = {INT64_MAX / 2, INT64_MAX / 2, INT64_MAX / 2}};
	const char *folder = getenv("TMPDIR");
	(void)snprintf(fixture->folder, sizeof(fixture->folder), "%.40s/store-XXXXXX",
		       folder ? folder : "/tmp");
	assert_non_null(mkdtemp(fixture->folder));
	(void)snprintf(fixture->path, sizeof(fixture->path), "%s/latchd.db", fixture->folder);
}

void fixture_open(struct store_fixture *fixture)
{
	struct error err = ERROR_INIT;
	bool was_damaged = false;
	const struct store_options options = {.path = fixture->path};
	struct store *store = store_open(&options, &was_damaged, &err);
	if (!store)
		fail_msg("store_open: %s", err.text);
	if (!store_intern_target(store, "prod-01", &fixture->target_id, &err))
		fail_msg("store_intern_target: %s", err.text);
	fixture->live = live_new(1);
	struct writer_options writer = {.store = store,
					.live = fixture->live,
					.queue_capacity = FIXTURE_QUEUE,
					.max_size_bytes = fixture->max_size_bytes};
	memcpy(writer.keep_ms, fixture->keep_ms, sizeof(writer.keep_ms));
	fixture->writer = writer_start(&writer, &err);
	assert_non_null(fixture->writer);
	assert_null(writer.store);
	fixture->pool = reader_pool_open(fixture->path, 2, &err);
	if (!fixture->pool)
		fail_msg("reader_pool_open: %s", err.text);
}

void fixture_close(struct store_fixture *fixture)
{
	reader_return(TAKE(fixture->reader));
	writer_stop(TAKE(fixture->writer));
	reader_pool_close(TAKE(fixture->pool));
	live_free(TAKE(fixture->live));
}

void fixture_remove(struct store_fixture *fixture)
{
	fixture_close(fixture);
	CLEANUP(freep) char *pattern = xasprintf("%s/*", fixture->folder);
	glob_t files;
	if (glob(pattern, 0, NULL, &files) == 0) {
		for (size_t i = 0; i < files.gl_pathc; i++)
			assert_int_equal(unlink(files.gl_pathv[i]), 0);
		globfree(&files);
	}
	assert_int_equal(rmdir(fixture->folder), 0);
}

void fixture_start(struct store_fixture *fixture)
{
	fixture_make(fixture);
	fixture_open(fixture);
}

int64_t fixture_deadline(void)
{
	return clock_now().mono_ms + 60000;
}

void fixture_commit(struct store_fixture *fixture, struct batch *batch)
{
	struct error err = ERROR_INIT;
	if (!writer_push_and_wait(fixture->writer, &batch, fixture_deadline(), &err))
		fail_msg("writer_push_and_wait: %s", err.text);
	assert_null(batch);
}

void fixture_commit_delta(struct store_fixture *fixture, struct delta *delta)
{
	struct batch *batch = batch_new(fixture->target_id);
	batch->deltas[delta->family] = delta;
	fixture_commit(fixture, batch);
}

void fixture_commit_waits(struct store_fixture *fixture, int64_t end_utc_ms, int64_t interval_ms)
{
	struct delta *delta = delta_build(FAMILY_WAITS, end_utc_ms, interval_ms);
	delta_build_row(delta, "WRITELOG", 1, interval_ms, 0, 0);
	fixture_commit_delta(fixture, delta);
}

struct reader *fixture_read(struct store_fixture *fixture)
{
	struct error err = ERROR_INIT;
	reader_return(TAKE(fixture->reader));
	fixture->reader = reader_borrow(fixture->pool, fixture_deadline(), &err);
	if (!fixture->reader)
		fail_msg("reader_borrow: %s", err.text);
	return fixture->reader;
}

static bool count_delta(void *context, const struct stored_delta *stored)
{
	(void)stored;
	(*(int64_t *)context)++;
	return true;
}

int64_t fixture_count_deltas(struct store_fixture *fixture)
{
	struct error err = ERROR_INIT;
	int64_t count = 0;
	int64_t damaged_count = 0;
	if (!query_deltas(fixture_read(fixture), fixture->target_id, FAMILY_WAITS, 0, INT64_MAX / 2,
			  count_delta, &count, &damaged_count, &err))
		fail_msg("query_deltas: %s", err.text);
	assert_int_equal(damaged_count, 0);
	return count;
}
