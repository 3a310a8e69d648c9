/* SPDX-License-Identifier: Apache-2.0 */
/* B001, B002: what one sample tells of a clear that nobody saw. */
#include "collectors/view_age.h"

#include "tests/support.h"

#define DAY_MS	  INT64_C(86400000)
#define UPTIME_MS (30 * DAY_MS)

static struct sample *sample_of(int64_t deadlock_ms, int64_t trace_ms, int64_t timer_ms)
{
	const struct sample_row rows[] = {
		{.name = "REQUEST_FOR_DEADLOCK_SEARCH", .counters = {1, deadlock_ms, 0}},
		{.name = "SQLTRACE_INCREMENTAL_FLUSH_SLEEP", .counters = {1, trace_ms, 0}},
		{.name = "XE_TIMER_EVENT", .counters = {1, timer_ms, 0}},
		{.name = "WRITELOG", .counters = {5, 50, 0}},
	};
	const struct epoch epoch = {.start_ticks = DAY_MS, .ms_ticks = DAY_MS + UPTIME_MS};
	struct sample *sample = sample_new(FAMILY_WAITS, &epoch, (struct instant){0});
	struct error err = ERROR_INIT;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].counters[WAITS_TIME_MS] >= 0)
			sample_take_row(sample, &rows[i]);
	assert_true(sample_seal(sample, &err));
	return sample;
}

/* -1: the row is not there. */
static void expect_age(int64_t deadlock_ms, int64_t trace_ms, int64_t timer_ms, int64_t want_ms)
{
	CLEANUP(sample_freep) struct sample *sample = sample_of(deadlock_ms, trace_ms, timer_ms);
	assert_int_equal(view_age_ms(sample), want_ms);
}

static void waits_that_were_never_cleared_are_as_old_as_the_server(void **state)
{
	(void)state;
	expect_age(UPTIME_MS - 60000, UPTIME_MS - 90000, UPTIME_MS - 1, UPTIME_MS);
}

static void waits_cleared_two_days_ago_are_two_days_old(void **state)
{
	(void)state;
	expect_age(2 * DAY_MS, 2 * DAY_MS - 3000, 2 * DAY_MS + 4000, 2 * DAY_MS);
}

static void a_heartbeat_that_is_absent_or_stopped_does_not_decide(void **state)
{
	(void)state;
	expect_age(UPTIME_MS, 0, UPTIME_MS, UPTIME_MS);
	expect_age(UPTIME_MS, 3 * DAY_MS, UPTIME_MS, UPTIME_MS);
	expect_age(2 * DAY_MS, -1, 2 * DAY_MS, 2 * DAY_MS);
}

static void heartbeats_that_disagree_or_stand_alone_say_nothing(void **state)
{
	(void)state;
	expect_age(2 * DAY_MS, -1, 9 * DAY_MS, -1);
	expect_age(2 * DAY_MS, -1, -1, -1);
	expect_age(DAY_MS, 4 * DAY_MS, 9 * DAY_MS, -1);
}

static void without_the_uptime_nothing_can_be_said(void **state)
{
	(void)state;
	CLEANUP(sample_freep)
	struct sample *sample = sample_of(2 * DAY_MS, 2 * DAY_MS, 2 * DAY_MS);
	sample->epoch.start_ticks = -1;
	assert_int_equal(view_age_ms(sample), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_that_were_never_cleared_are_as_old_as_the_server),
		cmocka_unit_test(waits_cleared_two_days_ago_are_two_days_old),
		cmocka_unit_test(a_heartbeat_that_is_absent_or_stopped_does_not_decide),
		cmocka_unit_test(heartbeats_that_disagree_or_stand_alone_say_nothing),
		cmocka_unit_test(without_the_uptime_nothing_can_be_said),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
