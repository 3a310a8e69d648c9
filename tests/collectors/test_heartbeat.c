/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Heartbeats against a simulated server: background tasks that book whole cycles when they end,
 * polled with jitter. Its clears are known to the millisecond, so that what is found can be
 * compared. Deterministic: one seed, no clock.
 */
#include "collectors/heartbeat.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/alloc.h"
#include "tests/support.h"

enum { TASK_COUNT = 6, WORK_COUNT = 20 };

/* A background task: sleeps for a cycle, books it when it ends. Two lazy writers: two nodes. */
struct beat {
	const char *name;
	int64_t cycle_ms;
	int64_t due_ms;
	int64_t count;
	int64_t time_ms;
	int64_t max_ms;
};

struct world {
	uint64_t random;
	int64_t now_ms;
	int beat_count;
	bool credits_whole; /* the cycle in progress at a clear is booked whole when it ends */
	int64_t cleared_ms;
	struct beat beats[TASK_COUNT];
	int64_t work_count[WORK_COUNT];
	int64_t work_ms[WORK_COUNT];
};

static int64_t random_below(struct world *world, int64_t limit)
{
	world->random = world->random * 6364136223846793005u + 1442695040888963407u;
	return (int64_t)((world->random >> 33) % (uint64_t)limit);
}

static void world_init(struct world *world, uint64_t seed, bool credits_whole)
{
	static const struct beat beats[TASK_COUNT] = {
		{"REQUEST_FOR_DEADLOCK_SEARCH", 5000, 0, 0, 0, 0},
		{"XE_TIMER_EVENT", 5000, 0, 0, 0, 0},
		{"SQLTRACE_INCREMENTAL_FLUSH_SLEEP", 4000, 0, 0, 0, 0},
		{"LAZYWRITER_SLEEP", 1000, 0, 0, 0, 0},
		{"LAZYWRITER_SLEEP", 1000, 0, 0, 0, 0},
		{"DIRTY_PAGE_POLL", 100, 0, 0, 0, 0},
	};
	memset(world, 0, sizeof(*world));
	world->random = seed;
	world->credits_whole = credits_whole;
	world->beat_count = TASK_COUNT;
	memcpy(world->beats, beats, sizeof(beats));
	for (int i = 0; i < TASK_COUNT; i++)
		world->beats[i].due_ms = random_below(world, beats[i].cycle_ms) + 1;
}

static void beat_until(struct world *world, struct beat *beat, int64_t ms)
{
	while (beat->due_ms <= ms) {
		int64_t slept_ms = beat->cycle_ms;
		if (!world->credits_whole && beat->due_ms - slept_ms < world->cleared_ms)
			slept_ms = beat->due_ms - world->cleared_ms;
		beat->count++;
		beat->time_ms += slept_ms;
		if (slept_ms > beat->max_ms)
			beat->max_ms = slept_ms;
		/* Timers wake up a little late. */
		beat->due_ms += beat->cycle_ms + random_below(world, 4) / 3;
	}
}

static void world_advance(struct world *world, int64_t ms)
{
	world->now_ms += ms;
	for (int i = 0; i < TASK_COUNT; i++)
		beat_until(world, &world->beats[i], world->now_ms);
	for (int i = 0; i < WORK_COUNT; i++) {
		int64_t count = random_below(world, ms * (i + 1) / 100 + 1);
		world->work_count[i] += count;
		world->work_ms[i] += count * (1 + random_below(world, 5));
	}
}

static void world_clear(struct world *world)
{
	world->cleared_ms = world->now_ms;
	for (int i = 0; i < TASK_COUNT; i++)
		world->beats[i].count = world->beats[i].time_ms = world->beats[i].max_ms = 0;
	memset(world->work_count, 0, sizeof(world->work_count));
	memset(world->work_ms, 0, sizeof(world->work_ms));
}

static struct sample *world_sample(const struct world *world)
{
	struct epoch epoch = {.process_id = 1, .start_ticks = 0, .ms_ticks = world->now_ms};
	struct instant taken = {.mono_ms = world->now_ms, .utc_ms = world->now_ms};
	struct sample *sample = sample_new(FAMILY_WAITS, &epoch, taken);
	for (int i = 0; i < world->beat_count; i++) {
		const struct beat *beat = &world->beats[i];
		sample_add_row(sample, beat->name, strlen(beat->name),
			       (int64_t[]){beat->count, beat->time_ms, 0, 0}, beat->max_ms);
	}
	for (int i = 0; i < WORK_COUNT; i++) {
		char name[32];
		snprintf(name, sizeof(name), "WORK_%d", i);
		sample_add_row(sample, name, strlen(name),
			       (int64_t[]){world->work_count[i], world->work_ms[i], 0, 0},
			       world->work_ms[i] > 0 ? 5 : 0);
	}
	struct error err = ERROR_INIT;
	assert_true(sample_seal(sample, &err));
	return sample;
}

/* Polls, moves the baseline on, and returns the delta. */
static struct delta *poll(const struct world *world, int64_t configured_ms,
			  struct baseline **baseline)
{
	CLEANUP(sample_freep) struct sample *sample = world_sample(world);
	struct delta_options options = {.configured_ms = configured_ms};
	struct baseline *next;
	struct delta *delta = delta_between(*baseline, sample, &options, &next);
	baseline_free(*baseline);
	*baseline = next;
	return delta;
}

static int64_t jittered(struct world *world, int64_t interval_ms)
{
	return interval_ms - interval_ms / 50 + random_below(world, interval_ms / 25);
}

/* Thousands of polls of a server that is never cleared, from its first second on. */
static void honest_stream(int64_t interval_ms, int poll_count)
{
	struct world world;
	world_init(&world, 1 + (uint64_t)interval_ms, true);
	CLEANUP(baseline_freep) struct baseline *baseline = NULL;
	int64_t work_ms = 0;
	for (int i = 0; i < poll_count; i++) {
		world_advance(&world, jittered(&world, interval_ms));
		int64_t first_ms = i == 0 ? world.work_ms[0] : 0;
		CLEANUP(delta_freep) struct delta *delta = poll(&world, interval_ms, &baseline);
		work_ms += first_ms;
		assert_int_equal(delta->quality, i == 0 ? QUALITY_BASELINE : QUALITY_EXACT);
		assert_int_equal(delta->anomaly_count + delta->jitter_count, 0);
		for (size_t row = 0; row < delta->row_count; row++)
			if (strcmp(delta->rows[row].name, "WORK_0") == 0)
				work_ms += delta->rows[row].counters[WAITS_TIME_MS];
	}
	assert_int_equal(work_ms, world.work_ms[0]);
}

static void honest_stream_at_one_second_has_no_clear(void **state)
{
	(void)state;
	honest_stream(1000, 5000);
}

static void honest_stream_at_ten_seconds_has_no_clear(void **state)
{
	(void)state;
	honest_stream(10000, 5000);
}

static void honest_stream_at_a_minute_has_no_clear(void **state)
{
	(void)state;
	honest_stream(60000, 3000);
}

/* An honest stream in which two counters are read as much too low now and then. */
static void strange_falls_do_not_become_clears(void **state)
{
	(void)state;
	struct world world;
	world_init(&world, 11, true);
	world_advance(&world, 3600000);
	CLEANUP(baseline_freep) struct baseline *baseline = NULL;
	for (int i = 0; i < 1000; i++) {
		world_advance(&world, jittered(&world, 10000));
		if (i > 0 && i % 10 == 0)
			world.work_ms[2] = world.work_ms[3] = 0;
		CLEANUP(delta_freep) struct delta *delta = poll(&world, 10000, &baseline);
		assert_int_not_equal(delta->quality, QUALITY_AFTER_CLEAR);
	}
}

struct tally {
	int found_count;
	int dated_count;
	int within_second_count;
	int within_five_count;
	int false_count;
};

static void tally_clear(struct tally *tally, const struct delta *delta, int64_t true_ms)
{
	tally->found_count += delta->quality == QUALITY_AFTER_CLEAR;
	int64_t error_ms = llabs(delta->interval_ms - true_ms);
	tally->within_second_count += error_ms <= 1000;
	tally->within_five_count += error_ms <= 5000;
	tally->dated_count += delta->has_rate;
}

/* 1000 clears at random instants, some of them minutes apart, some hours. */
static struct tally random_clears(bool credits_whole, int64_t interval_ms, int beat_count)
{
	struct tally tally = {0};
	struct world world;
	world_init(&world, 7, credits_whole);
	world.beat_count = beat_count;
	world_advance(&world, 600000);
	CLEANUP(baseline_freep) struct baseline *baseline = NULL;
	delta_free(poll(&world, interval_ms, &baseline));
	for (int i = 0; i < 1000; i++) {
		for (int64_t quiet = 1 + random_below(&world, 30); quiet > 0; quiet--) {
			world_advance(&world, jittered(&world, interval_ms));
			CLEANUP(delta_freep)
			struct delta *delta = poll(&world, interval_ms, &baseline);
			tally.false_count += delta->quality != QUALITY_EXACT;
		}
		int64_t length_ms = jittered(&world, interval_ms);
		int64_t before_ms = random_below(&world, length_ms);
		world_advance(&world, before_ms);
		world_clear(&world);
		world_advance(&world, length_ms - before_ms);
		CLEANUP(delta_freep) struct delta *delta = poll(&world, interval_ms, &baseline);
		tally_clear(&tally, delta, length_ms - before_ms);
	}
	print_message("%" PRId64 " s: %d found, %d with a rate, %d within 1 s, %d within 5 s, "
		      "%d false\n",
		      interval_ms / 1000, tally.found_count, tally.dated_count,
		      tally.within_second_count, tally.within_five_count, tally.false_count);
	return tally;
}

static void clears_at_ten_seconds_are_found_and_dated(void **state)
{
	(void)state;
	for (int credits_whole = 0; credits_whole < 2; credits_whole++) {
		struct tally tally = random_clears(credits_whole, 10000, TASK_COUNT);
		assert_int_equal(tally.found_count, 1000);
		assert_int_equal(tally.false_count, 0);
		assert_true(tally.within_five_count >= 990);
		assert_true(tally.within_second_count >= 950);
	}
}

/* Only the three heartbeats of four and five seconds: good to a cycle. */
static void clears_are_dated_by_slow_heartbeats_too(void **state)
{
	(void)state;
	for (int credits_whole = 0; credits_whole < 2; credits_whole++) {
		struct tally tally = random_clears(credits_whole, 10000, 3);
		assert_int_equal(tally.found_count, 1000);
		assert_int_equal(tally.false_count, 0);
		assert_true(tally.within_five_count >= 990);
	}
}

static void clears_at_a_minute_are_found_and_dated(void **state)
{
	(void)state;
	struct tally tally = random_clears(true, 60000, TASK_COUNT);
	assert_int_equal(tally.found_count, 1000);
	assert_int_equal(tally.false_count, 0);
	assert_true(tally.within_five_count >= 990);
}

static void clears_at_one_second_are_found(void **state)
{
	(void)state;
	struct tally tally = random_clears(true, 1000, TASK_COUNT);
	assert_true(tally.found_count >= 990);
	assert_int_equal(tally.false_count, 0);
	assert_int_equal(tally.dated_count, 0);
}

/* Two NUMA nodes: twice the rate. */
static void rates_are_learned(void **state)
{
	(void)state;
	struct world world;
	world_init(&world, 3, true);
	CLEANUP(baseline_freep) struct baseline *baseline = NULL;
	for (int i = 0; i < 360; i++) {
		world_advance(&world, jittered(&world, 10000));
		delta_free(poll(&world, 10000, &baseline));
	}
	const double want[] = {1000, 1000, 1000, 2000, 1000};
	for (int i = 0; i < 5; i++) {
		double got = baseline->heartbeat_ms_per_s[i];
		if (got < 0.95 * want[i] || got > 1.05 * want[i])
			fail_msg("rate %d: got %f, want %f", i, got, want[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(honest_stream_at_one_second_has_no_clear),
		cmocka_unit_test(honest_stream_at_ten_seconds_has_no_clear),
		cmocka_unit_test(honest_stream_at_a_minute_has_no_clear),
		cmocka_unit_test(strange_falls_do_not_become_clears),
		cmocka_unit_test(clears_at_ten_seconds_are_found_and_dated),
		cmocka_unit_test(clears_are_dated_by_slow_heartbeats_too),
		cmocka_unit_test(clears_at_a_minute_are_found_and_dated),
		cmocka_unit_test(clears_at_one_second_are_found),
		cmocka_unit_test(rates_are_learned),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
