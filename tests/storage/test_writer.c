/* SPDX-License-Identifier: Apache-2.0 */
/* The writer: whole batches, a full queue, many producers, retention, a store that fails. */
#include "storage/writer.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/base/clock.h"
#include "daemon/base/stop.h"
#include "tests/storage/store_fixture.h"
#include "tests/support.h"
#include "tests/support/delta_builder.h"

static struct delta *wait_delta(int64_t end_utc_ms)
{
	struct delta *delta = delta_build(FAMILY_WAITS, end_utc_ms, 10000);
	delta_build_row(delta, "WRITELOG", 1, end_utc_ms, 0, 0);
	return delta;
}

static struct batch *wait_batch(const struct store_fixture *fixture, int64_t end_utc_ms)
{
	struct batch *batch = batch_new(fixture->target_id);
	batch->deltas[FAMILY_WAITS] = wait_delta(end_utc_ms);
	return batch;
}

static bool count_event(void *context, const struct event *event)
{
	(void)event;
	(*(int *)context)++;
	return true;
}

static int count_events(struct store_fixture *fixture)
{
	struct error err = ERROR_INIT;
	int count = 0;
	assert_true(query_events(fixture_read(fixture), fixture->target_id, 0, INT64_MAX / 2, 1000,
				 count_event, &count, &err));
	return count;
}

/* Somebody's shell that holds the write lock. */
static sqlite3 *lock_store(const struct store_fixture *fixture)
{
	sqlite3 *handle = NULL;
	assert_int_equal(sqlite3_open(fixture->path, &handle), SQLITE_OK);
	(void)sqlite3_busy_timeout(handle, 10000);
	assert_int_equal(sqlite3_exec(handle, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	return handle;
}

/* Waits until the writer says whether it fails. */
static void await_failing(struct store_fixture *fixture, bool is_failing)
{
	CLEANUP(stop_freep) struct stop *stop = stop_new();
	const int64_t deadline = fixture_deadline();
	for (;;) {
		struct writer_status status;
		writer_status(fixture->writer, &status);
		if (status.is_failing == is_failing)
			return;
		assert_true(clock_now().mono_ms < deadline);
		(void)stop_wait_until(stop, clock_now().mono_ms + 5);
	}
}

static void batch_is_committed_with_all_its_parts(void **state)
{
	(void)state;
	struct store_fixture fixture;
	fixture_start(&fixture);
	struct batch *batch = wait_batch(&fixture, 20000);
	batch->baselines[FAMILY_WAITS] = baseline_build(FAMILY_WAITS, "WRITELOG", 1);
	const struct event event = {.target_id = fixture.target_id,
				    .begin_utc_ms = 15000,
				    .end_utc_ms = 20000,
				    .kind = "clear",
				    .family = FAMILY_WAITS,
				    .details = "{}"};
	batch_add_event(batch, &event);
	fixture_commit(&fixture, batch);
	assert_int_equal(fixture_count_deltas(&fixture), 1);
	assert_int_equal(count_events(&fixture), 1);
	assert_int_equal(live_commit(fixture.live), 1);
	struct writer_status status;
	writer_status(fixture.writer, &status);
	assert_int_equal(status.commit_count, 1);
	assert_int_equal(status.queue_length, 0);
	assert_int_equal(status.queue_capacity, FIXTURE_QUEUE);
	fixture_remove(&fixture);
}

static void batch_that_can_not_be_stored_leaves_nothing_behind(void **state)
{
	(void)state;
	struct store_fixture fixture;
	fixture_start(&fixture);
	struct batch *batch = wait_batch(&fixture, 20000);
	struct hotspot hotspot = {.target_id = fixture.target_id};
	hotspot.ms_per_sec = (double)NAN;
	batch_add_hotspot(batch, &hotspot);
	struct error err = ERROR_INIT;
	assert_false(writer_push_and_wait(fixture.writer, &batch, fixture_deadline(), &err));
	assert_int_equal(err.kind, ERROR_INVALID);
	assert_non_null(batch);
	batch_free(batch);
	assert_int_equal(fixture_count_deltas(&fixture), 0);
	/* The name that was new in it gets an id again. */
	fixture_commit_delta(&fixture, wait_delta(30000));
	assert_int_equal(fixture_count_deltas(&fixture), 1);
	assert_int_equal(live_commit(fixture.live), 1);
	fixture_remove(&fixture);
}

static void push_is_drained_at_the_stop(void **state)
{
	(void)state;
	struct store_fixture fixture;
	fixture_start(&fixture);
	for (int64_t i = 1; i <= 50; i++) {
		struct error err = ERROR_INIT;
		struct batch *batch = wait_batch(&fixture, i * 10000);
		assert_true(writer_push(fixture.writer, &batch, fixture_deadline(), &err));
		assert_null(batch);
	}
	fixture_close(&fixture);
	fixture_open(&fixture);
	assert_int_equal(fixture_count_deltas(&fixture), 50);
	assert_int_equal(live_commit(fixture.live), 50);
	fixture_remove(&fixture);
}

static void commits_survive_a_kill(void **state)
{
	(void)state;
	struct store_fixture fixture;
	fixture_make(&fixture);
	const pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		fixture_open(&fixture);
		for (int64_t i = 1; i <= 20; i++)
			fixture_commit_delta(&fixture, wait_delta(i * 10000));
		(void)kill(getpid(), SIGKILL);
	}
	int status = 0;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	fixture_open(&fixture);
	assert_int_equal(fixture_count_deltas(&fixture), 20);
	fixture_commit_delta(&fixture, wait_delta(999000));
	assert_int_equal(live_commit(fixture.live), 21);
	fixture_remove(&fixture);
}

static void full_queue_times_out_and_leaves_the_batch(void **state)
{
	(void)state;
	struct store_fixture fixture;
	fixture_start(&fixture);
	sqlite3 *shell = lock_store(&fixture);
	struct error err = ERROR_INIT;
	for (int64_t i = 1; i <= FIXTURE_QUEUE; i++) {
		struct batch *batch = wait_batch(&fixture, i * 10000);
		assert_true(writer_push(fixture.writer, &batch, 0, &err));
	}
	struct batch *batch = wait_batch(&fixture, 990000);
	assert_false(writer_push(fixture.writer, &batch, 0, &err));
	assert_int_equal(err.kind, ERROR_TIMEOUT);
	assert_non_null(batch);
	assert_false(writer_push_and_wait(fixture.writer, &batch, 0, &err));
	assert_int_equal(err.kind, ERROR_TIMEOUT);
	assert_non_null(batch);
	assert_int_equal(sqlite3_close(shell), SQLITE_OK);
	assert_true(writer_push_and_wait(fixture.writer, &batch, fixture_deadline(), &err));
	assert_int_equal(fixture_count_deltas(&fixture), FIXTURE_QUEUE + 1);
	fixture_remove(&fixture);
}

static void who_waits_for_a_locked_store_gets_its_batch_back(void **state)
{
	(void)state;
	struct store_fixture fixture;
	fixture_start(&fixture);
	sqlite3 *shell = lock_store(&fixture);
	struct batch *batch = wait_batch(&fixture, 10000);
	struct error err = ERROR_INIT;
	assert_false(writer_push_and_wait(fixture.writer, &batch, fixture_deadline(), &err));
	assert_int_equal(err.kind, ERROR_CONFLICT);
	assert_non_null(batch);
	batch_free(batch);
	assert_int_equal(sqlite3_close(shell), SQLITE_OK);
	fixture_remove(&fixture);
}

static void locked_store_is_given_up_at_the_stop(void **state)
{
	(void)state;
	struct store_fixture fixture;
	fixture_start(&fixture);
	sqlite3 *shell = lock_store(&fixture);
	struct batch *batch = wait_batch(&fixture, 10000);
	struct error err = ERROR_INIT;
	assert_true(writer_push(fixture.writer, &batch, 0, &err));
	fixture_close(&fixture);
	assert_int_equal(sqlite3_close(shell), SQLITE_OK);
	fixture_open(&fixture);
	assert_int_equal(fixture_count_deltas(&fixture), 0);
	fixture_remove(&fixture);
}

/* B113: no room is told and tried again; nothing is lost and the old stays. */
static void full_disk_loses_nothing(void **state)
{
	(void)state;
	struct store_fixture fixture;
	fixture_start(&fixture);
	fixture_commit_delta(&fixture, wait_delta(10000));
	/* No byte can be written beyond the first thousand of a file: the next commit has no room.
	 */
	struct rlimit before;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	(void)signal(SIGXFSZ, SIG_IGN);
	const struct rlimit tight = {.rlim_cur = 1000, .rlim_max = before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
	struct error err = ERROR_INIT;
	for (int64_t i = 2; i <= 3; i++) {
		struct batch *batch = wait_batch(&fixture, i * 10000);
		assert_true(writer_push(fixture.writer, &batch, 0, &err));
	}
	await_failing(&fixture, true);
	assert_int_equal(fixture_count_deltas(&fixture), 1);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	await_failing(&fixture, false);
	fixture_commit_delta(&fixture, wait_delta(40000));
	assert_int_equal(fixture_count_deltas(&fixture), 4);
	fixture_remove(&fixture);
}

enum { PRODUCERS = 4, PER_PRODUCER = 100, BATCH_COUNT = PRODUCERS * PER_PRODUCER };

struct producer {
	struct store_fixture *fixture;
	int64_t first_utc_ms;
	bool is_waiting; /* for each commit */
};

static void *produce(void *context)
{
	const struct producer *producer = context;
	for (int64_t i = 0; i < PER_PRODUCER; i++) {
		struct error err = ERROR_INIT;
		struct batch *batch =
			wait_batch(producer->fixture, producer->first_utc_ms + i * 10000);
		struct writer *writer = producer->fixture->writer;
		const bool is_ok =
			producer->is_waiting
				? writer_push_and_wait(writer, &batch, fixture_deadline(), &err)
				: writer_push(writer, &batch, fixture_deadline(), &err);
		if (!is_ok)
			return NULL;
	}
	return context;
}

static void batches_of_many_threads_all_arrive(void **state)
{
	(void)state;
	struct store_fixture fixture;
	fixture_start(&fixture);
	pthread_t threads[PRODUCERS];
	struct producer producers[PRODUCERS];
	for (int i = 0; i < PRODUCERS; i++) {
		/* All at the same milliseconds: each is kept, moved on where it must. */
		producers[i] = (struct producer){&fixture, 1000000, i % 2 == 0};
		assert_int_equal(pthread_create(&threads[i], NULL, produce, &producers[i]), 0);
	}
	for (int i = 0; i < PRODUCERS; i++) {
		void *result = NULL;
		assert_int_equal(pthread_join(threads[i], &result), 0);
		assert_non_null(result);
	}
	fixture_commit_delta(&fixture, wait_delta(1));
	assert_int_equal(fixture_count_deltas(&fixture), BATCH_COUNT + 1);
	assert_int_equal(live_commit(fixture.live), BATCH_COUNT + 1);
	fixture_remove(&fixture);
}

/* Commits until the retention has had its turn, which comes with the first batch after a start. */
static int64_t count_after_upkeep(struct store_fixture *fixture, int64_t expected)
{
	CLEANUP(stop_freep) struct stop *stop = stop_new();
	const int64_t deadline = fixture_deadline();
	int64_t count = fixture_count_deltas(fixture);
	while (count != expected && clock_now().mono_ms < deadline) {
		(void)stop_wait_until(stop, clock_now().mono_ms + 10);
		count = fixture_count_deltas(fixture);
	}
	return count;
}

static void retention_deletes_only_what_is_old(void **state)
{
	(void)state;
	struct store_fixture fixture;
	fixture_start(&fixture);
	const int64_t now = clock_now().utc_ms;
	const int64_t day_ms = 86400000;
	struct batch *batch = batch_new(fixture.target_id);
	for (int64_t i = 0; i < 2; i++) {
		const struct event event = {.target_id = fixture.target_id,
					    .begin_utc_ms = now - i * 3 * day_ms,
					    .end_utc_ms = now - i * 3 * day_ms,
					    .kind = "up",
					    .family = NO_FAMILY,
					    .details = "{}"};
		batch_add_event(batch, &event);
	}
	fixture_commit(&fixture, batch);
	for (int64_t i = 0; i < 300; i++) /* more than one step may delete */
		fixture_commit_delta(&fixture, wait_delta(now - 2 * day_ms - 300000 + i * 1000));
	for (int64_t i = 0; i < 5; i++)
		fixture_commit_delta(&fixture, wait_delta(now - day_ms / 2 + i * 1000));
	assert_int_equal(fixture_count_deltas(&fixture), 305);
	fixture_close(&fixture);
	fixture.keep_ms[RESOLUTION_RAW] = day_ms;
	fixture.keep_ms[RESOLUTION_HOUR] = 2 * day_ms; /* of events too */
	fixture_open(&fixture);
	assert_int_equal(count_after_upkeep(&fixture, 5), 5);
	assert_int_equal(count_events(&fixture), 1);
	fixture_remove(&fixture);
}

/* B104: the store keeps under its cap and knows its size. */
static void oldest_go_when_the_store_is_too_large(void **state)
{
	(void)state;
	struct store_fixture fixture;
	fixture_start(&fixture);
	const int64_t now = clock_now().utc_ms;
	for (int64_t i = 0; i < 200; i++) {
		struct delta *delta = wait_delta(now - (199 - i) * 10000);
		static char names[400][16];
		for (int name = 0; name < 400; name++) {
			(void)snprintf(names[name], sizeof(names[name]), "X%03d", name);
			delta_build_row(delta, names[name], 1000, INT64_MAX, i, 0);
		}
		fixture_commit_delta(&fixture, delta);
	}
	fixture_close(&fixture);
	fixture.max_size_bytes = 1 << 20;
	fixture_open(&fixture);
	CLEANUP(stop_freep) struct stop *stop = stop_new();
	const int64_t deadline = fixture_deadline();
	struct writer_status status = {.store_bytes = INT64_MAX};
	while (status.store_bytes == 0 || status.store_bytes > fixture.max_size_bytes) {
		assert_true(clock_now().mono_ms < deadline);
		(void)stop_wait_until(stop, clock_now().mono_ms + 10);
		writer_status(fixture.writer, &status);
	}
	const int64_t kept = fixture_count_deltas(&fixture);
	assert_true(kept > 20 && kept < 200);
	int64_t last_end = 0;
	struct error err = ERROR_INIT;
	assert_true(
		query_last_end(fixture.reader, fixture.target_id, FAMILY_WAITS, &last_end, &err));
	assert_int_equal(last_end, now);
	fixture_remove(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(batch_is_committed_with_all_its_parts),
		cmocka_unit_test(batch_that_can_not_be_stored_leaves_nothing_behind),
		cmocka_unit_test(push_is_drained_at_the_stop),
		cmocka_unit_test(commits_survive_a_kill),
		cmocka_unit_test(full_queue_times_out_and_leaves_the_batch),
		cmocka_unit_test(who_waits_for_a_locked_store_gets_its_batch_back),
		cmocka_unit_test(locked_store_is_given_up_at_the_stop),
		cmocka_unit_test(full_disk_loses_nothing),
		cmocka_unit_test(batches_of_many_threads_all_arrive),
		cmocka_unit_test(retention_deletes_only_what_is_old),
		cmocka_unit_test(oldest_go_when_the_store_is_too_large),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
