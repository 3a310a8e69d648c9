/* SPDX-License-Identifier: Apache-2.0 */
/* Deltas that were written come back: by range, by commit, damaged ones passed over. */
#include "storage/query.h"

#include <sqlite3.h>
#include <string.h>

#include "daemon/base/alloc.h"
#include "tests/storage/store_fixture.h"
#include "tests/support.h"
#include "tests/support/delta_builder.h"

enum { HOUR_MS = 3600000 };

static bool note_end(void *context, const struct stored_delta *stored)
{
	return seen_note(context, stored->delta.end_utc_ms);
}

static struct seen ends_between(struct store_fixture *fixture, int64_t start, int64_t end)
{
	struct error err = ERROR_INIT;
	struct seen seen = {0};
	int64_t damaged_count = 0;
	if (!query_deltas(fixture_read(fixture), fixture->target_id, FAMILY_WAITS, start, end,
			  note_end, &seen, &damaged_count, &err))
		fail_msg("query_deltas: %s", err.text);
	return seen;
}

static bool keep_delta(void *context, const struct stored_delta *stored)
{
	const struct delta *delta = &stored->delta;
	assert_int_equal(delta->family, FAMILY_SPINLOCKS);
	assert_int_equal(delta->quality, QUALITY_AFTER_CLEAR);
	assert_false(delta->has_rate);
	assert_int_equal(delta->interval_ms, 7000);
	assert_int_equal(delta->elapsed_ms, 10000);
	assert_int_equal(delta->flags, DELTA_ANOMALY);
	assert_int_equal(delta->row_count, 2);
	assert_string_equal(delta->rows[0].name, "LOCK_HASH");
	assert_int_equal(delta->rows[0].counters[SPINLOCKS_BACKOFFS], 4);
	assert_string_equal(delta->rows[1].name, "SOS_CACHESTORE");
	assert_true(delta->rows[1].counters[SPINLOCKS_SPINS] == INT64_MAX);
	*(int64_t *)context = stored->commit_id;
	return true;
}

static void delta_comes_back_as_it_was(void **state)
{
	(void)state;
	struct store_fixture fixture;
	fixture_start(&fixture);
	struct delta *delta = delta_build(FAMILY_SPINLOCKS, 20000, 7000);
	delta->quality = QUALITY_AFTER_CLEAR;
	delta->has_rate = false;
	delta->elapsed_ms = 10000;
	delta_build_row(delta, "LOCK_HASH", 1, 2, 3, 4);
	delta_build_row(delta, "SOS_CACHESTORE", 0, INT64_MAX, 0, 0);
	delta->rows[1].flags = DELTA_ANOMALY;
	delta->flags = DELTA_ANOMALY;
	fixture_commit_delta(&fixture, delta);
	struct error err = ERROR_INIT;
	int64_t commit_id = 0;
	int64_t damaged_count = 0;
	assert_true(query_deltas(fixture_read(&fixture), fixture.target_id, FAMILY_SPINLOCKS, 0,
				 100000, keep_delta, &commit_id, &damaged_count, &err));
	assert_int_equal(commit_id, 1);
	fixture_remove(&fixture);
}

static void range_takes_what_touches_it_and_nothing_else(void **state)
{
	(void)state;
	struct store_fixture fixture;
	fixture_start(&fixture);
	for (int64_t t = 10000; t <= 60000; t += 10000)
		fixture_commit_waits(&fixture, t, 10000);
	struct seen seen = ends_between(&fixture, 20000, 40000);
	seen_expect(&seen, (const int64_t[]){30000, 40000}, 2);
	seen = ends_between(&fixture, 19999, 40001);
	seen_expect(&seen, (const int64_t[]){20000, 30000, 40000, 50000}, 4);
	seen = ends_between(&fixture, 60000, 90000);
	assert_int_equal(seen.count, 0);
	fixture_remove(&fixture);
}

static void gap_of_thirty_hours_is_found_from_inside(void **state)
{
	(void)state;
	struct store_fixture fixture;
	fixture_start(&fixture);
	const int64_t end = 31LL * HOUR_MS;
	fixture_commit_waits(&fixture, HOUR_MS, 10000);
	fixture_commit_waits(&fixture, end, 30LL * HOUR_MS);
	fixture_commit_waits(&fixture, end + 10000, 10000);
	const struct seen seen = ends_between(&fixture, 5LL * HOUR_MS, 6LL * HOUR_MS);
	seen_expect(&seen, &end, 1);
	fixture_remove(&fixture);
}

static void baseline_comes_along_when_its_end_is_inside(void **state)
{
	(void)state;
	struct store_fixture fixture;
	fixture_start(&fixture);
	struct delta *delta = delta_build(FAMILY_WAITS, 20000, 0);
	delta->quality = QUALITY_BASELINE;
	fixture_commit_delta(&fixture, delta);
	assert_int_equal(ends_between(&fixture, 10000, 20000).count, 1);
	assert_int_equal(ends_between(&fixture, 20000, 30000).count, 0);
	assert_int_equal(ends_between(&fixture, 10000, 19999).count, 0);
	fixture_remove(&fixture);
}

/* B028: no batch fails because something of that time is there already. */
static void same_millisecond_is_kept_a_millisecond_later(void **state)
{
	(void)state;
	struct store_fixture fixture;
	fixture_start(&fixture);
	for (int i = 0; i < 3; i++)
		fixture_commit_waits(&fixture, 20000, 10000);
	const struct seen seen = ends_between(&fixture, 0, 30000);
	seen_expect(&seen, (const int64_t[]){20000, 20001, 20002}, 3);
	fixture_remove(&fixture);
}

static void after_commit_gives_the_order_of_commits(void **state)
{
	(void)state;
	struct store_fixture fixture;
	fixture_start(&fixture);
	fixture_commit_waits(&fixture, 50000, 10000);
	fixture_commit_waits(&fixture, 60000, 10000);
	fixture_commit_waits(&fixture, 20000, 10000); /* the clock was set back */
	fixture_commit_waits(&fixture, 30000, 10000);
	struct error err = ERROR_INIT;
	struct seen seen = {0};
	assert_true(query_deltas_after_commit(fixture_read(&fixture), fixture.target_id,
					      FAMILY_WAITS, 0, 1, note_end, &seen, &err));
	seen_expect(&seen, (const int64_t[]){60000, 20000, 30000}, 3);
	seen.count = 0;
	assert_true(query_deltas_after_commit(fixture.reader, fixture.target_id, FAMILY_WAITS,
					      20000, 1, note_end, &seen, &err));
	seen_expect(&seen, (const int64_t[]){60000, 30000}, 2);
	int64_t last_end = 0;
	assert_true(
		query_last_end(fixture.reader, fixture.target_id, FAMILY_WAITS, &last_end, &err));
	assert_int_equal(last_end, 60000);
	assert_true(
		query_last_end(fixture.reader, fixture.target_id, FAMILY_LATCHES, &last_end, &err));
	assert_int_equal(last_end, 0);
	fixture_remove(&fixture);
}

static void damaged_frame_is_counted_and_passed_over(void **state)
{
	(void)state;
	struct store_fixture fixture;
	fixture_start(&fixture);
	for (int64_t t = 10000; t <= 30000; t += 10000)
		fixture_commit_waits(&fixture, t, 10000);
	sqlite3 *shell = NULL;
	assert_int_equal(sqlite3_open(fixture.path, &shell), SQLITE_OK);
	assert_int_equal(sqlite3_exec(shell, "UPDATE frame SET body = x'01ff' WHERE t = 20000",
				      NULL, NULL, NULL),
			 SQLITE_OK);
	assert_int_equal(sqlite3_close(shell), SQLITE_OK);
	struct error err = ERROR_INIT;
	struct seen seen = {0};
	int64_t damaged_count = 0;
	assert_true(query_deltas(fixture_read(&fixture), fixture.target_id, FAMILY_WAITS, 0, 90000,
				 note_end, &seen, &damaged_count, &err));
	seen_expect(&seen, (const int64_t[]){10000, 30000}, 2);
	assert_int_equal(damaged_count, 1);
	fixture_remove(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(delta_comes_back_as_it_was),
		cmocka_unit_test(range_takes_what_touches_it_and_nothing_else),
		cmocka_unit_test(gap_of_thirty_hours_is_found_from_inside),
		cmocka_unit_test(baseline_comes_along_when_its_end_is_inside),
		cmocka_unit_test(same_millisecond_is_kept_a_millisecond_later),
		cmocka_unit_test(after_commit_gives_the_order_of_commits),
		cmocka_unit_test(damaged_frame_is_counted_and_passed_over),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
