/* SPDX-License-Identifier: Apache-2.0 */
/* Labels while the UTC clock of this machine is set, the machine sleeps, or summer time begins. */
#include "daemon/label_clock.h"

#include <stdlib.h>

#include "tests/support.h"

/* What one poll after another sees of both clocks, and what must become of it. */
struct reading {
	struct instant now;
	int64_t step_ms;
	int64_t label_ms; /* of that instant */
};

static void follow_all(const struct reading *readings, size_t count)
{
	struct label_clock clock = {0};

	for (size_t i = 0; i < count; i++) {
		struct instant label = readings[i].now;
		assert_int_equal(label_clock_follow(&clock, label), readings[i].step_ms);
		label_clock_date(&clock, &label);
		assert_int_equal(label.utc_ms, readings[i].label_ms);
		assert_int_equal(label.mono_ms, readings[i].now.mono_ms);
	}
}

#define FOLLOW(readings) follow_all(readings, sizeof(readings) / sizeof((readings)[0]))

static void a_clock_set_forward_moves_the_labels(void **state)
{
	static const struct reading readings[] = {
		{{1000, 500000}, 0, 500000},
		{{2000, 501001}, 0, 501000},
		{{3000, 4102000}, 3600000, 4102000},
		{{4000, 4103000}, 0, 4103000},
	};

	(void)state;
	FOLLOW(readings);
}

static void a_clock_set_back_moves_the_labels(void **state)
{
	static const struct reading readings[] = {
		{{1000, 5000000}, 0, 5000000},
		{{2000, 1401000}, -3600000, 1401000},
		{{3000, 1402000}, 0, 1402000},
	};

	(void)state;
	FOLLOW(readings);
}

/* Steps of NTP under a second: spans of a second must go on to meet, not overlap. */
static void small_steps_are_held_until_they_make_a_second(void **state)
{
	static const struct reading readings[] = {
		{{1000, 500000}, 0, 500000},
		{{2000, 500600}, 0, 501000},
		{{3000, 501100}, 0, 502000},
		{{4000, 501900}, -1100, 501900},
	};

	(void)state;
	FOLLOW(readings);
}

/* The monotonic clock of latchd goes on while its machine sleeps: see daemon/base/clock.h. */
static void a_suspended_machine_is_no_step(void **state)
{
	static const struct reading readings[] = {
		{{1000, 500000}, 0, 500000},
		{{28801000, 29300001}, 0, 29300000},
	};

	(void)state;
	FOLLOW(readings);
}

/* B032, B034: 2026-10-25 01:00 UTC, when Berlin lives through 02:00 to 03:00 a second time. */
static void a_repeated_local_hour_is_no_step(void **state)
{
	const int64_t change_ms = INT64_C(1792890000000);
	struct label_clock clock = {0};

	(void)state;
	assert_int_equal(setenv("TZ", "Europe/Berlin", 1), 0);
	tzset();
	for (int64_t at_ms = change_ms - 3600000; at_ms <= change_ms + 3600000; at_ms += 1000) {
		struct instant now = {at_ms - change_ms + 7200000, at_ms};
		assert_int_equal(label_clock_follow(&clock, now), 0);
		label_clock_date(&clock, &now);
		assert_int_equal(now.utc_ms, at_ms);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_clock_set_forward_moves_the_labels),
		cmocka_unit_test(a_clock_set_back_moves_the_labels),
		cmocka_unit_test(small_steps_are_held_until_they_make_a_second),
		cmocka_unit_test(a_suspended_machine_is_no_step),
		cmocka_unit_test(a_repeated_local_hour_is_no_step),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
