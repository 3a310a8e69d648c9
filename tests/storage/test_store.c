/* SPDX-License-Identifier: Apache-2.0 */
/* Opening the store: ours, somebody else's, too new, damaged, taken. */
#include "storage/store.h"

#include <glob.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/alloc.h"
#include "tests/storage/store_fixture.h"
#include "tests/support.h"
#include "tests/support/delta_builder.h"

static struct store *open_at(const char *path, bool *was_damaged, struct error *err)
{
	const struct store_options options = {.path = path};
	return store_open(&options, was_damaged, err);
}

static void run_sql(const char *path, const char *sql)
{
	sqlite3 *handle = NULL;
	assert_int_equal(sqlite3_open(path, &handle), SQLITE_OK);
	assert_int_equal(sqlite3_exec(handle, sql, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_close(handle), SQLITE_OK);
}

static void overwrite(const char *path, long offset, size_t size)
{
	FILE *file = fopen(path, "r+b");
	assert_non_null(file);
	assert_int_equal(fseek(file, offset, SEEK_SET), 0);
	for (size_t i = 0; i < size; i++)
		assert_true(fputc(0xa5, file) != EOF);
	assert_int_equal(fclose(file), 0);
}

static int count_damaged(const char *folder)
{
	/* The last letter tells the file from its -wal and -shm. */
	CLEANUP(freep) char *pattern = xasprintf("%s/latchd.db.damaged-*Z", folder);
	glob_t files;
	if (glob(pattern, 0, NULL, &files) != 0)
		return 0;
	const int count = (int)files.gl_pathc;
	globfree(&files);
	return count;
}

/* Makes a store of ours with some content and closes it. */
static void make_store(struct store_fixture *fixture)
{
	fixture_start(fixture);
	for (int64_t t = 10000; t <= 500000; t += 10000) {
		struct delta *delta = delta_build(FAMILY_WAITS, t, 10000);
		delta_build_row(delta, "WRITELOG", 1, t, 0, 0);
		fixture_commit_delta(fixture, delta);
	}
	fixture_close(fixture);
}

static void expect_refused(struct store_fixture *fixture, enum error_kind kind)
{
	struct error err = ERROR_INIT;
	bool was_damaged = false;
	struct store *store = open_at(fixture->path, &was_damaged, &err);
	assert_null(store);
	assert_int_equal(err.kind, kind);
	assert_int_equal(count_damaged(fixture->folder), 0);
	fixture_remove(fixture);
}

static void expect_moved_aside(struct store_fixture *fixture)
{
	struct error err = ERROR_INIT;
	bool was_damaged = false;
	struct store *store = open_at(fixture->path, &was_damaged, &err);
	if (!store)
		fail_msg("store_open: %s", err.text);
	assert_true(was_damaged);
	store_close(store);
	assert_int_equal(count_damaged(fixture->folder), 1);
	fixture_open(fixture);
	assert_int_equal(fixture_count_deltas(fixture), 0);
	fixture_remove(fixture);
}

static void file_of_another_program_is_refused(void **state)
{
	(void)state;
	struct store_fixture fixture;
	fixture_make(&fixture);
	run_sql(fixture.path, "CREATE TABLE t (x); PRAGMA application_id = 7");
	expect_refused(&fixture, ERROR_INVALID);
}

static void file_that_is_no_database_is_refused(void **state)
{
	(void)state;
	struct store_fixture fixture;
	fixture_make(&fixture);
	FILE *file = fopen(fixture.path, "wb");
	assert_non_null(file);
	for (int i = 0; i < 500; i++)
		assert_true(fputs("root:x:0:0:root\n", file) != EOF);
	assert_int_equal(fclose(file), 0);
	struct error err = ERROR_INIT;
	bool was_damaged = false;
	assert_null(open_at(fixture.path, &was_damaged, &err));
	/* Refused for good: the first attempt leaves nothing that makes it look like ours. */
	expect_refused(&fixture, ERROR_INVALID);
}

static void newer_schema_is_refused(void **state)
{
	(void)state;
	struct store_fixture fixture;
	make_store(&fixture);
	run_sql(fixture.path, "PRAGMA user_version = 999");
	expect_refused(&fixture, ERROR_UNSUPPORTED);
}

static void second_opener_conflicts(void **state)
{
	(void)state;
	struct store_fixture fixture;
	fixture_start(&fixture);
	expect_refused(&fixture, ERROR_CONFLICT);
}

static void folder_that_is_not_there_is_an_error(void **state)
{
	(void)state;
	struct error err = ERROR_INIT;
	bool was_damaged = false;
	assert_null(open_at("/nonexistent/latchd.db", &was_damaged, &err));
	assert_int_equal(err.kind, ERROR_IO);
}

static void damaged_pages_move_the_file_aside(void **state)
{
	(void)state;
	struct store_fixture fixture;
	make_store(&fixture);
	overwrite(fixture.path, 4096, 16384);
	expect_moved_aside(&fixture);
}

static void damaged_head_moves_the_file_aside(void **state)
{
	(void)state;
	struct store_fixture fixture;
	make_store(&fixture);
	overwrite(fixture.path, 0, 100);
	expect_moved_aside(&fixture);
}

static void cut_file_is_moved_aside(void **state)
{
	(void)state;
	struct store_fixture fixture;
	make_store(&fixture);
	assert_int_equal(truncate(fixture.path, 12288), 0);
	expect_moved_aside(&fixture);
}

static void target_keeps_its_id(void **state)
{
	(void)state;
	struct store_fixture fixture;
	fixture_start(&fixture);
	fixture_close(&fixture);
	struct error err = ERROR_INIT;
	bool was_damaged = false;
	struct store *store = open_at(fixture.path, &was_damaged, &err);
	int64_t second = 0;
	int64_t first = 0;
	assert_true(store_intern_target(store, "prod-02", &second, &err));
	assert_true(store_intern_target(store, "prod-01", &first, &err));
	store_close(store);
	assert_int_equal(first, fixture.target_id);
	assert_int_equal(second, first + 1);
	fixture_remove(&fixture);
}

static void baseline_is_kept_over_a_restart(void **state)
{
	(void)state;
	struct store_fixture fixture;
	fixture_start(&fixture);
	struct batch *batch = batch_new(fixture.target_id);
	batch->baselines[FAMILY_LATCHES] = baseline_build(FAMILY_LATCHES, "BUFFER", 20000001);
	batch->baselines[FAMILY_LATCHES]->heartbeat_ms_per_s[2] = 1000.5;
	fixture_commit(&fixture, batch);
	fixture_close(&fixture);
	struct error err = ERROR_INIT;
	bool was_damaged = false;
	struct store *store = open_at(fixture.path, &was_damaged, &err);
	CLEANUP(baseline_freep) struct baseline *baseline = NULL;
	assert_true(store_load_baseline(store, fixture.target_id, FAMILY_LATCHES, &baseline, &err));
	assert_non_null(baseline);
	assert_string_equal(baseline->sample->epoch.server_name, "SQL01");
	assert_int_equal(baseline->sample->epoch.ms_ticks, 5000000);
	assert_int_equal(baseline->sample->taken.utc_ms, 1700000000000);
	assert_int_equal(sample_find(baseline->sample, "BUFFER")->counters[0], 20000001);
	assert_true(baseline->heartbeat_ms_per_s[2] == 1000.5);
	struct baseline *none = baseline;
	assert_true(store_load_baseline(store, fixture.target_id, FAMILY_WAITS, &none, &err));
	assert_null(none);
	store_close(store);
	fixture_remove(&fixture);
}

static void damaged_baseline_is_none(void **state)
{
	(void)state;
	struct store_fixture fixture;
	fixture_start(&fixture);
	struct batch *batch = batch_new(fixture.target_id);
	batch->baselines[FAMILY_LATCHES] = baseline_build(FAMILY_LATCHES, "BUFFER", 1);
	fixture_commit(&fixture, batch);
	fixture_close(&fixture);
	run_sql(fixture.path, "UPDATE baseline SET body = x'0102030405'");
	struct error err = ERROR_INIT;
	bool was_damaged = false;
	struct store *store = open_at(fixture.path, &was_damaged, &err);
	struct baseline *baseline = NULL;
	assert_true(store_load_baseline(store, fixture.target_id, FAMILY_LATCHES, &baseline, &err));
	assert_null(baseline);
	store_close(store);
	fixture_remove(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(file_of_another_program_is_refused),
		cmocka_unit_test(file_that_is_no_database_is_refused),
		cmocka_unit_test(newer_schema_is_refused),
		cmocka_unit_test(second_opener_conflicts),
		cmocka_unit_test(folder_that_is_not_there_is_an_error),
		cmocka_unit_test(damaged_pages_move_the_file_aside),
		cmocka_unit_test(damaged_head_moves_the_file_aside),
		cmocka_unit_test(cut_file_is_moved_aside),
		cmocka_unit_test(target_keeps_its_id),
		cmocka_unit_test(baseline_is_kept_over_a_restart),
		cmocka_unit_test(damaged_baseline_is_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
