/* SPDX-License-Identifier: Apache-2.0 */
/* What watching a target costs, as live shows it. Session and writer are fakes. */
#include "tests/daemon/target_fixture.h"

/* B138. */
static void the_cost_is_asked_for_every_ten_seconds(void **state)
{
	(void)state;
	step();
	for (int i = 0; i < 25; i++)
		poll_after(1000, 1);
	assert_int_equal(fake.cost_count, 3);
}

static void totals_go_over_all_connections(void **state)
{
	(void)state;
	fake.traffic = (struct session_traffic){
		.round_trip_count = 2, .row_count = 300, .received_bytes = 9000};
	fake.session_cpu_ms = 40;
	step();
	assert_int_equal(shown().cost.row_count, 300);
	fake.query = (struct error){.kind = ERROR_UNREACHABLE, .text = "gone"};
	poll_after(1000, 1);
	fake.query.kind = ERROR_NONE;
	fake.traffic = (struct session_traffic){
		.round_trip_count = 1, .row_count = 20, .received_bytes = 500};
	fake.session_cpu_ms = 5;
	poll_after(30000, 1);
	assert_int_equal(fake.login_count, 2);
	assert_int_equal(shown().cost.round_trip_count, 3);
	assert_int_equal(shown().cost.row_count, 320);
	assert_int_equal(shown().cost.received_bytes, 9500);
	assert_int_equal(shown().cost.server_cpu_ms, 45);
}

/* A time that is told for the first time was not spent within the last minute. */
static void unknown_cpu_time_is_not_zero(void **state)
{
	(void)state;
	fake.session_cpu_ms = -1;
	step();
	assert_int_equal(shown().cost.server_cpu_ms, -1);
	fake.session_cpu_ms = 4000;
	poll_after(10000, 1);
	assert_int_equal(shown().cost.server_cpu_ms, 4000);
	assert_int_equal(shown().cost_from.server_cpu_ms, 4000);
}

static void rates_are_over_the_last_minute_or_two(void **state)
{
	(void)state;
	step();
	for (int i = 0; i < 600; i++) {
		fake.traffic.row_count += i < 300 ? 1000 : 7;
		poll_after(1000, 1);
	}
	const struct live_target seen = shown();
	const int64_t window_ms = seen.cost.mono_ms - seen.cost_from.mono_ms;
	assert_in_range(window_ms, 60000, 121000);
	assert_int_equal((seen.cost.row_count - seen.cost_from.row_count) * 1000, 7 * window_ms);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_cost_is_asked_for_every_ten_seconds),
		TEST(totals_go_over_all_connections),
		TEST(unknown_cpu_time_is_not_zero),
		TEST(rates_are_over_the_last_minute_or_two),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
