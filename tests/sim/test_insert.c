/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions that contend, as the views show them, and clients that join them. */
#include "tests/sim/engine_fixture.h"

#include <stdio.h>
#include <string.h>

static int64_t counter(struct fixture *fixture, const char *view, const char *column,
		       const char *name)
{
	char sql[300];

	snprintf(sql, sizeof(sql), "SELECT %s AS v FROM sys.%s WHERE %s = '%s'", column, view,
		 strcmp(view, "dm_os_latch_stats") == 0 ? "latch_class" : "wait_type", name);
	return fixture_number(fixture, sql);
}

static int64_t latch_ms(struct fixture *fixture)
{
	return counter(fixture, "dm_os_wait_stats", "wait_time_ms", "PAGELATCH_EX");
}

static void sessions_parked_are_the_milliseconds_per_second(void **state)
{
	struct fixture *fixture = *state;
	int64_t parked = 0;

	fixture_control(fixture, "workload insert 64");
	fixture_advance(fixture, 1000);
	int64_t before_ms = latch_ms(fixture);
	for (int i = 0; i < 20; i++) {
		fixture_advance(fixture, 100);
		parked += fixture_number(
			fixture, "SELECT COUNT(DISTINCT waiting_task_address) AS v FROM "
				 "sys.dm_os_waiting_tasks WHERE wait_type = 'PAGELATCH_EX'");
	}
	int64_t per_second = (latch_ms(fixture) - before_ms) / 2;
	assert_true(parked / 20 > per_second / 1000 - 3);
	assert_true(parked / 20 < per_second / 1000 + 3);
	assert_true(parked / 20 > 50);
}

static void every_page_latch_wait_is_also_one_of_class_buffer(void **state)
{
	struct fixture *fixture = *state;
	int64_t waits = counter(fixture, "dm_os_wait_stats", "waiting_tasks_count", "PAGELATCH_EX");
	int64_t latches = counter(fixture, "dm_os_latch_stats", "waiting_requests_count", "BUFFER");

	fixture_control(fixture, "workload insert 64");
	fixture_advance(fixture, 2000);
	waits = counter(fixture, "dm_os_wait_stats", "waiting_tasks_count", "PAGELATCH_EX") - waits;
	latches =
		counter(fixture, "dm_os_latch_stats", "waiting_requests_count", "BUFFER") - latches;
	assert_true(waits > 10000);
	/* BUFFER counts a few page latches of the quiet server as well. */
	assert_true(latches >= waits);
	assert_true(latches < waits + 100);
}

static void the_page_waited_for_is_the_last_of_the_index(void **state)
{
	struct fixture *fixture = *state;

	fixture_control(fixture, "workload insert 64 files 4");
	for (int i = 0; i < 20; i++) {
		fixture_advance(fixture, 37);
		assert_int_equal(
			fixture_number(
				fixture,
				"SELECT COUNT(*) AS v FROM sys.dm_exec_requests AS r CROSS APPLY "
				"sys.fn_PageResCracker(r.page_resource) AS c CROSS APPLY "
				"sys.dm_db_page_info(c.db_id, c.file_id, c.page_id, 'LIMITED') AS p "
				"WHERE r.wait_type = 'PAGELATCH_EX' AND (p.object_id <> 901578250 "
				"OR p.page_level <> 0)"),
			0);
	}
}

static void each_request_of_the_load_names_its_statement(void **state)
{
	struct fixture *fixture = *state;

	fixture_control(fixture, "workload queue-table 24");
	fixture_advance(fixture, 1000);
	const char *answer = fixture_run(
		fixture, "SELECT TOP 1 t.text FROM sys.dm_exec_requests AS r CROSS APPLY "
			 "sys.dm_exec_sql_text(r.sql_handle) AS t WHERE r.session_id > 3000");
	assert_non_null(strstr(answer, "UPDATE TOP (1) dbo.Queue"));
}

static void the_index_counts_rows_and_waits(void **state)
{
	struct fixture *fixture = *state;

	fixture_control(fixture, "workload insert 64");
	fixture_advance(fixture, 1000);
	int64_t rows = fixture_number(
		fixture, "SELECT leaf_insert_count AS v FROM sys.dm_db_index_operational_stats(5, "
			 "901578250, 1, NULL)");
	int64_t pages =
		fixture_number(fixture, "SELECT leaf_allocation_count AS v FROM "
					"sys.dm_db_index_operational_stats(5, 901578250, 1, NULL)");
	assert_true(rows > 10000);
	assert_int_equal(pages, (rows - 1) / 300);
	assert_int_equal(fixture_number(fixture, "SELECT SUM(waiting_tasks_count) AS v FROM "
						 "sys.dm_exec_session_wait_stats WHERE wait_type = "
						 "'PAGELATCH_EX'"),
			 fixture_number(fixture,
					"SELECT page_latch_wait_count AS v FROM "
					"sys.dm_db_index_operational_stats(5, 901578250, 1, 1)"));
}

static void the_option_is_switched_while_the_load_runs(void **state)
{
	struct fixture *fixture = *state;

	fixture_control(fixture, "workload insert 64");
	fixture_advance(fixture, 1000);
	assert_int_equal(
		counter(fixture, "dm_os_wait_stats", "wait_time_ms", "BTREE_INSERT_FLOW_CONTROL"),
		0);
	fixture_control(fixture, "option on");
	fixture_advance(fixture, 1000);
	assert_true(counter(fixture, "dm_os_wait_stats", "wait_time_ms",
			    "BTREE_INSERT_FLOW_CONTROL") > 10000);
}

static void another_load_ends_the_one_before(void **state)
{
	struct fixture *fixture = *state;

	fixture_control(fixture, "workload insert 64");
	fixture_advance(fixture, 1000);
	fixture_control(fixture, "workload idle");
	int64_t before_ms = latch_ms(fixture);
	fixture_advance(fixture, 1000);
	assert_int_equal(latch_ms(fixture), before_ms);
	assert_int_equal(fixture_number(fixture, "SELECT COUNT(*) AS v FROM sys.dm_exec_requests "
						 "WHERE session_id > 3000"),
			 0);
}

static void a_restart_begins_the_counts_anew(void **state)
{
	struct fixture *fixture = *state;

	fixture_control(fixture, "workload insert 64");
	fixture_advance(fixture, 5000);
	fixture_control(fixture, "restart");
	fixture_advance(fixture, 1000);
	int64_t after_ms = latch_ms(fixture);
	assert_true(after_ms > 55000);
	assert_true(after_ms < 65000);
}

static void schedulers_are_as_many_as_ordered(void **state)
{
	struct fixture *fixture = *state;

	fixture_control(fixture, "workload insert 64 schedulers 16");
	assert_int_equal(fixture_number(fixture, "SELECT COUNT(*) AS v FROM sys.dm_os_schedulers "
						 "WHERE status = 'VISIBLE ONLINE'"),
			 16);
	assert_int_equal(
		fixture_number(fixture, "SELECT scheduler_count AS v FROM sys.dm_os_sys_info"), 16);
}

static void a_client_s_row_waits_with_the_others(void **state)
{
	struct fixture *fixture = *state;

	fixture_control(fixture, "workload insert 64");
	fixture->step_us = 200;
	const char *answer =
		fixture_run(fixture, "INSERT INTO Sales.dbo.Orders (CustomerId, Amount) "
				     "VALUES (1, 2), (3, (4))");
	fixture->step_us = 0;
	assert_string_equal(answer, "");
	assert_true(fixture_number(fixture, "SELECT SUM(wait_time_ms) AS v FROM "
					    "sys.dm_exec_session_wait_stats WHERE session_id = 51 "
					    "AND wait_type = 'PAGELATCH_EX'") > 0);
	assert_int_equal(fixture_number(fixture,
					"SELECT waiting_tasks_count AS v FROM "
					"sys.dm_exec_session_wait_stats WHERE session_id = 51 AND "
					"wait_type = 'WRITELOG'"),
			 1);
}

static void what_is_no_insert_is_refused(void **state)
{
	struct fixture *fixture = *state;

	assert_string_equal(fixture_run(fixture, "INSERT INTO Sales.dbo.Nothing VALUES (1)"),
			    "!208/16 Invalid object name 'Sales.dbo.Nothing'.\n");
	assert_non_null(strstr(fixture_run(fixture, "INSERT INTO Sales.dbo.Orders"), "!102/15"));
	assert_non_null(strstr(fixture_run(fixture, "INSERT"), "!102/15"));
	assert_non_null(
		strstr(fixture_run(fixture, "INSERT Sales.dbo.Orders (Amount)"), "!102/15"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sessions_parked_are_the_milliseconds_per_second,
						fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(every_page_latch_wait_is_also_one_of_class_buffer,
						fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(the_page_waited_for_is_the_last_of_the_index,
						fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(each_request_of_the_load_names_its_statement,
						fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(the_index_counts_rows_and_waits, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(the_option_is_switched_while_the_load_runs,
						fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(another_load_ends_the_one_before, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(a_restart_begins_the_counts_anew, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(schedulers_are_as_many_as_ordered, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(a_client_s_row_waits_with_the_others, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(what_is_no_insert_is_refused, fixture_setup,
						fixture_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
