/* SPDX-License-Identifier: Apache-2.0 */
/* Foreign numbers become kinds and sentences of this program. */
#include "collectors/session_fault.h"

#include <errno.h>
#include <string.h>

#include "tests/support.h"

static void refused_names_the_host(void **state)
{
	(void)state;
	struct error err = ERROR_INIT;
	session_fault_of_library(20009, ECONNREFUSED, "Adaptive Server is unavailable",
				 "sql01:1433", true, &err);
	assert_int_equal(err.kind, ERROR_UNREACHABLE);
	assert_string_equal(err.text, "connection refused by sql01:1433");
}

static void no_text_speaks_of_another_product(void **state)
{
	(void)state;
	static const int numbers[] = {20002, 20003, 20004, 20006, 20009,
				      20012, 20013, 20017, 20020, 20047};
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		struct error err = ERROR_INIT;
		session_fault_of_library(numbers[i], 0, "Adaptive Server failed", "sql01:1433",
					 false, &err);
		assert_null(strstr(err.text, "Adaptive"));
		assert_non_null(strstr(err.text, "sql01:1433"));
	}
}

static void silence_is_a_timeout(void **state)
{
	(void)state;
	struct error err = ERROR_INIT;
	session_fault_of_library(20003, EINPROGRESS, "timed out", "sql01:1433", true, &err);
	assert_int_equal(err.kind, ERROR_TIMEOUT);
	assert_non_null(strstr(err.text, "login"));
}

static void missing_rights_are_denied(void **state)
{
	(void)state;
	static const int numbers[] = {229, 297, 300, 18452, 18456, 18470};
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		struct error err = ERROR_INIT;
		session_fault_of_server(numbers[i], 14, 1, 1, "no", &err);
		assert_int_equal(err.kind, ERROR_DENIED);
		assert_int_equal(err.code, numbers[i]);
	}
}

static void other_messages_are_the_servers(void **state)
{
	(void)state;
	struct error err = ERROR_INIT;
	session_fault_of_server(4060, 11, 1, 1, "Cannot open database \"x\".", &err);
	assert_int_equal(err.kind, ERROR_SERVER);
	assert_non_null(strstr(err.text, "Cannot open database"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refused_names_the_host),
		cmocka_unit_test(no_text_speaks_of_another_product),
		cmocka_unit_test(silence_is_a_timeout),
		cmocka_unit_test(missing_rights_are_denied),
		cmocka_unit_test(other_messages_are_the_servers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
