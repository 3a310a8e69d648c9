/* SPDX-License-Identifier: Apache-2.0 */
/* Pauses grow, stay in their bounds, and do not march in step. */
#include "daemon/back_off.h"

#include "tests/support.h"

static void pauses_double_up_to_half_a_minute(void **state)
{
	static const int64_t pauses_ms[] = {1000, 2000, 4000, 8000, 16000, 30000, 30000};
	(void)state;
	for (uint64_t seed = 0; seed < 100; seed++) {
		struct back_off back_off;
		back_off_init(&back_off, seed);
		for (size_t i = 0; i < sizeof(pauses_ms) / sizeof(pauses_ms[0]); i++)
			assert_in_range(back_off_next(&back_off, false), pauses_ms[i] / 2,
					pauses_ms[i] + pauses_ms[i] / 2);
		back_off_reset(&back_off);
		assert_in_range(back_off_next(&back_off, false), 500, 1500);
	}
}

static void refused_logins_are_tried_rarely(void **state)
{
	(void)state;
	struct back_off back_off;
	back_off_init(&back_off, 7);
	assert_in_range(back_off_next(&back_off, true), 5000, 15000);
	assert_in_range(back_off_next(&back_off, true), 10000, 30000);
	for (int i = 0; i < 10; i++)
		assert_in_range(back_off_next(&back_off, true), 10000, 450000);
}

/* A switch dies and takes a thousand servers with it: from half a minute on no second has more than
 * twice its fair share of attempts. */
static void a_fleet_that_fails_together_does_not_return_in_step(void **state)
{
	enum { TARGETS = 1000, SECONDS = 300, FROM = 31, FAIR = TARGETS / 30 };
	static int attempts[SECONDS];
	(void)state;
	for (uint64_t target = 0; target < TARGETS; target++) {
		struct back_off back_off;
		back_off_init(&back_off, target);
		for (int64_t t = back_off_next(&back_off, false); t < SECONDS * INT64_C(1000);
		     t += back_off_next(&back_off, false))
			attempts[t / 1000]++;
	}
	for (int second = FROM; second < SECONDS; second++)
		assert_true(attempts[second] <= 2 * FAIR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pauses_double_up_to_half_a_minute),
		cmocka_unit_test(refused_logins_are_tried_rarely),
		cmocka_unit_test(a_fleet_that_fails_together_does_not_return_in_step),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
