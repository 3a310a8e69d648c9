/* SPDX-License-Identifier: Apache-2.0 */
/* An error is one sentence that grows on its way up. */
#include "daemon/base/error.h"

#include <string.h>

#include "tests/support.h"

static void set_returns_false_and_fills_every_field(void **state)
{
	(void)state;
	struct error err = ERROR_INIT;
	assert_false(error_set(&err, ERROR_TIMEOUT, 20003, "no answer within %d ms", 5000));
	assert_int_equal(err.kind, ERROR_TIMEOUT);
	assert_int_equal(err.code, 20003);
	assert_string_equal(err.text, "no answer within 5000 ms");
}

static void prefix_says_the_outer_thing_first(void **state)
{
	(void)state;
	struct error err = ERROR_INIT;
	(void)error_set(&err, ERROR_IO, 2, "no such file");
	assert_false(error_prefix(&err, "target '%s'", "prod-01"));
	assert_string_equal(err.text, "target 'prod-01': no such file");
	assert_int_equal(err.kind, ERROR_IO);
}

static void set_may_quote_the_text_it_replaces(void **state)
{
	(void)state;
	struct error err = ERROR_INIT;
	(void)error_set(&err, ERROR_IO, 0, "first");
	(void)error_set(&err, ERROR_IO, 0, "second after %s", err.text);
	assert_string_equal(err.text, "second after first");
}

static void long_texts_are_cut_and_stay_terminated(void **state)
{
	(void)state;
	char longer[2000];
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	struct error err = ERROR_INIT;
	(void)error_set(&err, ERROR_IO, 0, "%s", longer);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	(void)error_prefix(&err, "%s", longer);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
}

static void every_kind_has_a_name(void **state)
{
	(void)state;
	for (int kind = ERROR_NONE; kind <= ERROR_CONFLICT; kind++)
		assert_non_null(error_kind_name((enum error_kind)kind));
	assert_string_equal(error_kind_name(ERROR_DENIED), "denied");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(set_returns_false_and_fills_every_field),
		cmocka_unit_test(prefix_says_the_outer_thing_first),
		cmocka_unit_test(set_may_quote_the_text_it_replaces),
		cmocka_unit_test(long_texts_are_cut_and_stay_terminated),
		cmocka_unit_test(every_kind_has_a_name),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
