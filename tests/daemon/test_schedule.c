/* SPDX-License-Identifier: Apache-2.0 */
/* Who is due when: phases, skipped runs, the price of listing waiting tasks. */
#include "daemon/schedule.h"

#include "tests/support.h"

enum {
	WAITS = 1 << COLLECTOR_WAITS,
	LATCHES = 1 << COLLECTOR_LATCHES,
	TASKS = 1 << COLLECTOR_WAITING_TASKS,
};

static const int64_t intervals[COLLECTOR_COUNT] = {
	[COLLECTOR_WAITS] = 10000,
	[COLLECTOR_LATCHES] = 30000,
	[COLLECTOR_WAITING_TASKS] = 1000,
};

static struct schedule started(void)
{
	struct schedule schedule;

	schedule_init(&schedule, intervals, 500);
	return schedule;
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
		cmocka_unit_test(all_are_due_at_the_start_but_those_that_are_off),
		cmocka_unit_test(a_late_run_does_not_shift_the_next),
		cmocka_unit_test(what_was_missed_is_counted_and_not_caught_up),
		cmocka_unit_test(intervals_of_one_phase_meet_in_one_round_trip),
		cmocka_unit_test(dear_tasks_stretch_to_five_seconds_and_come_back),
		cmocka_unit_test(a_dear_round_with_other_views_is_not_held_against_tasks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
