/* SPDX-License-Identifier: Apache-2.0 */
/* A target's intervals and labels when polls are close, far or slow, when a clock is set, and when
 * a machine sleeps. Session and writer are fakes. */
#include <string.h>

#include "tests/daemon/target_fixture.h"

/* B026: a late poll and the next one in its phase. */
static void two_polls_400_ms_apart_have_an_interval_of_400_ms(void **state)
{
	(void)state;
	step();
	poll_after(1600, 100);
	assert_int_equal(fake.interval_ms, 1600);
	int64_t next_ms = poll_after(400, 40);
	assert_int_equal(fake.interval_ms, 400);
	assert_int_equal(fake.value, 40);
	assert_int_equal(fake.quality, QUALITY_EXACT);
	assert_int_equal(next_ms, fake.now_ms + 1000);
}

/* B058: a query of 14 s at an interval of 10 s; one in flight, intervals of 20 s, runs counted. */
static void a_query_slower_than_its_interval_skips_runs(void **state)
{
	(void)state;
	assert_true(target_stop_until(target, 0));
	fake.configured_ms = 10000;
	fake.now_ms = 100000 + schedule_phase("prod") % 10000;
	start(NULL);
	fake.duration_ms = 14000;
	int64_t next_ms = turn();
	assert_int_equal(next_ms - fake.now_ms, 6000);
	fake.now_ms = next_ms;
	fake.wait_ms += 500;
	turn();
	assert_int_equal(fake.interval_ms, 20000);
	assert_int_equal(fake.quality, QUALITY_EXACT);
	assert_int_equal(shown().collectors[COLLECTOR_WAITS].skipped_count, 2);
	assert_int_equal(shown().collectors[COLLECTOR_WAITS].poll_count, 2);
}

/* B020: the limit of a gap goes by the configured interval. */
static void three_hours_are_no_gap_when_configured(void **state)
{
	(void)state;
	assert_true(target_stop_until(target, 0));
	fake.configured_ms = INT64_C(3) * 3600 * 1000;
	start(NULL);
	int64_t first_ms = turn(); /* a baseline at once, the next in its phase */
	fake.now_ms = first_ms;
	fake.now_ms = turn();
	assert_in_range(fake.now_ms - first_ms, 1, INT64_C(3) * 3600 * 1000);
	fake.wait_ms += 500;
	int64_t next_ms = turn();
	assert_int_equal(next_ms - fake.now_ms, INT64_C(3) * 3600 * 1000);
	fake.now_ms = next_ms;
	fake.wait_ms += 1000;
	turn();
	assert_int_equal(fake.quality, QUALITY_EXACT);
	assert_int_equal(fake.interval_ms, INT64_C(3) * 3600 * 1000);
	assert_int_equal(fake.value, 1000);
	assert_int_equal(fake.event_count, 0);
}

static void a_clock_set_back_is_told_and_its_intervals_replace_others(void **state)
{
	(void)state;
	step();
	poll_after(1000, 250);
	int64_t end_ms = fake.end_utc_ms;
	fake.utc_step_ms = -3600000;
	poll_after(1000, 250);
	assert_int_equal(fake.end_utc_ms, end_ms + 1000 - 3600000);
	assert_int_equal(fake.interval_ms, 1000);
	assert_int_equal(fake.value, 250);
	assert_true(fake.is_dated_back);
	assert_int_equal(count_events("clock"), 1);
	assert_int_equal(fake.events[0].begin_utc_ms, end_ms + 1000 - 3600000);
	assert_int_equal(fake.events[0].end_utc_ms, end_ms + 1000);
	poll_after(1000, 250);
	assert_true(fake.is_dated_back);
	fake.utc_step_ms = 1000;
	poll_after(1000, 250);
	assert_int_equal(count_events("clock"), 2);
	poll_after(1000, 250);
	assert_false(fake.is_dated_back);
	assert_int_equal(fake.event_count, 2);
}

static void a_clock_set_forward_is_told_and_leaves_time_out(void **state)
{
	(void)state;
	step();
	poll_after(1000, 250);
	int64_t end_ms = fake.end_utc_ms;
	fake.utc_step_ms = 7200000;
	poll_after(1000, 250);
	assert_int_equal(fake.end_utc_ms - fake.interval_ms, end_ms + 7200000);
	assert_false(fake.is_dated_back);
	assert_int_equal(fake.quality, QUALITY_EXACT);
	assert_int_equal(count_events("clock"), 1);
	assert_int_equal(fake.event_count, 1);
}

static void a_clock_event_that_was_not_stored_is_told_later(void **state)
{
	(void)state;
	step();
	fake.is_full = true;
	fake.utc_step_ms = -60000;
	poll_after(1000, 0);
	fake.is_full = false;
	poll_after(1000, 0);
	assert_int_equal(count_events("clock"), 1);
}

static void what_the_store_has_of_a_future_gives_way_after_a_start(void **state)
{
	(void)state;
	assert_true(target_stop_until(target, 0));
	fake.stored_end_utc_ms = fake.now_ms + 600000;
	start(NULL);
	step();
	poll_after(1000, 250);
	assert_true(fake.is_dated_back);
}

/* The machine of latchd was suspended: its boot-time clock and the server's ticks went on. */
static void our_own_suspension_is_one_gap_with_its_true_interval(void **state)
{
	(void)state;
	step();
	poll_after(600000, 6000);
	assert_int_equal(fake.quality, QUALITY_AFTER_GAP);
	assert_int_equal(fake.interval_ms, 600000);
	assert_int_equal(fake.value, 6000);
	assert_int_equal(fake.event_count, 1);
	assert_string_equal(fake.events[0].kind, "gap");
	assert_int_equal(shown().collectors[COLLECTOR_WAITS].skipped_count, 599);
}

/* The machine of the server was suspended: its ticks stood still for ten minutes. */
static void a_suspended_server_covers_only_what_its_ticks_count(void **state)
{
	(void)state;
	step();
	fake.ticks_lag_ms = 600000;
	poll_after(601000, 250);
	assert_int_equal(fake.quality, QUALITY_EXACT);
	assert_int_equal(fake.interval_ms, 1000);
	assert_int_equal(fake.elapsed_ms, 601000);
	assert_int_equal(fake.value, 250);
	assert_int_equal(fake.event_count, 1);
	assert_string_equal(fake.events[0].kind, "gap");
	assert_non_null(strstr(fake.events[0].text, "stood still for 600 s"));
	poll_after(1000, 250);
	assert_int_equal(fake.event_count, 1);
}

static void an_outage_over_a_clock_set_back_has_its_true_length(void **state)
{
	(void)state;
	step();
	fake.query = (struct error){.kind = ERROR_UNREACHABLE, .text = "connection lost"};
	poll_after(1000, 0);
	fake.query.kind = ERROR_NONE;
	fake.utc_step_ms = -3600000;
	poll_after(9000, 0);
	const struct event *up = &fake.events[fake.event_count - 1];
	assert_string_equal(up->kind, "up");
	assert_int_equal(up->end_utc_ms - up->begin_utc_ms, 9000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(two_polls_400_ms_apart_have_an_interval_of_400_ms),
		TEST(a_query_slower_than_its_interval_skips_runs),
		TEST(three_hours_are_no_gap_when_configured),
		TEST(a_clock_set_back_is_told_and_its_intervals_replace_others),
		TEST(a_clock_set_forward_is_told_and_leaves_time_out),
		TEST(a_clock_event_that_was_not_stored_is_told_later),
		TEST(what_the_store_has_of_a_future_gives_way_after_a_start),
		TEST(our_own_suspension_is_one_gap_with_its_true_interval),
		TEST(a_suspended_server_covers_only_what_its_ticks_count),
		TEST(an_outage_over_a_clock_set_back_has_its_true_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
