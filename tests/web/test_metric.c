/* SPDX-License-Identifier: Apache-2.0 */
/* Rates and averages, and when they are unknown. */
#include "web/metric.h"

#include <math.h>
#include <stdint.h>

#include "tests/support.h"

static void uncovered_is_unknown_and_covered_is_a_rate(void **state)
{
	(void)state;
	const struct metric rate = {"ms_per_sec", METRIC_RATE, WAITS_TIME_MS, 0};
	const int64_t counters[FAMILY_COUNTERS_MAX] = {[WAITS_TIME_MS] = 519000};
	assert_true(isnan(metric_value(&rate, counters, 0, 0)));
	assert_true(metric_value(&rate, counters, 0, 10000) == 51900);
}

static void an_average_of_nothing_is_unknown(void **state)
{
	(void)state;
	const struct metric average = {"avg_wait_ms", METRIC_RATIO, WAITS_TIME_MS, WAITS_COUNT};
	const int64_t none[FAMILY_COUNTERS_MAX] = {[WAITS_TIME_MS] = 500000};
	const int64_t some[FAMILY_COUNTERS_MAX] = {[WAITS_TIME_MS] = 500000, [WAITS_COUNT] = 10};
	assert_true(isnan(metric_value(&average, none, 0, 10000)));
	assert_true(metric_value(&average, some, 0, 10000) == 50000);
}

static void totals_name_every_counter_once(void **state)
{
	(void)state;
	for (int family = 0; family < FAMILY_COUNT; family++) {
		unsigned seen = 0;
		const int count = family_shape((enum family)family)->counter_count;
		for (int i = 0; i < count; i++)
			seen |= 1U << metric_table((enum family)family)->total_order[i];
		assert_int_equal(seen, (1U << count) - 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(uncovered_is_unknown_and_covered_is_a_rate),
		cmocka_unit_test(an_average_of_nothing_is_unknown),
		cmocka_unit_test(totals_name_every_counter_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
