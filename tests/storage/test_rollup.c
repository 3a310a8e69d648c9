/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Roll-ups agree with what they were made from, to the unit: over random histories with gaps, wide
 * intervals, clears without a date and clocks set back, for any range, whatever answers it.
 */
#include "storage/rollup.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "storage/query.h"
#include "storage/reader.h"
#include "tests/storage/store_fixture.h"
#include "tests/support.h"
#include "tests/support/delta_builder.h"

#define MINUTE INT64_C(60000)
#define HOUR   (60 * MINUTE)

enum { START_MS = 1700000000, NAMES = 3 };

static const char *const names[NAMES] = {"LCK_M_X", "PAGELATCH_EX", "WRITELOG"};

/* A store without a writer: the test takes the writer's part. */
struct bench {
	struct store_fixture fixture;
	struct store *store;
	struct reader_pool *pool;
	struct rollup rollup;
	int64_t target_id;
	int64_t now_ms; /* end of the last interval */
	unsigned seed;
};

static int64_t dice(struct bench *bench, int64_t sides)
{
	return rand_r(&bench->seed) % sides;
}

static void bench_open(struct bench *bench)
{
	struct error err = ERROR_INIT;
	bool was_damaged = false;
	const struct store_options options = {.path = bench->fixture.path};
	bench->store = store_open(&options, &was_damaged, &err);
	if (!bench->store || !store_intern_target(bench->store, "prod-01", &bench->target_id, &err))
		fail_msg("%s", err.text);
	bench->pool = reader_pool_open(bench->fixture.path, 1, &err);
	assert_non_null(bench->pool);
}

static void bench_start(struct bench *bench, unsigned seed)
{
	*bench = (struct bench){.now_ms = START_MS, .seed = seed};
	fixture_make(&bench->fixture);
	bench_open(bench);
}

static void bench_close(struct bench *bench)
{
	reader_pool_close(TAKE(bench->pool));
	store_close(TAKE(bench->store));
	rollup_done(&bench->rollup);
	bench->rollup = (struct rollup){0};
}

static void bench_end(struct bench *bench)
{
	bench_close(bench);
	fixture_remove(&bench->fixture);
}

static void put(struct bench *bench, struct delta *delta, bool is_dated_back)
{
	struct error err = ERROR_INIT;
	CLEANUP(batch_freep) struct batch *batch = batch_new(bench->target_id);
	batch->deltas[delta->family] = delta;
	batch->is_dated_back[delta->family] = is_dated_back;
	const struct batch *batches[] = {batch};
	if (!store_commit(bench->store, batches, 1, &err))
		fail_msg("store_commit: %s", err.text);
}

/* An interval of some width, with random counters. */
static void poll(struct bench *bench, int64_t interval_ms, bool has_rate, bool is_dated_back)
{
	struct delta *delta = delta_build(FAMILY_WAITS, bench->now_ms, has_rate ? interval_ms : 0);
	delta->has_rate = has_rate;
	delta->quality = has_rate ? QUALITY_EXACT : QUALITY_AFTER_CLEAR;
	for (int i = 0; i < NAMES; i++)
		if (dice(bench, 3) > 0)
			delta_build_row(delta, names[i], dice(bench, 1000), dice(bench, 100000),
					dice(bench, 50), 0);
	put(bench, delta, is_dated_back);
}

/* Some hours of a server's life. */
static void live_on(struct bench *bench, int64_t for_ms)
{
	const int64_t end_ms = bench->now_ms + for_ms;
	while (bench->now_ms < end_ms) {
		const int64_t kind = dice(bench, 100);
		const int64_t width_ms = kind == 0   ? HOUR + dice(bench, 3 * HOUR)
					 : kind <= 3 ? MINUTE + dice(bench, 10 * MINUTE)
						     : 9000 + dice(bench, 2000);
		const int64_t hole_ms = kind == 4 ? dice(bench, 30 * MINUTE) : 0;
		bench->now_ms += hole_ms + width_ms;
		poll(bench, width_ms, kind != 5, false);
	}
}

static void roll(struct bench *bench)
{
	struct error err = ERROR_INIT;
	bool is_busy = true;
	bench->rollup.round_mono_ms = 0;
	while (is_busy)
		if (!rollup_step(&bench->rollup, bench->store,
				 (struct instant){.mono_ms = 1, .utc_ms = bench->now_ms}, &is_busy,
				 &err))
			fail_msg("rollup_step: %s", err.text);
}

static bool add_to(void *context, const struct stored_delta *stored)
{
	series_add_piece(context, &stored->piece);
	return true;
}

/* A range as it is answered from raw frames, or from what the plan chooses. */
static struct series *ask(struct bench *bench, int64_t start, int64_t end, int64_t step,
			  bool is_raw, unsigned *resolutions)
{
	struct error err = ERROR_INIT;
	int64_t damaged_count = 0;
	struct reader *reader = reader_borrow(bench->pool, fixture_deadline(), &err);
	assert_non_null(reader);
	struct resolution_plan plan = resolution_plan_raw(start, end);
	if (!is_raw)
		assert_true(query_plan(reader, bench->target_id, FAMILY_WAITS, start, end, step,
				       &plan, &err));
	for (int i = 0; i < plan.count; i++)
		*resolutions |= 1U << plan.pieces[i].resolution;
	struct series *series = series_new(FAMILY_WAITS, start, end, step > 0 ? step : end + 1);
	if (!query_range(reader, bench->target_id, FAMILY_WAITS, &plan, add_to, series,
			 &damaged_count, &err))
		fail_msg("query_range: %s", err.text);
	assert_int_equal(damaged_count, 0);
	reader_return(reader);
	return series;
}

static bool is_near(double a, double b)
{
	return a - b < 0.001 && b - a < 0.001; /* roll-ups keep thousandths */
}

static void expect_same_name(const struct series *raw, size_t i, const struct series *rolled,
			     bool has_buckets)
{
	const struct series_name *const left = &raw->names[i];
	const struct series_name *const right = &rolled->names[i];
	assert_string_equal(left->name, right->name);
	assert_memory_equal(left->total, right->total, sizeof(left->total));
	assert_int_equal(left->interval_count, right->interval_count);
	for (size_t b = 0; has_buckets && b < raw->bucket_count; b++) {
		for (int c = 0; c < 3; c++)
			assert_true(left->sums[c][b] == right->sums[c][b]);
		assert_true(is_near(left->max_rate[b], right->max_rate[b]));
	}
}

static void expect_same(struct bench *bench, int64_t start, int64_t end, int64_t step,
			unsigned *resolutions)
{
	unsigned of_raw = 0;
	CLEANUP(series_freep) struct series *raw = ask(bench, start, end, step, true, &of_raw);
	CLEANUP(series_freep)
	struct series *rolled = ask(bench, start, end, step, false, resolutions);
	assert_int_equal(raw->name_count, rolled->name_count);
	assert_memory_equal(raw->covered_ms, rolled->covered_ms,
			    raw->bucket_count * sizeof(*raw->covered_ms));
	for (size_t i = 0; i < raw->name_count; i++)
		expect_same_name(raw, i, rolled, step > 0);
}

static void expect_any_range_agrees(struct bench *bench)
{
	static const int64_t steps[] = {0, 10000, MINUTE, 5 * MINUTE, HOUR, 2 * HOUR};
	unsigned resolutions = 0;
	const int64_t span_ms = bench->now_ms - START_MS;
	for (int i = 0; i < 60; i++) {
		const int64_t step = steps[dice(bench, sizeof(steps) / sizeof(steps[0]))];
		const int64_t unit = dice(bench, 2) ? MINUTE : 1;
		const int64_t start = (START_MS + dice(bench, span_ms)) / unit * unit;
		const int64_t end = start + (1 + dice(bench, span_ms)) / unit * unit + unit;
		expect_same(bench, start, end, step, &resolutions);
	}
	assert_int_equal(resolutions, 7); /* or this test is about nothing */
}

static void any_range_agrees_to_the_unit(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 6; seed++) {
		struct bench bench;
		bench_start(&bench, seed);
		for (int i = 0; i < 3; i++) {
			live_on(&bench, 3 * HOUR);
			roll(&bench);
		}
		expect_any_range_agrees(&bench);
		bench_end(&bench);
	}
}

static void gap_of_thirty_hours_enters_whole(void **state)
{
	(void)state;
	struct bench bench;
	bench_start(&bench, 7);
	live_on(&bench, 2 * HOUR);
	bench.now_ms += 30 * HOUR;
	poll(&bench, 30 * HOUR, true, false);
	live_on(&bench, 2 * HOUR);
	roll(&bench);
	expect_any_range_agrees(&bench);
	bench_end(&bench);
}

static void work_that_was_missed_is_caught_up(void **state)
{
	(void)state;
	struct bench bench;
	bench_start(&bench, 8);
	live_on(&bench, 5 * HOUR);
	bench_close(&bench); /* never rolled up */
	bench_open(&bench);
	roll(&bench);
	assert_true(bench.rollup.frame_count > 100);
	expect_any_range_agrees(&bench);
	const int64_t made = bench.rollup.frame_count;
	roll(&bench);
	assert_int_equal(bench.rollup.frame_count, made);
	bench_end(&bench);
}

static void clock_that_is_set_back_has_it_made_anew(void **state)
{
	(void)state;
	struct bench bench;
	bench_start(&bench, 9);
	live_on(&bench, 4 * HOUR);
	roll(&bench);
	const int64_t later_ms = bench.now_ms;
	bench.now_ms -= 2 * HOUR;
	while (bench.now_ms < later_ms + HOUR) {
		bench.now_ms += 10000;
		poll(&bench, 10000, true, bench.now_ms < later_ms + 10000);
	}
	roll(&bench);
	expect_any_range_agrees(&bench);
	bench_end(&bench);
}

static void damaged_raw_frames_do_not_stop_it(void **state)
{
	(void)state;
	struct bench bench;
	bench_start(&bench, 10);
	live_on(&bench, 2 * HOUR);
	struct error err = ERROR_INIT;
	assert_true(database_run(
		&bench.store->database,
		"UPDATE frame SET body = x'01' WHERE t = (SELECT min(t) FROM frame)", &err));
	roll(&bench);
	assert_true(bench.rollup.frame_count > 20);
	bench_end(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_range_agrees_to_the_unit),
		cmocka_unit_test(gap_of_thirty_hours_enters_whole),
		cmocka_unit_test(work_that_was_missed_is_caught_up),
		cmocka_unit_test(clock_that_is_set_back_has_it_made_anew),
		cmocka_unit_test(damaged_raw_frames_do_not_stop_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
