/* SPDX-License-Identifier: Apache-2.0 */
/* A target's turns: what is stored, told and shown as its server comes and goes. Session and writer
 * are fakes. */
#include <stdlib.h>
#include <string.h>

#include "tests/daemon/target_fixture.h"

static void the_first_poll_is_a_baseline_and_the_next_a_delta(void **state)
{
	(void)state;
	assert_int_equal(shown().state, TARGET_CONNECTING);
	assert_int_equal(step(), fake.now_ms + 1000);
	assert_int_equal(fake.quality, QUALITY_BASELINE);
	assert_string_equal(fake.password, "secret");
	poll_after(1000, 250);
	assert_int_equal(fake.quality, QUALITY_EXACT);
	assert_int_equal(fake.value, 250);
	assert_int_equal(fake.event_count, 0);
	assert_int_equal(shown().state, TARGET_UP);
	assert_int_equal(shown().collectors[COLLECTOR_WAITS].poll_count, 2);
	assert_int_equal(shown().counters_since_utc_ms[FAMILY_WAITS], 5);
}

static void a_failed_push_leaves_the_baseline(void **state)
{
	(void)state;
	step();
	fake.is_full = true;
	poll_after(1000, 250);
	assert_int_equal(fake.delta_count, 1);
	fake.is_full = false;
	poll_after(1000, 250);
	assert_int_equal(fake.value, 500);
	assert_int_equal(fake.interval_ms, 2000);
}

/* B116: what is not stored is not known to who reads the store, however well it was polled. */
static void the_age_counts_from_what_the_store_takes(void **state)
{
	(void)state;
	step();
	int64_t stored_ms = shown().collectors[COLLECTOR_WAITS].last_ok_mono_ms;
	assert_int_equal(stored_ms, fake.now_ms);
	fake.is_failing = true;
	poll_after(1000, 0);
	fake.is_full = true;
	poll_after(1000, 0);
	assert_int_equal(shown().collectors[COLLECTOR_WAITS].last_ok_mono_ms, stored_ms);
	assert_int_equal(shown().collectors[COLLECTOR_WAITS].state, COLLECTOR_OK);
	fake.is_full = fake.is_failing = false;
	poll_after(1000, 0);
	assert_int_equal(shown().collectors[COLLECTOR_WAITS].last_ok_mono_ms, stored_ms + 3000);
}

static void our_own_downtime_is_one_gap(void **state)
{
	struct baseline *kept = calloc(1, sizeof(*kept));
	struct error err = ERROR_INIT;
	const int64_t counters[FAMILY_COUNTERS_MAX] = {10, 400, 0, 0};
	struct epoch before = fake.epoch;

	(void)state;
	before.ms_ticks = 1000000 + fake.now_ms - 60000;
	kept->sample = sample_new(FAMILY_WAITS, &before,
				  (struct instant){fake.now_ms - 60000, fake.now_ms - 60000});
	sample_add_row(kept->sample, "PAGELATCH_EX", 12, counters, 1);
	assert_true(sample_seal(kept->sample, &err));
	assert_true(target_stop_until(target, 0));
	start(kept);
	step();
	assert_int_equal(fake.quality, QUALITY_AFTER_GAP);
	assert_int_equal(fake.value, 600);
	assert_int_equal(fake.interval_ms, 60000);
	assert_int_equal(fake.event_count, 1);
	assert_string_equal(fake.events[0].kind, "gap");
	assert_int_equal(fake.events[0].begin_utc_ms, fake.now_ms - 60000);
	assert_int_equal(fake.events[0].end_utc_ms, fake.now_ms);
}

/* S25: the first poll fails, the second is the baseline and says so, the third the delta. */
static void after_a_failed_first_poll_the_second_is_the_baseline(void **state)
{
	(void)state;
	fake.views = (struct error){.kind = ERROR_TIMEOUT, .text = "no answer"};
	step();
	assert_int_equal(fake.delta_count, 0);
	fake.views.kind = ERROR_NONE;
	poll_after(1000, 250);
	assert_int_equal(fake.delta_count, 1);
	assert_int_equal(fake.quality, QUALITY_BASELINE);
	assert_int_equal(fake.interval_ms, 0);
	poll_after(1000, 300);
	assert_int_equal(fake.quality, QUALITY_EXACT);
	assert_int_equal(fake.value, 300);
	assert_int_equal(fake.event_count, 0);
}

/* B025: what a restarted server has counted is its value since then. */
static void a_restart_yields_the_value_since_then(void **state)
{
	(void)state;
	fake.wait_ms = 1000000;
	step();
	fake.epoch.process_id = 2;
	fake.epoch.start_ticks = 1000000 + fake.now_ms + 400;
	fake.wait_ms = 300;
	poll_after(1000, 0);
	assert_int_equal(fake.quality, QUALITY_AFTER_RESTART);
	assert_int_equal(fake.value, 300);
	assert_int_equal(fake.interval_ms, 600);
	assert_int_equal(count_events("restart"), 1);
	assert_int_equal(fake.event_count, 1);
}

/*
 * B042 (the TCP session is killed), B045 (KILL), B046 (a firewall drops it: the query runs into its
 * deadline): one failed poll, the connection replaced, one gap.
 */
static void a_lost_connection_is_one_failed_poll_and_one_gap(void **state)
{
	static const struct error losses[] = {
		{.kind = ERROR_UNREACHABLE, .text = "connection lost"},
		{.kind = ERROR_UNREACHABLE, .code = 596, .text = "the session was killed"},
		{.kind = ERROR_TIMEOUT, .text = "no whole answer within 5000 ms"},
	};

	(void)state;
	step();
	for (int i = 0; i < 3; i++) {
		fake.event_count = 0;
		fake.query = losses[i];
		poll_after(1000, 100);
		assert_int_equal(shown().state, TARGET_DOWN);
		fake.query.kind = ERROR_NONE;
		poll_after(4000, 400);
		assert_int_equal(shown().state, TARGET_UP);
		assert_int_equal(fake.login_count, 2 + i);
		assert_int_equal(shown().collectors[COLLECTOR_WAITS].failure_count, 1 + i);
		assert_int_equal(fake.value, 500);
		assert_int_equal(fake.interval_ms, 5000);
		assert_int_equal(fake.quality, QUALITY_AFTER_GAP);
		assert_int_equal(count_events("gap"), 1);
		assert_int_equal(count_events("down"), 1);
		assert_int_equal(count_events("up"), 1);
	}
}

/* B047: the server is away for two minutes. B137: the error goes with the next success, the total
 * stays. */
static void two_minutes_away_are_down_and_the_total_of_errors_stays(void **state)
{
	int64_t back_ms = fake.now_ms + 120000;

	(void)state;
	step();
	fake.query = (struct error){.kind = ERROR_UNREACHABLE, .text = "connection lost"};
	fake.login = (struct error){.kind = ERROR_UNREACHABLE, .text = "refused"};
	for (int64_t next_ms = poll_after(1000, 0); next_ms < back_ms; next_ms = step()) {
		fake.now_ms = next_ms;
		assert_int_equal(shown().state, TARGET_DOWN);
		assert_true(shown().last_error.is_set);
	}
	assert_true(shown().collectors[COLLECTOR_WAITS].last_error.is_set);
	fake.query.kind = fake.login.kind = ERROR_NONE;
	poll_after(40000, 777);
	assert_int_equal(shown().state, TARGET_UP);
	assert_false(shown().last_error.is_set);
	assert_false(shown().collectors[COLLECTOR_WAITS].last_error.is_set);
	assert_int_equal(shown().collectors[COLLECTOR_WAITS].failure_count, 1);
	assert_int_equal(fake.value, 777);
	assert_int_equal(count_events("gap"), 1);
	assert_int_equal(count_events("down"), 1);
	assert_int_equal(count_events("up"), 1);
}

static void a_restart_is_told_once(void **state)
{
	(void)state;
	step();
	fake.epoch.process_id = 2;
	fake.epoch.start_ticks = 500000;
	fake.wait_ms = 10;
	poll_after(1000, 0);
	poll_after(1000, 10);
	assert_int_equal(fake.event_count, 1);
	assert_string_equal(fake.events[0].kind, "restart");
	assert_int_equal(fake.quality, QUALITY_EXACT);
}

static void an_unreachable_server_is_down_with_a_reason_and_recovers(void **state)
{
	(void)state;
	step();
	fake.query = (struct error){.kind = ERROR_UNREACHABLE, .text = "connection lost"};
	fake.login = (struct error){.kind = ERROR_UNREACHABLE, .text = "refused"};
	int64_t next_ms = poll_after(1000, 0);
	assert_int_equal(shown().state, TARGET_DOWN);
	assert_string_equal(shown().last_error.text, "connection lost");
	assert_in_range(next_ms - fake.now_ms, 500, 1500);
	fake.now_ms = next_ms;
	next_ms = step();
	assert_string_equal(shown().last_error.text, "refused");
	assert_in_range(next_ms - fake.now_ms, 1000, 3000);
	fake.query.kind = fake.login.kind = ERROR_NONE;
	fake.now_ms = next_ms;
	step();
	assert_int_equal(shown().state, TARGET_UP);
	assert_false(shown().last_error.is_set);
	assert_string_equal(fake.events[0].kind, "down");
	bool is_up_told = false;
	for (int i = 0; i < fake.event_count; i++)
		is_up_told |= strcmp(fake.events[i].kind, "up") == 0;
	assert_true(is_up_told);
}

static void the_pause_begins_when_the_turn_that_hung_has_ended(void **state)
{
	(void)state;
	step();
	fake.query = (struct error){.kind = ERROR_TIMEOUT, .text = "no answer"};
	fake.now_ms += 1000;
	turn();
	fake.now_ms += 2000; /* it hung so long */
	assert_in_range(turn() - fake.now_ms, 500, 1500);
	assert_int_equal(fake.login_count, 1);
}

/* B059: a view that hangs fails; the others are stored, and the server is not called down. */
static void a_view_that_hangs_fails_alone(void **state)
{
	enum { WAITS = 1 << COLLECTOR_WAITS, LATCHES = 1 << COLLECTOR_LATCHES, ALL = 15 };
	(void)state;
	assert_true(target_stop_until(target, 0));
	fake.configured_ms = fake.others_ms = 10000;
	start(NULL);
	fake.now_ms = turn();
	fake.hanging = LATCHES;
	fake.is_alive = false;
	for (int i = 0; i < 12; i++) /* the first round falls, the next ones find out */
		fake.now_ms = turn();
	struct live_target seen = shown();
	assert_int_equal(seen.state, TARGET_UP);
	assert_int_equal(seen.collectors[COLLECTOR_WAITS].state, COLLECTOR_OK);
	assert_int_equal(seen.collectors[COLLECTOR_SPINLOCKS].state, COLLECTOR_OK);
	assert_int_equal(seen.collectors[COLLECTOR_LATCHES].state, COLLECTOR_FAILING);
	assert_string_equal(seen.collectors[COLLECTOR_LATCHES].last_error.text, "no whole answer");
	assert_int_equal(fake.asked[fake.asked_count - 2], ALL & ~LATCHES);
	assert_int_equal(fake.asked[fake.asked_count - 1], LATCHES);
	assert_in_range(count_events("down"), 0, 1);
	fake.hanging = 0;
	fake.is_alive = true;
	for (int i = 0; i < 3; i++)
		fake.now_ms = turn();
	assert_int_equal(shown().collectors[COLLECTOR_LATCHES].state, COLLECTOR_OK);
	assert_int_equal(fake.asked[fake.asked_count - 1], ALL);
}

static void a_server_that_hangs_in_every_view_is_down(void **state)
{
	(void)state;
	assert_true(target_stop_until(target, 0));
	fake.configured_ms = fake.others_ms = 10000;
	start(NULL);
	fake.now_ms = turn();
	fake.hanging = 15;
	fake.is_alive = false;
	for (int i = 0; i < 12; i++)
		fake.now_ms = turn();
	assert_int_equal(shown().state, TARGET_DOWN);
	fake.hanging = 0;
	fake.is_alive = true;
	for (int i = 0; i < 8; i++)
		fake.now_ms = turn();
	assert_int_equal(shown().state, TARGET_UP);
	assert_int_equal(fake.asked[fake.asked_count - 1], 15);
}

static void a_refused_login_is_denied_and_tried_rarely(void **state)
{
	(void)state;
	fake.login = (struct error){
		.kind = ERROR_DENIED, .code = 18456, .text = "login 'latchd' refused"};
	int64_t next_ms = step();
	assert_int_equal(shown().state, TARGET_DENIED);
	assert_int_equal(shown().last_error.code, 18456);
	assert_in_range(next_ms - fake.now_ms, 5000, 15000);
	poll_after(1000, 0);
	assert_int_equal(fake.login_count, 1);
	write_password("better\n");
	fake.login.kind = ERROR_NONE;
	fake.now_ms = next_ms;
	step();
	assert_string_equal(fake.password, "better");
	assert_int_equal(shown().state, TARGET_UP);
}

static void a_missing_right_is_denied_and_names_the_grant(void **state)
{
	(void)state;
	fake.views = (struct error){.kind = ERROR_DENIED, .code = 300, .text = "no permission"};
	step();
	assert_int_equal(shown().state, TARGET_DENIED);
	assert_non_null(
		strstr(shown().last_error.text, "GRANT VIEW SERVER PERFORMANCE STATE TO [app]]];"));
	fake.views.kind = ERROR_NONE;
	poll_after(1000, 0);
	assert_int_equal(shown().state, TARGET_UP);
	assert_int_equal(fake.login_count, 1);
}

static void a_right_missing_for_the_whole_answer_names_the_grant(void **state)
{
	(void)state;
	fake.query = (struct error){.kind = ERROR_DENIED, .code = 300, .text = "no permission"};
	step();
	assert_int_equal(shown().state, TARGET_DENIED);
	assert_int_equal(shown().collectors[COLLECTOR_WAITS].state, COLLECTOR_DENIED);
	assert_string_equal(shown().last_error.text,
			    "no permission; "
			    "GRANT VIEW SERVER PERFORMANCE STATE TO [app]]];");
}

static void a_denied_select_names_no_grant(void **state)
{
	(void)state;
	fake.views = (struct error){.kind = ERROR_DENIED, .code = 229, .text = "no SELECT"};
	step();
	assert_string_equal(shown().last_error.text, "no SELECT");
}

static void a_missing_password_file_is_down_and_no_login(void **state)
{
	(void)state;
	remove_password();
	step();
	assert_int_equal(shown().state, TARGET_DOWN);
	assert_int_equal(fake.login_count, 0);
	assert_non_null(strstr(shown().last_error.text, "/latchd-target-"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_first_poll_is_a_baseline_and_the_next_a_delta),
		TEST(a_failed_push_leaves_the_baseline),
		TEST(the_age_counts_from_what_the_store_takes),
		TEST(our_own_downtime_is_one_gap),
		TEST(after_a_failed_first_poll_the_second_is_the_baseline),
		TEST(a_restart_yields_the_value_since_then),
		TEST(a_lost_connection_is_one_failed_poll_and_one_gap),
		TEST(two_minutes_away_are_down_and_the_total_of_errors_stays),
		TEST(a_restart_is_told_once),
		TEST(an_unreachable_server_is_down_with_a_reason_and_recovers),
		TEST(the_pause_begins_when_the_turn_that_hung_has_ended),
		TEST(a_view_that_hangs_fails_alone),
		TEST(a_server_that_hangs_in_every_view_is_down),
		TEST(a_refused_login_is_denied_and_tried_rarely),
		TEST(a_right_missing_for_the_whole_answer_names_the_grant),
		TEST(a_denied_select_names_no_grant),
		TEST(a_missing_right_is_denied_and_names_the_grant),
		TEST(a_missing_password_file_is_down_and_no_login),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
