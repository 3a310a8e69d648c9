/* SPDX-License-Identifier: Apache-2.0 */
/* What differs between the versions of the server: numbers, views, columns, types, statements. */
#include "tests/sim/engine_fixture.h"

#include "tests/sim/account.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *profile;
	const char *sql;
	const char *answer;
} answers[] = {
	{"2012", "SELECT CONVERT(int, SERVERPROPERTY('ProductMajorVersion')) AS m",
	 "m int\nNULL\n"},
	{"2014", "SELECT CONVERT(int, SERVERPROPERTY('ProductMajorVersion')) AS m", "m int\n12\n"},
	{"2012", "SELECT optimize_for_sequential_key FROM sys.indexes",
	 "!207/16 Invalid column name 'optimize_for_sequential_key'.\n"},
	{"2017", "SELECT i.optimize_for_sequential_key FROM sys.indexes AS i",
	 "!207/16 Invalid column name 'optimize_for_sequential_key'.\n"},
	{"2017", "SELECT * FROM sys.dm_db_page_info(1, 1, 9, 'LIMITED')",
	 "!208/16 Invalid object name 'sys.dm_db_page_info'.\n"},
	{"2022", "SELECT page_type FROM sys.dm_db_page_info(1, 1, 9, 'LIMITED')",
	 "page_type int\n13\n"},
	{"2014", "SELECT dop FROM sys.dm_exec_requests", "!207/16 Invalid column name 'dop'.\n"},
	{"2016", "SELECT TOP 0 dop FROM sys.dm_exec_requests", "dop int\n"},
	{"2017", "SELECT page_resource FROM sys.dm_exec_requests",
	 "!207/16 Invalid column name 'page_resource'.\n"},
	{"2014", "SELECT TOP 0 wait_duration_ms, resource_description FROM sys.dm_os_waiting_tasks",
	 "wait_duration_ms int|resource_description nvarchar(1024)\n"},
	{"2016", "SELECT TOP 0 wait_duration_ms, resource_description FROM sys.dm_os_waiting_tasks",
	 "wait_duration_ms bigint|resource_description nvarchar(3072)\n"},
	{"2019", "SELECT TOP 0 backoffs FROM sys.dm_os_spinlock_stats", "backoffs int\n"},
	{"2022", "SELECT TOP 0 backoffs FROM sys.dm_os_spinlock_stats", "backoffs bigint\n"},
	{"2014", "SELECT total_scheduler_delay_ms FROM sys.dm_os_schedulers",
	 "!207/16 Invalid column name 'total_scheduler_delay_ms'.\n"},
	{"2022", "SELECT wait_type FROM sys.dm_db_wait_stats",
	 "!208/16 Invalid object name 'sys.dm_db_wait_stats'.\n"},
	{"azure",
	 "SELECT wait_type FROM sys.dm_db_wait_stats WHERE wait_type = 'BTREE_INSERT_FLOW_CONTROL'",
	 "wait_type nvarchar(60)\nBTREE_INSERT_FLOW_CONTROL\n"},
	{"2017",
	 "SELECT COUNT(*) AS n FROM sys.dm_os_wait_stats WHERE wait_type = 'BTREE_INSERT_FLOW_CONTROL'",
	 "n int\n0\n"},
	{"azure", "DBCC SQLPERF('sys.dm_os_wait_stats', CLEAR)",
	 "!40510/16 Statement 'DBCC SQLPERF' is not supported in this version of SQL Server.\n"},
	{"azure", "USE Sales",
	 "!40508/16 USE statement is not supported to switch between databases. Use a new "
	 "connection to connect to a different database.\n"},
	{"azure", "SELECT name FROM Sales.sys.indexes",
	 "!40515/15 Reference to database and/or server name in 'Sales.sys.indexes' is not "
	 "supported in this version of SQL Server.\n"},
	{"2016", "SELECT last_used_value FROM sys.sequences",
	 "!207/16 Invalid column name 'last_used_value'.\n"},
	{"2017", "SELECT TOP 0 name, cache_size FROM sys.sequences",
	 "name nvarchar(128)|cache_size int\n"},
	{"2017",
	 "SELECT OBJECT_ID('sys.dm_db_page_info') AS p, COL_LENGTH('sys.indexes', "
	 "'optimize_for_sequential_key') AS o",
	 "p int|o smallint\nNULL|NULL\n"},
	{"2019", "SELECT COL_LENGTH('sys.indexes', 'optimize_for_sequential_key') AS o",
	 "o smallint\n1\n"},
	{"2019", "SELECT HAS_PERMS_BY_NAME(NULL, NULL, 'VIEW SERVER PERFORMANCE STATE') AS h",
	 "h int\nNULL\n"},
	{"2022", "SELECT HAS_PERMS_BY_NAME(NULL, NULL, 'VIEW SERVER PERFORMANCE STATE') AS h",
	 "h int\n1\n"},
	{"2012", "SELECT HAS_PERMS_BY_NAME(NULL, NULL, 'CONNECT ANY DATABASE') AS h",
	 "h int\nNULL\n"},
};

static void versions_differ_where_the_real_ones_do(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		struct fixture *fixture = fixture_open(answers[i].profile, NULL);
		assert_non_null(fixture);
		const char *answer = fixture_run(fixture, answers[i].sql);
		if (strcmp(answer, answers[i].answer) != 0)
			fail_msg("%s: '%s' answers '%s'", answers[i].profile, answers[i].sql,
				 answer);
		fixture_close(fixture);
	}
}

static const struct {
	const char *profile;
	const char *version;
	int engine_edition;
	int wait_count;
	int spinlock_count;
} sizes[] = {
	{"2012", "11.0.5058.0", 3, 650, 220},  {"2014", "12.0.6024.0", 3, 770, 250},
	{"2016", "13.0.6300.2", 3, 900, 290},  {"2017", "14.0.3456.2", 2, 930, 300},
	{"2019", "15.0.4316.3", 3, 995, 329},  {"2022", "16.0.4135.4", 3, 1300, 450},
	{"2025", "17.0.1000.7", 3, 1500, 500}, {"azure", "12.0.2000.8", 5, 1250, 450},
	{"mi", "12.0.2000.8", 8, 1300, 450},
};

static void versions_have_their_numbers_and_row_counts(void **state)
{
	char want[200];

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct fixture *fixture = fixture_open(sizes[i].profile, NULL);
		assert_non_null(fixture);
		snprintf(want, sizeof(want), "v nvarchar(20)|e int|w int|s int\n%s|%d|%d|%d\n",
			 sizes[i].version, sizes[i].engine_edition, sizes[i].wait_count,
			 sizes[i].spinlock_count);
		assert_string_equal(
			fixture_run(
				fixture,
				"SELECT CONVERT(nvarchar(20), SERVERPROPERTY('ProductVersion')) AS v, "
				"CONVERT(int, SERVERPROPERTY('EngineEdition')) AS e, "
				"(SELECT COUNT(*) FROM sys.dm_os_wait_stats) AS w, "
				"(SELECT COUNT(*) FROM sys.dm_os_spinlock_stats) AS s"),
			want);
		fixture_close(fixture);
	}
}

static void loads_find_their_waits_in_every_version(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct fixture *fixture = fixture_open(sizes[i].profile, NULL);
		fixture_control(fixture, "workload last-page");
		fixture_advance(fixture, 1000);
		fixture_control(fixture, "clear waits");
		fixture_advance(fixture, 10000);
		int64_t ms =
			fixture_number(fixture, "SELECT wait_time_ms FROM sys.dm_os_wait_stats "
						"WHERE wait_type = 'PAGELATCH_EX'");
		assert_in_range(ms, 500000, 540000);
		fixture_close(fixture);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(versions_differ_where_the_real_ones_do),
		cmocka_unit_test(versions_have_their_numbers_and_row_counts),
		cmocka_unit_test(loads_find_their_waits_in_every_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
