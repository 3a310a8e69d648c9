/* SPDX-License-Identifier: Apache-2.0 */
/* The loads move as the source article's figures say; time is simulated. */
#include "tests/sim/engine_fixture.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct rate_case {
	const char *workload;
	const char *wait_type;
	int64_t ms_per_s;
};

/* Figures of the article; nothing here is read from the simulator. */
static const struct rate_case rates[] = {
	{"last-page", "PAGELATCH_EX", 51900},
	{"last-page-optimized", "PAGELATCH_EX", 22700},
	{"last-page-optimized", "BTREE_INSERT_FLOW_CONTROL", 30000},
	{"last-page", "BTREE_INSERT_FLOW_CONTROL", 0},
	{"idle", "REQUEST_FOR_DEADLOCK_SEARCH", 1000},
	{"idle", "XE_TIMER_EVENT", 1000},
	{"idle", "SQLTRACE_INCREMENTAL_FLUSH_SLEEP", 1000},
	{"idle", "LAZYWRITER_SLEEP", 1000},
	{"idle", "DIRTY_PAGE_POLL", 1000},
	{"last-page", "SP_SERVER_DIAGNOSTICS_SLEEP", 1000},
	{"idle", "PAGELATCH_EX", 0},
};

static int64_t wait_column(struct fixture *fixture, const char *column, const char *name)
{
	char sql[200];

	snprintf(sql, sizeof(sql), "SELECT %s FROM sys.dm_os_wait_stats WHERE wait_type = N'%s'",
		 column, name);
	return fixture_number(fixture, sql);
}

static void set_workload(struct fixture *fixture, const char *name)
{
	char line[60];

	snprintf(line, sizeof(line), "workload %s", name);
	fixture_control(fixture, line);
}

static void rates_are_those_of_the_source_within_one_percent(void **state)
{
	struct fixture *fixture = *state;

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		set_workload(fixture, rates[i].workload);
		int64_t before = wait_column(fixture, "wait_time_ms", rates[i].wait_type);
		fixture_advance(fixture, 1800000);
		int64_t rate =
			(wait_column(fixture, "wait_time_ms", rates[i].wait_type) - before) / 1800;
		if (rate < rates[i].ms_per_s * 99 / 100 || rate > rates[i].ms_per_s * 101 / 100)
			fail_msg("%s under %s: %" PRId64 " ms/s, want %" PRId64, rates[i].wait_type,
				 rates[i].workload, rate, rates[i].ms_per_s);
	}
}

static void reading_often_loses_nothing(void **state)
{
	struct fixture *fixture = *state;

	set_workload(fixture, "last-page");
	int64_t before = wait_column(fixture, "wait_time_ms", "PAGELATCH_EX");
	int64_t last = before;
	for (int i = 0; i < 1000; i++) {
		fixture_advance(fixture, 7);
		int64_t now = wait_column(fixture, "wait_time_ms", "PAGELATCH_EX");
		assert_true(now >= last);
		last = now;
	}
	assert_in_range(last - before, 7 * 51900 - 3, 7 * 51900);
}

static void heartbeat_moves_in_chunks_when_a_wait_ends(void **state)
{
	struct fixture *fixture = *state;
	int64_t last = wait_column(fixture, "wait_time_ms", "REQUEST_FOR_DEADLOCK_SEARCH");
	int moves = 0;

	for (int i = 0; i < 60; i++) {
		fixture_advance(fixture, 500);
		int64_t now = wait_column(fixture, "wait_time_ms", "REQUEST_FOR_DEADLOCK_SEARCH");
		if (now == last)
			continue;
		assert_int_equal(now - last, 5000);
		last = now;
		moves++;
	}
	assert_int_equal(moves, 6);
}

static void baseline_is_ruled_by_the_log(void **state)
{
	struct fixture *fixture = *state;

	set_workload(fixture, "baseline");
	int64_t log = wait_column(fixture, "wait_time_ms", "WRITELOG");
	int64_t latch = wait_column(fixture, "wait_time_ms", "PAGELATCH_EX");
	int64_t latch_count = wait_column(fixture, "waiting_tasks_count", "PAGELATCH_EX");
	fixture_advance(fixture, 100000);
	log = wait_column(fixture, "wait_time_ms", "WRITELOG") - log;
	latch = wait_column(fixture, "wait_time_ms", "PAGELATCH_EX") - latch;
	latch_count = wait_column(fixture, "waiting_tasks_count", "PAGELATCH_EX") - latch_count;
	assert_true(log >= 100 * latch);
	assert_int_equal(latch * 1000 / latch_count, 30);
}

static void signal_never_exceeds_the_wait(void **state)
{
	struct fixture *fixture = *state;

	set_workload(fixture, "last-page-optimized");
	fixture_advance(fixture, 61234);
	assert_int_equal(fixture_number(fixture, "SELECT COUNT(*) AS n FROM sys.dm_os_wait_stats "
						 "WHERE signal_wait_time_ms > wait_time_ms"),
			 0);
}

static void about_52_tasks_wait_for_the_last_page(void **state)
{
	struct fixture *fixture = *state;
	int64_t sum = 0;

	set_workload(fixture, "last-page");
	for (int i = 0; i < 200; i++) {
		fixture_advance(fixture, 37);
		int64_t tasks = fixture_number(
			fixture,
			"SELECT COUNT(DISTINCT waiting_task_address) AS n FROM sys.dm_os_waiting_tasks "
			"WHERE wait_type = 'PAGELATCH_EX'");
		assert_in_range(tasks, 51, 53);
		sum += tasks;
	}
	assert_in_range(sum / 2, 5160, 5220);
}

static void some_tasks_have_two_rows_and_some_a_trailing_blank(void **state)
{
	struct fixture *fixture = *state;

	set_workload(fixture, "last-page");
	fixture_advance(fixture, 5000);
	assert_true(fixture_number(
			    fixture,
			    "SELECT COUNT(*) - COUNT(DISTINCT waiting_task_address) AS n "
			    "FROM sys.dm_os_waiting_tasks WHERE wait_type = 'PAGELATCH_EX'") > 3);
	assert_true(fixture_number(fixture, "SELECT COUNT(*) AS n FROM sys.dm_os_waiting_tasks "
					    "WHERE resource_description LIKE '5:1:% '") > 3);
}

static void the_page_moves_and_stays_a_leaf_of_the_same_index(void **state)
{
	struct fixture *fixture = *state;
	int64_t last = 0;
	int moves = 0;

	set_workload(fixture, "last-page");
	for (int i = 0; i < 500; i++) {
		fixture_advance(fixture, 20);
		int64_t page = fixture_number(
			fixture, "SELECT MAX(CONVERT(int, SUBSTRING(wait_resource, 5, 12))) AS n "
				 "FROM sys.dm_exec_requests WHERE wait_type = 'PAGELATCH_EX'");
		char sql[300];
		snprintf(
			sql, sizeof(sql),
			"SELECT COUNT(*) AS n FROM sys.dm_db_page_info(5, 1, %" PRId64
			", 'DETAILED') WHERE "
			"object_id = OBJECT_ID('Sales.dbo.Orders') AND index_id = 1 AND page_level = 0 AND "
			"page_type = 1 AND next_page_page_id = 0 AND is_mixed_ext = 0",
			page);
		assert_int_equal(fixture_number(fixture, sql), 1);
		moves += page != last;
		last = page;
	}
	assert_true(moves > 400);
}

static void the_page_before_the_last_names_its_successor(void **state)
{
	struct fixture *fixture = *state;

	set_workload(fixture, "last-page");
	fixture_advance(fixture, 3333);
	assert_int_equal(
		fixture_number(
			fixture,
			"SELECT COUNT(*) AS n FROM (SELECT DISTINCT RTRIM(wait_resource) AS r "
			"FROM sys.dm_exec_requests WHERE wait_type = 'PAGELATCH_EX') AS x CROSS APPLY "
			"sys.dm_db_page_info(5, 1, CONVERT(int, SUBSTRING(x.r, 5, 12)), 'LIMITED') AS p "
			"WHERE p.next_page_page_id <> 0"),
		1);
}

static void requests_and_waiting_tasks_share_addresses(void **state)
{
	struct fixture *fixture = *state;

	set_workload(fixture, "last-page-optimized");
	fixture_advance(fixture, 4321);
	assert_int_equal(
		fixture_number(
			fixture,
			"SELECT COUNT(*) AS n FROM sys.dm_os_waiting_tasks AS t JOIN "
			"sys.dm_exec_sessions AS s ON s.session_id = t.session_id LEFT JOIN "
			"sys.dm_exec_requests AS r ON r.task_address = t.waiting_task_address AND "
			"r.wait_type = t.wait_type WHERE s.is_user_process = 1 AND "
			"r.session_id IS NULL"),
		0);
	assert_true(fixture_number(
			    fixture,
			    "SELECT COUNT(*) AS n FROM sys.dm_os_waiting_tasks WHERE wait_type = "
			    "'BTREE_INSERT_FLOW_CONTROL' AND resource_description IS NULL") >= 29);
}

static void rows_come_at_the_source_rate(void **state)
{
	struct fixture *fixture = *state;
	static const char sql[] =
		"SELECT CONVERT(bigint, last_value) AS n FROM Sales.sys.identity_columns";

	set_workload(fixture, "last-page");
	int64_t before = fixture_number(fixture, sql);
	fixture_advance(fixture, 76776);
	assert_in_range(fixture_number(fixture, sql) - before, 1599000, 1601000);
}

static void the_option_switches_load_and_catalog(void **state)
{
	struct fixture *fixture = *state;
	static const char sql[] = "SELECT optimize_for_sequential_key FROM Sales.sys.indexes "
				  "WHERE name = 'PK_Orders'";

	set_workload(fixture, "last-page");
	assert_int_equal(fixture_number(fixture, sql), 0);
	fixture_control(fixture, "option on");
	assert_int_equal(fixture_number(fixture, sql), 1);
	int64_t before = wait_column(fixture, "wait_time_ms", "BTREE_INSERT_FLOW_CONTROL");
	fixture_advance(fixture, 10000);
	assert_in_range(wait_column(fixture, "wait_time_ms", "BTREE_INSERT_FLOW_CONTROL") - before,
			299000, 300001);
}

static void tempdb_load_waits_on_allocation_pages(void **state)
{
	struct fixture *fixture = *state;

	set_workload(fixture, "tempdb-pfs");
	fixture_advance(fixture, 777);
	assert_true(fixture_number(
			    fixture,
			    "SELECT COUNT(*) AS n FROM sys.dm_os_waiting_tasks WHERE wait_type = "
			    "'PAGELATCH_UP' AND resource_description LIKE '2:%'") > 10);
	assert_int_equal(
		fixture_number(fixture,
			       "SELECT page_type FROM sys.dm_db_page_info(2, 3, 8088, 'LIMITED')"),
		11);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(rates_are_those_of_the_source_within_one_percent),
		TEST(reading_often_loses_nothing),
		TEST(heartbeat_moves_in_chunks_when_a_wait_ends),
		TEST(baseline_is_ruled_by_the_log),
		TEST(signal_never_exceeds_the_wait),
		TEST(about_52_tasks_wait_for_the_last_page),
		TEST(some_tasks_have_two_rows_and_some_a_trailing_blank),
		TEST(the_page_moves_and_stays_a_leaf_of_the_same_index),
		TEST(the_page_before_the_last_names_its_successor),
		TEST(requests_and_waiting_tasks_share_addresses),
		TEST(rows_come_at_the_source_rate),
		TEST(the_option_switches_load_and_catalog),
		TEST(tempdb_load_waits_on_allocation_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
