/* SPDX-License-Identifier: Apache-2.0 */
/* Buckets: shares add up, the range clips, what nobody covered stays unknown. */
#include "storage/series.h"

#include <string.h>

#include "tests/support.h"
#include "tests/support/delta_builder.h"

static void add_wait(struct series *series, int64_t end, int64_t interval, const char *name,
		     int64_t waits, int64_t wait_ms)
{
	struct delta *delta = delta_build(FAMILY_WAITS, end, interval);
	delta_build_row(delta, name, waits, wait_ms, 0, 0);
	series_add(series, delta);
	delta_free(delta);
}

static int64_t sum(const struct series *series, const int64_t *values)
{
	int64_t total = 0;
	for (size_t i = 0; i < series->bucket_count; i++)
		total += values[i];
	return total;
}

static void buckets_are_aligned_to_the_epoch(void **state)
{
	(void)state;
	CLEANUP(series_freep) struct series *series = series_new(FAMILY_WAITS, 12345, 30001, 10000);
	assert_int_equal(series->start_utc_ms, 10000);
	assert_int_equal(series->bucket_count, 3);
}

static void shares_of_one_interval_add_up_exactly(void **state)
{
	(void)state;
	CLEANUP(series_freep) struct series *series = series_new(FAMILY_WAITS, 0, 70000, 10000);
	/* 100 units over 7 buckets by thirds and tenths that do not divide. */
	add_wait(series, 68999, 68997, "W", 100, INT64_MAX);
	const struct series_name *name = &series->names[0];
	assert_int_equal(sum(series, name->sums[WAITS_COUNT]), 100);
	assert_true(sum(series, name->sums[WAITS_TIME_MS]) == INT64_MAX);
	assert_int_equal(name->total[WAITS_COUNT], 100);
	assert_true(name->total[WAITS_TIME_MS] == INT64_MAX);
}

static void share_is_the_difference_of_running_floors(void **state)
{
	(void)state;
	CLEANUP(series_freep) struct series *series = series_new(FAMILY_WAITS, 0, 30000, 10000);
	add_wait(series, 30000, 30000, "W", 10, 100);
	const int64_t *waits = series->names[0].sums[WAITS_COUNT];
	assert_int_equal(waits[0], 3);
	assert_int_equal(waits[1], 3);
	assert_int_equal(waits[2], 4);
}

static void two_halves_of_a_range_add_up_to_the_whole(void **state)
{
	(void)state;
	CLEANUP(series_freep) struct series *left = series_new(FAMILY_WAITS, 0, 15000, 5000);
	CLEANUP(series_freep) struct series *right = series_new(FAMILY_WAITS, 15000, 40000, 5000);
	add_wait(left, 31000, 30011, "W", 1001, 77);
	add_wait(right, 31000, 30011, "W", 1001, 77);
	assert_int_equal(left->names[0].total[0] + right->names[0].total[0], 1001);
	assert_int_equal(left->names[0].total[1] + right->names[0].total[1], 77);
}

static void range_clips_totals_buckets_and_cover_alike(void **state)
{
	(void)state;
	CLEANUP(series_freep) struct series *series = series_new(FAMILY_WAITS, 15000, 25000, 10000);
	add_wait(series, 30000, 20000, "W", 2000, 0);
	const struct series_name *name = &series->names[0];
	assert_int_equal(series->bucket_count, 2);
	assert_int_equal(name->total[WAITS_COUNT], 1000);
	assert_int_equal(name->sums[WAITS_COUNT][0], 500);
	assert_int_equal(name->sums[WAITS_COUNT][1], 500);
	assert_int_equal(series->covered_ms[0], 5000);
	assert_int_equal(series->covered_ms[1], 5000);
}

static void interval_that_ends_where_the_range_begins_adds_nothing(void **state)
{
	(void)state;
	CLEANUP(series_freep) struct series *series = series_new(FAMILY_WAITS, 10000, 20000, 10000);
	add_wait(series, 10000, 10000, "W", 5, 5);
	add_wait(series, 30000, 10000, "W", 5, 5);
	assert_int_equal(series->name_count, 0);
	assert_int_equal(series->covered_ms[0], 0);
}

static void bucket_that_nothing_covers_is_not_covered(void **state)
{
	(void)state;
	CLEANUP(series_freep) struct series *series = series_new(FAMILY_WAITS, 0, 30000, 10000);
	add_wait(series, 10000, 10000, "W", 1, 1);
	add_wait(series, 30000, 10000, "W", 1, 1);
	assert_int_equal(series->covered_ms[0], 10000);
	assert_int_equal(series->covered_ms[1], 0);
	assert_int_equal(series->covered_ms[2], 10000);
}

static void empty_delta_covers_with_zero(void **state)
{
	(void)state;
	CLEANUP(series_freep) struct series *series = series_new(FAMILY_WAITS, 0, 10000, 10000);
	struct delta *delta = delta_build(FAMILY_WAITS, 10000, 10000);
	series_add(series, delta);
	delta_free(delta);
	assert_int_equal(series->covered_ms[0], 10000);
	assert_int_equal(series->name_count, 0);
}

static void delta_without_rate_counts_at_its_end_and_covers_nothing(void **state)
{
	(void)state;
	CLEANUP(series_freep) struct series *series = series_new(FAMILY_WAITS, 0, 30000, 10000);
	struct delta *delta = delta_build(FAMILY_WAITS, 20000, 0);
	delta_build_row(delta, "W", 7, 9, 0, 0);
	delta->has_rate = false;
	series_add(series, delta);
	delta_free(delta);
	assert_int_equal(series->names[0].sums[WAITS_COUNT][1], 7);
	assert_int_equal(series->names[0].total[WAITS_TIME_MS], 9);
	assert_int_equal(sum(series, series->covered_ms), 0);
	assert_true(series->names[0].max_rate[1] == 0.0);
}

static void delta_without_rate_outside_the_range_adds_nothing(void **state)
{
	(void)state;
	CLEANUP(series_freep) struct series *series = series_new(FAMILY_WAITS, 10000, 20000, 10000);
	for (int64_t end = 10000; end <= 20001; end += 10001) {
		struct delta *delta = delta_build(FAMILY_WAITS, end, 0);
		delta_build_row(delta, "W", 7, 9, 0, 0);
		delta->has_rate = false;
		series_add(series, delta);
		delta_free(delta);
	}
	assert_int_equal(series->name_count, 0);
}

static void max_rate_is_the_largest_that_touches_the_bucket(void **state)
{
	(void)state;
	CLEANUP(series_freep) struct series *series = series_new(FAMILY_WAITS, 0, 20000, 10000);
	add_wait(series, 5000, 5000, "W", 1, 5000);
	add_wait(series, 12000, 7000, "W", 1, 14000);
	add_wait(series, 20000, 8000, "W", 1, 800);
	assert_true(series->names[0].max_rate[0] == 2000.0);
	assert_true(series->names[0].max_rate[1] == 2000.0);
}

/* B114: the sum of many large values. */
static void sum_stays_at_the_largest_number(void **state)
{
	(void)state;
	CLEANUP(series_freep) struct series *series = series_new(FAMILY_WAITS, 0, 30000, 30000);
	for (int64_t end = 10000; end <= 30000; end += 10000)
		add_wait(series, end, 10000, "W", 1, INT64_MAX / 2);
	assert_true(series->names[0].total[WAITS_TIME_MS] == INT64_MAX);
	assert_true(series->names[0].sums[WAITS_TIME_MS][0] == INT64_MAX);
	assert_int_equal(series->names[0].total[WAITS_COUNT], 3);
}

static void names_are_merged_and_sorted(void **state)
{
	(void)state;
	CLEANUP(series_freep) struct series *series = series_new(FAMILY_WAITS, 0, 20000, 10000);
	add_wait(series, 10000, 10000, "B", 1, 1);
	struct delta *delta = delta_build(FAMILY_WAITS, 20000, 10000);
	delta_build_row(delta, "A", 1, 1, 0, 0);
	delta_build_row(delta, "B", 2, 1, 0, 0);
	delta_build_row(delta, "C", 1, 1, 0, 0);
	delta->rows[1].flags = DELTA_LATE;
	series_add(series, delta);
	delta_free(delta);
	assert_int_equal(series->name_count, 3);
	assert_string_equal(series->names[0].name, "A");
	assert_string_equal(series->names[1].name, "B");
	assert_int_equal(series->names[1].total[WAITS_COUNT], 3);
	assert_int_equal(series->names[1].late_count, 1);
	assert_string_equal(series->names[2].name, "C");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets_are_aligned_to_the_epoch),
		cmocka_unit_test(shares_of_one_interval_add_up_exactly),
		cmocka_unit_test(share_is_the_difference_of_running_floors),
		cmocka_unit_test(two_halves_of_a_range_add_up_to_the_whole),
		cmocka_unit_test(range_clips_totals_buckets_and_cover_alike),
		cmocka_unit_test(interval_that_ends_where_the_range_begins_adds_nothing),
		cmocka_unit_test(bucket_that_nothing_covers_is_not_covered),
		cmocka_unit_test(empty_delta_covers_with_zero),
		cmocka_unit_test(delta_without_rate_counts_at_its_end_and_covers_nothing),
		cmocka_unit_test(delta_without_rate_outside_the_range_adds_nothing),
		cmocka_unit_test(max_rate_is_the_largest_that_touches_the_bucket),
		cmocka_unit_test(sum_stays_at_the_largest_number),
		cmocka_unit_test(names_are_merged_and_sorted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
