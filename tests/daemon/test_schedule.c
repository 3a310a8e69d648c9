/* SPDX-License-Identifier: Apache-2.0 */
/* Who is due when: phases, skipped runs, the price of listing waiting tasks. */
#include "daemon/schedule.h"

#include <stdio.h>

#include "tests/support.h"

enum {
	WAITS = 1 << COLLECTOR_WAITS,
	LATCHES = 1 << COLLECTOR_LATCHES,
	TASKS = 1 << COLLECTOR_WAITING_TASKS,
	TURNS_MAX = 8,
};

static const int64_t intervals[COLLECTOR_COUNT] = {
	[COLLECTOR_WAITS] = 10000,
	[COLLECTOR_LATCHES] = 30000,
	[COLLECTOR_WAITING_TASKS] = 1000,
};

/* In phase with all of them. */
static struct schedule started(void)
{
	struct schedule schedule;

	schedule_init(&schedule, intervals, 500, 0, (struct instant){500, 500});
	return schedule;
}

static struct schedule one_view(int64_t interval_ms, int64_t phase_ms, bool is_fresh,
				struct instant now)
{
	const int64_t one[COLLECTOR_COUNT] = {[COLLECTOR_WAITS] = interval_ms};
	struct schedule schedule;

	schedule_init(&schedule, one, phase_ms, is_fresh ? WAITS : 0, now);
	return schedule;
}

/*
 * One view from its start on, with the runs it has: when each begins and how long it lasts. Times
 * are milliseconds since a full day of UTC, which our monotonic clock began a week before.
 */
struct timeline {
	const char *name;
	int64_t interval_ms;
	int64_t phase_ms;
	int64_t start_ms;
	bool is_fresh;
	int64_t duration_ms[TURNS_MAX]; /* ends with a 0 */
	int64_t begins_ms[TURNS_MAX];
	int64_t skipped;
};

static const struct timeline timelines[] = {
	{"B035 a restart at second 45 keeps the phase",
	 60000,
	 0,
	 45000,
	 false,
	 {20, 20},
	 {60000, 120000},
	 0},
	{"B035 a restart with another phase",
	 60000,
	 7000,
	 45000,
	 false,
	 {20, 20},
	 {67000, 127000},
	 0},
	{"without a baseline the first comes at once",
	 60000,
	 0,
	 45200,
	 true,
	 {20, 20, 20},
	 {46000, 60000, 120000},
	 0},
	{"B058 interval 10 s, query 14 s",
	 10000,
	 0,
	 0,
	 false,
	 {14000, 14000, 14000},
	 {0, 20000, 40000},
	 3},
	{"a query of exactly its interval", 10000, 0, 0, false, {10000, 10}, {0, 20000}, 1},
	{"a slow one among fast ones",
	 1000,
	 300,
	 0,
	 true,
	 {10, 3500, 10, 10},
	 {300, 1300, 5300, 6300},
	 3},
	{"three hours", 10800000, 3600000, 3599000, false, {50, 50}, {3600000, 14400000}, 0},
	{"three hours begin within a minute",
	 10800000,
	 3600000,
	 30000,
	 false,
	 {50, 50, 50},
	 {60000, 3600000, 14400000},
	 0},
	{"three hours without a baseline",
	 10800000,
	 3600000,
	 30400,
	 true,
	 {50, 50},
	 {31000, 3600000},
	 0},
	{"an interval that no minute holds", 16000, 0, 1, false, {10, 10}, {16000, 32000}, 0},
};

static void timeline_runs_as_written(const struct timeline *line)
{
	const int64_t day_ms = 20000 * INT64_C(86400000), week_ms = 7 * INT64_C(86400000);
	struct schedule schedule =
		one_view(line->interval_ms, line->phase_ms, line->is_fresh,
			 (struct instant){week_ms + line->start_ms, day_ms + line->start_ms});

	for (int i = 0; i < TURNS_MAX && line->duration_ms[i] > 0; i++) {
		int64_t begin_ms = schedule_next(&schedule);
		if (begin_ms - week_ms != line->begins_ms[i])
			fail_msg("%s: run %d at %lld ms, want %lld", line->name, i,
				 (long long)(begin_ms - week_ms), (long long)line->begins_ms[i]);
		assert_int_equal(schedule_due(&schedule, begin_ms), WAITS);
		schedule_ran(&schedule, WAITS, begin_ms + line->duration_ms[i]);
	}
	if (schedule.rows[COLLECTOR_WAITS].skipped_count != line->skipped)
		fail_msg("%s: %lld skipped, want %lld", line->name,
			 (long long)schedule.rows[COLLECTOR_WAITS].skipped_count,
			 (long long)line->skipped);
}

static void timelines_run_as_written(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(timelines) / sizeof(timelines[0]); i++)
		timeline_runs_as_written(&timelines[i]);
}

/* B035: two lives of latchd on one clock, whenever the second begins. */
static void a_phase_survives_any_restart(void **state)
{
	const int64_t phase_ms = schedule_phase("prod-01");

	(void)state;
	for (int64_t start_ms = 0; start_ms < 120000; start_ms += 777) {
		struct schedule schedule =
			one_view(60000, phase_ms, false, (struct instant){5, start_ms});
		int64_t wait_ms = schedule_next(&schedule) - 5;
		assert_in_range(wait_ms, 0, 59999);
		assert_int_equal((start_ms + wait_ms) % 60000, phase_ms % 60000);
	}
}

static void a_thousand_targets_are_spread_over_a_second(void **state)
{
	enum { TARGETS = 1000, TENTHS = 10 };
	int tenths[TENTHS] = {0};
	char name[32];

	(void)state;
	for (int i = 0; i < TARGETS; i++) {
		snprintf(name, sizeof(name), "prod-%03d", i);
		tenths[schedule_phase(name) % 1000 / 100]++;
	}
	for (int i = 0; i < TENTHS; i++)
		assert_in_range(tenths[i], 60, 140);
}

static void all_are_due_at_the_start_but_those_that_are_off(void **state)
{
	struct schedule schedule = started();

	(void)state;
	assert_int_equal(schedule_due(&schedule, 499), 0);
	assert_int_equal(schedule_due(&schedule, 500), WAITS | LATCHES | TASKS);
	assert_int_equal(schedule_next(&schedule), 500);
}

static void a_late_run_does_not_shift_the_next(void **state)
{
	struct schedule schedule = started();

	(void)state;
	schedule_ran(&schedule, schedule_due(&schedule, 500), 777);
	assert_int_equal(schedule_next(&schedule), 1500);
	assert_int_equal(schedule.rows[COLLECTOR_WAITS].due_mono_ms, 10500);
	assert_int_equal(schedule.rows[COLLECTOR_WAITS].skipped_count, 0);
}

static void what_was_missed_is_counted_and_not_caught_up(void **state)
{
	struct schedule schedule = started();

	(void)state;
	schedule_ran(&schedule, TASKS, 4600);
	assert_int_equal(schedule.rows[COLLECTOR_WAITING_TASKS].skipped_count, 4);
	assert_int_equal(schedule.rows[COLLECTOR_WAITING_TASKS].due_mono_ms, 5500);
}

static void intervals_of_one_phase_meet_in_one_round_trip(void **state)
{
	struct schedule schedule = started();

	(void)state;
	for (int64_t now = 500; now < 30500; now += 1000)
		schedule_ran(&schedule, schedule_due(&schedule, now), now + 20);
	assert_int_equal(schedule_due(&schedule, 30500), WAITS | LATCHES | TASKS);
}

static void dear_tasks_stretch_to_five_seconds_and_come_back(void **state)
{
	struct schedule schedule = started();
	const struct schedule_row *row = &schedule.rows[COLLECTOR_WAITING_TASKS];

	(void)state;
	schedule_weigh(&schedule, TASKS, 100);
	assert_int_equal(row->interval_ms, 1000);
	for (int i = 0; i < 10; i++)
		schedule_weigh(&schedule, TASKS, 800);
	assert_int_equal(row->interval_ms, 5000);
	for (int i = 0; i < 10; i++)
		schedule_weigh(&schedule, TASKS, 2);
	assert_int_equal(row->interval_ms, 1000);
}

static void a_dear_round_with_other_views_is_not_held_against_tasks(void **state)
{
	struct schedule schedule = started();

	(void)state;
	schedule_weigh(&schedule, TASKS | WAITS, 900);
	assert_int_equal(schedule.rows[COLLECTOR_WAITING_TASKS].interval_ms, 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(timelines_run_as_written),
		cmocka_unit_test(a_phase_survives_any_restart),
		cmocka_unit_test(a_thousand_targets_are_spread_over_a_second),
		cmocka_unit_test(all_are_due_at_the_start_but_those_that_are_off),
		cmocka_unit_test(a_late_run_does_not_shift_the_next),
		cmocka_unit_test(what_was_missed_is_counted_and_not_caught_up),
		cmocka_unit_test(intervals_of_one_phase_meet_in_one_round_trip),
		cmocka_unit_test(dear_tasks_stretch_to_five_seconds_and_come_back),
		cmocka_unit_test(a_dear_round_with_other_views_is_not_held_against_tasks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
