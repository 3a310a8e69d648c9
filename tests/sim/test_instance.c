/* SPDX-License-Identifier: Apache-2.0 */
/* Views with their types, resets, control commands, errors, many sessions at once. */
#include "tests/sim/engine_fixture.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *sql;
	const char *answer;
} answers[] = {
	{"SELECT TOP 0 * FROM sys.dm_os_wait_stats",
	 "wait_type nvarchar(60)|waiting_tasks_count bigint|wait_time_ms bigint|max_wait_time_ms bigint|"
	 "signal_wait_time_ms bigint\n"},
	{"SELECT TOP 0 * FROM sys.dm_os_latch_stats",
	 "latch_class nvarchar(60)|waiting_requests_count bigint|wait_time_ms bigint|"
	 "max_wait_time_ms bigint\n"},
	{"SELECT TOP 0 * FROM sys.dm_os_spinlock_stats",
	 "name nvarchar(256)|collisions bigint|spins bigint|spins_per_collision real|sleep_time bigint|"
	 "backoffs int\n"},
	{"SELECT TOP 0 * FROM sys.dm_os_waiting_tasks",
	 "waiting_task_address varbinary(8)|session_id smallint|exec_context_id int|wait_duration_ms bigint|"
	 "wait_type nvarchar(60)|resource_address varbinary(8)|blocking_task_address varbinary(8)|"
	 "blocking_session_id smallint|blocking_exec_context_id int|resource_description nvarchar(3072)\n"},
	{"SELECT COUNT(*) AS n FROM sys.dm_os_wait_stats", "n int\n995\n"},
	{"SELECT COUNT_BIG(*) AS n FROM sys.dm_os_spinlock_stats", "n bigint\n329\n"},
	{"SELECT COUNT(*) FROM sys.dm_os_schedulers WHERE status = N'VISIBLE ONLINE'",
	 " int\n32\n"},
	{"SELECT CONVERT(nvarchar(128), SERVERPROPERTY(N'ProductVersion')) AS v, "
	 "CONVERT(int, SERVERPROPERTY('EngineEdition')) AS e",
	 "v nvarchar(128)|e int\n15.0.4316.3|3\n"},
	{"SELECT CONVERT(nvarchar(30), sqlserver_start_time, 126) AS t, ms_ticks - "
	 "sqlserver_start_time_ms_ticks AS up FROM sys.dm_os_sys_info",
	 "t nvarchar(30)|up bigint\n2024-04-28T10:00:00.000|259200000\n"},
	{"SELECT CONVERT(nvarchar(30), SYSUTCDATETIME(), 126) AS now",
	 "now nvarchar(30)\n2024-05-01T10:00:00.0000000\n"},
	{"DECLARE @a int = 2, @b nvarchar(10) = N'x'\nSELECT @a + 1 AS a, @b + N'y' AS b",
	 "a int|b nvarchar(4000)\n3|xy\n"},
	{"DECLARE @n int; SELECT @n = COUNT(*) FROM sys.databases; SET @n = @n + 1; SELECT @n AS n",
	 "n int\n6\n"},
	{"EXEC sp_executesql N'SELECT @p AS p', N'@p smallint', @p = 7", "p smallint\n7\n"},
	{"SELECT OBJECT_NAME(i.object_id, 5) AS t, i.name FROM Sales.sys.indexes AS i WHERE i.index_id = 2",
	 "t nvarchar(128)|name nvarchar(128)\nOrders|IX_Orders_CustomerId\n"},
	{"SELECT COUNT(*) AS n FROM sys.indexes WHERE name = 'pk_orders'", "n int\n0\n"},
	{"SELECT HAS_PERMS_BY_NAME(NULL, NULL, N'VIEW SERVER STATE') AS a, "
	 "HAS_PERMS_BY_NAME(NULL, NULL, N'VIEW SERVER PERFORMANCE STATE') AS b",
	 "a int|b int\n1|NULL\n"},
	{"PRINT N'a' + N'b'", "?0/0 ab\n"},
	{"USE Sales; SELECT DB_NAME() AS d, DB_ID() AS i",
	 "?5701/10 Changed database context to 'Sales'.\nd nvarchar(128)|i smallint\nSales|5\n"},
	{"USE nowhere",
	 "!911/16 Database 'nowhere' does not exist. Make sure that the name is entered "
	 "correctly.\n"},
	{"SELECT 1 AS a; SELECT * FROM sys.nothing; SELECT 2 AS b",
	 "a int\n1\n!208/16 Invalid object name 'sys.nothing'.\n"},
	{"SELECT w.colour FROM sys.dm_os_wait_stats AS w",
	 "!207/16 Invalid column name 'colour'.\n"},
	{"SELECT foo(1)", "!195/15 'foo' is not a recognized built-in function name.\n"},
	{"SELEC 1", "!102/15 Incorrect syntax near 'SELEC'.\n"},
	{"SELECT * FROM sys.dm_db_page_info(NULL, 1, 1, 'LIMITED')",
	 "!12409/16 Invalid parameter specified.\n"},
	{"EXEC sp_nothing", "!2812/16 Could not find stored procedure 'sp_nothing'.\n"},
	{"SET NOCOUNT ON; SELECT database_id FROM sys.databases; SELECT @@ROWCOUNT AS n; "
	 "SELECT @@ROWCOUNT AS n",
	 "database_id int\n1\n2\n3\n4\n5\nn int\n5\nn int\n1\n"},
	{"set ansi_nulls on\nset textsize 2147483647\nset transaction isolation level read committed\n"
	 "set xact_abort off",
	 ""},
};

static void batches_answer_as_a_server_does(void **state)
{
	struct fixture *fixture = *state;

	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
		assert_string_equal(fixture_run(fixture, answers[i].sql), answers[i].answer);
}

static const char *const sums[] = {
	"SELECT SUM(waiting_tasks_count + wait_time_ms + max_wait_time_ms) AS n FROM sys.dm_os_wait_stats",
	"SELECT SUM(waiting_requests_count + wait_time_ms + max_wait_time_ms) AS n FROM sys.dm_os_latch_stats",
	"SELECT SUM(collisions + spins + sleep_time + backoffs) AS n FROM sys.dm_os_spinlock_stats",
};

static const char *const clears[] = {
	"DBCC SQLPERF('sys.dm_os_wait_stats', CLEAR)",
	"DBCC SQLPERF(N'sys.dm_os_latch_stats', CLEAR)",
	"DBCC SQLPERF('sys.dm_os_spinlock_stats', CLEAR)",
};

static void a_clear_zeroes_only_its_view(void **state)
{
	struct fixture *fixture = *state;

	fixture_control(fixture, "workload last-page");
	fixture_advance(fixture, 10000);
	for (int view = 0; view < 3; view++) {
		fixture_run(fixture, clears[view]);
		for (int other = 0; other < 3; other++) {
			int64_t sum = fixture_number(fixture, sums[other]);
			if (other <= view)
				assert_int_equal(sum, 0);
			else
				assert_true(sum > 0);
		}
	}
}

static void a_clear_keeps_the_phase_of_heartbeats(void **state)
{
	struct fixture *fixture = *state;
	static const char sql[] = "SELECT wait_time_ms FROM sys.dm_os_wait_stats "
				  "WHERE wait_type = 'XE_TIMER_EVENT'";

	fixture_advance(fixture, 3000);
	fixture_control(fixture, "clear waits");
	fixture_advance(fixture, 1999);
	assert_int_equal(fixture_number(fixture, sql), 0);
	fixture_advance(fixture, 1);
	assert_int_equal(fixture_number(fixture, sql), 5000);
}

static void a_restart_begins_a_new_epoch(void **state)
{
	struct fixture *fixture = *state;
	static const char ticks[] = "SELECT sqlserver_start_time_ms_ticks FROM sys.dm_os_sys_info";
	static const char process[] = "SELECT CONVERT(int, SERVERPROPERTY('ProcessID')) AS p";
	int64_t ticks_before = fixture_number(fixture, ticks);
	int64_t process_before = fixture_number(fixture, process);

	fixture_control(fixture, "restart");
	assert_int_equal(fixture_number(fixture, ticks), ticks_before + 259200000);
	assert_true(fixture_number(fixture, process) != process_before);
	for (int view = 0; view < 3; view++)
		assert_int_equal(fixture_number(fixture, sums[view]), 0);
}

static void a_reboot_lowers_the_ticks(void **state)
{
	struct fixture *fixture = *state;
	static const char sql[] = "SELECT ms_ticks FROM sys.dm_os_sys_info";
	int64_t before = fixture_number(fixture, sql);

	fixture_control(fixture, "reboot");
	assert_true(fixture_number(fixture, sql) < before);
}

static void rows_can_be_set_added_nulled_and_removed(void **state)
{
	struct fixture *fixture = *state;
	static const char sql[] =
		"SELECT COUNT(*) AS n, SUM(wait_time_ms) AS w, SUM(signal_wait_time_ms) AS s "
		"FROM sys.dm_os_wait_stats WHERE wait_type = 'FULLTEXT GATHERER'";

	fixture_control(fixture,
			"set waits \"FULLTEXT GATHERER\" wait_time_ms=70 signal_wait_time_ms=5");
	fixture_control(fixture, "add waits \"FULLTEXT GATHERER\" wait_time_ms=30");
	fixture_control(fixture, "null waits \"FULLTEXT GATHERER\" signal_wait_time_ms");
	assert_string_equal(fixture_run(fixture, sql), "n int|w bigint|s bigint\n2|100|0\n");
	fixture_control(fixture, "remove waits \"FULLTEXT GATHERER\"");
	assert_string_equal(fixture_run(fixture, sql), "n int|w bigint|s bigint\n0|NULL|NULL\n");
}

static void a_rate_of_ones_own_can_be_given(void **state)
{
	struct fixture *fixture = *state;
	static const char sql[] =
		"SELECT wait_time_ms FROM sys.dm_os_wait_stats WHERE wait_type = 'LCK_M_X'";
	int64_t before = fixture_number(fixture, sql);

	fixture_control(fixture, "rate waits LCK_M_X 1500 3");
	fixture_advance(fixture, 60000);
	assert_int_equal(fixture_number(fixture, sql) - before, 90000);
}

static void identity_and_clock_can_change(void **state)
{
	struct fixture *fixture = *state;

	fixture_control(fixture, "identity OTHER NODE2");
	fixture_control(fixture, "clock -3600");
	assert_string_equal(
		fixture_run(
			fixture,
			"SELECT @@SERVERNAME AS s, CONVERT(nvarchar(16), SYSUTCDATETIME(), 126) AS t"),
		"s nvarchar(128)|t nvarchar(16)\nOTHER|2024-05-01T09:00\n");
}

static void unknown_commands_are_left_to_the_wire(void **state)
{
	struct fixture *fixture = *state;
	char answer[200];

	assert_false(instance_control(fixture->instance, "refuse on", answer, sizeof(answer)));
	assert_true(instance_control(fixture->instance, "set waits NOTHING x=1", answer,
				     sizeof(answer)));
	assert_string_equal(answer, "error there is no row of that name");
}

static void every_command_is_refused_without_words(void **state)
{
	struct fixture *fixture = *state;
	static const char *const verbs[] = {"set",  "add",   "remove",	 "null",   "get",
					    "rate", "clear", "workload", "option", "identity"};
	char answer[200];

	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		assert_true(instance_control(fixture->instance, verbs[i], answer, sizeof(answer)));
		assert_int_equal(strncmp(answer, "error", 5), 0);
	}
}

static bool always_wanted(void *context)
{
	(void)context;
	return true;
}

struct crowd {
	struct instance *instance;
	int32_t session_id;
	bool is_done;
};

static bool ignore_statement(void *context, const char *sql, size_t size, bool *is_answered)
{
	(void)context;
	(void)sql;
	*is_answered = false;
	return size > 0;
}

static bool ignore_columns(void *context, const struct sql_column *columns, size_t count)
{
	(void)context;
	(void)columns;
	return count > 0;
}

static bool ignore_row(void *context, const struct sql_value *values, size_t count)
{
	(void)values;
	(void)count;
	(*(int *)context)++;
	return true;
}

static bool ignore_done(void *context, bool has_count, uint64_t row_count, bool has_error)
{
	(void)context;
	(void)has_count;
	(void)row_count;
	return !has_error;
}

static bool ignore_message(void *context, const struct sql_message *message)
{
	(void)context;
	return message->severity <= 10;
}

static void *work(void *argument)
{
	struct crowd *one = argument;
	static const char sql[] =
		"SELECT * FROM sys.dm_os_wait_stats; SELECT * FROM sys.dm_exec_requests AS r JOIN "
		"sys.dm_exec_sessions AS s ON s.session_id = r.session_id; "
		"DBCC SQLPERF('sys.dm_os_latch_stats', CLEAR)";
	int rows = 0;
	char answer[1024];
	struct result_sink sink = {
		.context = &rows,
		.statement = ignore_statement,
		.is_wanted = always_wanted,
		.columns = ignore_columns,
		.row = ignore_row,
		.done = ignore_done,
		.message = ignore_message,
	};

	one->is_done = true;
	for (int i = 0; i < 5 && one->is_done; i++) {
		struct session_identity identity = {.session_id = one->session_id,
						    .login_name = "latchd",
						    .program_name = "crowd",
						    .host_name = "HOST",
						    .database = "Sales"};
		struct session_engine *engine = session_engine_new(one->instance, &identity);
		one->is_done = engine && session_engine_execute(engine, sql, strlen(sql), &sink) &&
			       instance_control(one->instance, i % 2 ? "option on" : "option off",
						answer, sizeof(answer));
		session_engine_free(engine);
	}
	one->is_done = one->is_done && rows > 5000;
	return NULL;
}

/* Of batches that have ended, as on a real server. */
static void a_session_is_charged_the_time_of_its_batches(void **state)
{
	struct fixture *fixture = *state;
	const char *cpu = "SELECT s.cpu_time FROM sys.dm_exec_sessions AS s "
			  "WHERE s.session_id = @@SPID";

	int64_t before = fixture_number(fixture, cpu);
	for (int i = 0; i < 300; i++)
		fixture_run(fixture, "SELECT COUNT(*) FROM sys.dm_os_wait_stats AS w");
	assert_true(fixture_number(fixture, cpu) > before);
}

static void many_sessions_work_at_once(void **state)
{
	struct fixture *fixture = *state;
	pthread_t threads[6];
	struct crowd crowd[6];

	fixture_control(fixture, "workload last-page");
	for (int i = 0; i < 6; i++) {
		crowd[i] = (struct crowd){fixture->instance, 60 + i, false};
		assert_int_equal(pthread_create(&threads[i], NULL, work, &crowd[i]), 0);
	}
	for (int i = 0; i < 6; i++) {
		pthread_join(threads[i], NULL);
		assert_true(crowd[i].is_done);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(batches_answer_as_a_server_does),
		TEST(a_clear_zeroes_only_its_view),
		TEST(a_clear_keeps_the_phase_of_heartbeats),
		TEST(a_restart_begins_a_new_epoch),
		TEST(a_reboot_lowers_the_ticks),
		TEST(rows_can_be_set_added_nulled_and_removed),
		TEST(a_rate_of_ones_own_can_be_given),
		TEST(identity_and_clock_can_change),
		TEST(unknown_commands_are_left_to_the_wire),
		TEST(every_command_is_refused_without_words),
		TEST(a_session_is_charged_the_time_of_its_batches),
		TEST(many_sessions_work_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
