/* SPDX-License-Identifier: Apache-2.0 */
/* What the control socket's fault verbs switch on, and when they are used up. */
#include <string.h>

#include "tests/sim/fault.h"
#include "tests/support.h"

static int new_faults(void **state)
{
	*state = fault_new();
	return 0;
}

static int free_faults(void **state)
{
	fault_free(*state);
	return 0;
}

static void expect_answer(struct faults *faults, const char *line, const char *begin)
{
	char answer[256];
	assert_true(fault_control(faults, line, answer, sizeof(answer)));
	assert_memory_equal(answer, begin, strlen(begin));
}

static void foreign_verbs_are_left_to_others(void **state)
{
	char answer[16];
	assert_false(fault_control(*state, "workload idle", answer, sizeof(answer)));
	assert_false(fault_control(*state, "failing 1 2", answer, sizeof(answer)));
}

static void nonsense_is_answered_with_usage(void **state)
{
	const char *lines[] = {"silent query",	    "silent on",       "drip maybe",
			       "delay soon",	    "delay -1",	       "fail",
			       "fail 229 5",	    "fail 229 14x",    "die-mid-row -1",
			       "garbage",	    "die-mid-row x",   "die-mid-row 3 often",
			       "login-limit 0",	    "login-limit 3 x", "truncate on",
			       "ignore-attention 1"};
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		expect_answer(*state, lines[i], "error usage: ");
}

static void cut_strikes_once_at_its_row(void **state)
{
	expect_answer(*state, "die-mid-row 2", "ok");
	assert_int_equal(fault_take_cut(*state, 1), FAULT_CUT_NONE);
	assert_int_equal(fault_take_cut(*state, 2), FAULT_CUT_CLOSE);
	assert_int_equal(fault_take_cut(*state, 2), FAULT_CUT_NONE);
}

static void repeated_cut_strikes_until_off(void **state)
{
	expect_answer(*state, "reset-mid-row 0 always", "ok");
	assert_int_equal(fault_take_cut(*state, 0), FAULT_CUT_RESET);
	assert_int_equal(fault_take_cut(*state, 0), FAULT_CUT_RESET);
	expect_answer(*state, "reset-mid-row off", "ok");
	assert_int_equal(fault_take_cut(*state, 0), FAULT_CUT_NONE);
}

static void error_strikes_statements_with_its_substring(void **state)
{
	struct sql_message message;
	const char waits[] = "select * from sys.DM_OS_WAIT_STATS";
	expect_answer(*state, "fail 300 14 dm_os_wait_stats", "ok");
	assert_false(fault_statement_error(*state, "select 1", 8, &message));
	assert_true(fault_statement_error(*state, waits, strlen(waits), &message));
	assert_int_equal(message.number, 300);
	assert_int_equal(message.severity, 14);
	expect_answer(*state, "fail off", "ok");
	assert_false(fault_statement_error(*state, waits, strlen(waits), &message));
}

static void known_errors_need_only_their_number(void **state)
{
	static const struct {
		const char *line;
		int32_t number;
		int severity;
		bool is_at_login;
	} known[] = {
		{"fail 1205", 1205, 13, false},	 {"fail 1222 sys.indexes", 1222, 16, false},
		{"fail 18456", 18456, 14, true}, {"fail 4060", 4060, 11, true},
		{"fail 40613", 40613, 17, true}, {"fail 976", 976, 14, true},
		{"fail 976 14", 976, 14, false},
	};
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct sql_message message = {0};
		expect_answer(*state, known[i].line, "ok");
		assert_int_equal(fault_login_error(*state, &message), known[i].is_at_login);
		assert_int_equal(fault_statement_error(*state, "FROM sys.indexes", 16, &message),
				 !known[i].is_at_login);
		assert_int_equal(message.number, known[i].number);
		assert_int_equal(message.severity, known[i].severity);
	}
	expect_answer(*state, "fail 12345", "error usage: ");
}

static void delay_is_for_the_batch_or_for_some_statements(void **state)
{
	expect_answer(*state, "delay 1.5", "ok");
	assert_int_equal(fault_batch_delay_ms(*state), 1500);
	assert_int_equal(fault_statement_delay_ms(*state, "select", 6), 0);
	expect_answer(*state, "delay 2 lect", "ok");
	assert_int_equal(fault_batch_delay_ms(*state), 0);
	assert_int_equal(fault_statement_delay_ms(*state, "select", 6), 2000);
	expect_answer(*state, "delay 2 \"s e\"", "ok");
	assert_int_equal(fault_statement_delay_ms(*state, "this else", 9), 2000);
	expect_answer(*state, "delay off", "ok");
	assert_int_equal(fault_batch_delay_ms(*state), 0);
}

static void garbage_is_taken_once(void **state)
{
	expect_answer(*state, "garbage next", "ok");
	assert_true(fault_take_garbage(*state));
	assert_false(fault_take_garbage(*state));
}

static void truncation_and_metadata_strike_once_each(void **state)
{
	expect_answer(*state, "truncate next", "ok");
	assert_false(fault_take_metadata(*state));
	expect_answer(*state, "die-mid-metadata next", "ok");
	assert_true(fault_take_metadata(*state));
	assert_false(fault_take_metadata(*state));
	assert_true(fault_take_truncation(*state));
	assert_false(fault_take_truncation(*state));
}

static void logins_over_the_limit_wait_for_the_next_window(void **state)
{
	assert_true(fault_admits_login(*state, 0));
	expect_answer(*state, "login-limit 2 10", "ok");
	assert_true(fault_admits_login(*state, 20000));
	assert_true(fault_admits_login(*state, 20001));
	assert_false(fault_admits_login(*state, 29999));
	assert_true(fault_admits_login(*state, 30000));
	expect_answer(*state, "login-limit off", "ok");
	for (int64_t i = 0; i < 10; i++)
		assert_true(fault_admits_login(*state, 30001));
}

#define WITH_FAULTS(test) cmocka_unit_test_setup_teardown(test, new_faults, free_faults)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FAULTS(foreign_verbs_are_left_to_others),
		WITH_FAULTS(nonsense_is_answered_with_usage),
		WITH_FAULTS(cut_strikes_once_at_its_row),
		WITH_FAULTS(repeated_cut_strikes_until_off),
		WITH_FAULTS(error_strikes_statements_with_its_substring),
		WITH_FAULTS(known_errors_need_only_their_number),
		WITH_FAULTS(delay_is_for_the_batch_or_for_some_statements),
		WITH_FAULTS(garbage_is_taken_once),
		WITH_FAULTS(truncation_and_metadata_strike_once_each),
		WITH_FAULTS(logins_over_the_limit_wait_for_the_next_window),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
