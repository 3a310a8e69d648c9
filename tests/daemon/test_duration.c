/* SPDX-License-Identifier: Apache-2.0 */
/* Durations and sizes: every unit, and what is said of a wrong one. */
#include "daemon/duration.h"

#include "tests/support.h"

struct wanted {
	const char *text;
	int64_t value;
	const char *error;
};

static void each_duration_unit_is_read(void **state)
{
	static const struct wanted cases[] = {
		{"500ms", 500, NULL},
		{"10s", 10000, NULL},
		{"5m", 300000, NULL},
		{"2h", 7200000, NULL},
		{"14d", INT64_C(1209600000), NULL},
		{"1w", INT64_C(604800000), NULL},
		{"2y", INT64_C(63072000000), NULL},
		{"0s", 0, NULL},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct error err = ERROR_INIT;
		int64_t value = -1;
		assert_true(duration_parse(cases[i].text, &value, &err));
		assert_int_equal(value, cases[i].value);
	}
}

static void a_wrong_duration_is_refused_with_a_guess(void **state)
{
	static const struct wanted cases[] = {
		{"10", 0, "a duration needs a unit; did you mean \"10s\"?"},
		{"10sec", 0, "'sec' is no unit of a duration; did you mean \"10s\"?"},
		{"10S", 0, "'S' is no unit of a duration; did you mean \"10s\"?"},
		{"5x", 0, "'x' is no unit of a duration"},
		{"", 0, "'' is no duration; it is a whole number and a unit such as 10s"},
		{"-5s", 0, "'-5s' is no duration; it is a whole number and a unit such as 10s"},
		{"1.5s", 0, "'.5s' is no unit of a duration"},
		{"999999999999999y", 0, "'999999999999999y' is too large"},
		{"9999999999999999s", 0, "'9999999999999999s' is too large"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct error err = ERROR_INIT;
		int64_t value = -1;
		assert_false(duration_parse(cases[i].text, &value, &err));
		assert_string_equal(err.text, cases[i].error);
		assert_int_equal(value, -1);
	}
}

static void sizes_are_binary_and_say_so(void **state)
{
	struct error err = ERROR_INIT;
	int64_t value = -1;

	(void)state;
	assert_true(size_parse("20GiB", &value, &err));
	assert_int_equal(value, INT64_C(20) << 30);
	assert_true(size_parse("64MiB", &value, &err));
	assert_int_equal(value, INT64_C(64) << 20);
	assert_false(size_parse("20GB", &value, &err));
	assert_string_equal(err.text, "'GB' is no unit of a size; did you mean \"20GiB\"?");
	assert_false(size_parse("20", &value, &err));
	assert_string_equal(err.text, "a size needs a unit; did you mean \"20GiB\"?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_duration_unit_is_read),
		cmocka_unit_test(a_wrong_duration_is_refused_with_a_guess),
		cmocka_unit_test(sizes_are_binary_and_say_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
