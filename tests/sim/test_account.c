/* SPDX-License-Identifier: Apache-2.0 */
/* What a login may see, version by version, and what the server says when it may not. */
#include "tests/sim/engine_fixture.h"

#include "tests/sim/account.h"

#include <stdio.h>
#include <string.h>

#define SECOND "!297/16 The user does not have permission to perform this action.\n"
#define STATE_DENIED                                                                               \
	"!300/14 VIEW SERVER STATE permission was denied on object 'server', database 'master'.\n"

/* The definition right, nothing else. */
#define POOR "latchd:latchd:VIEW ANY DEFINITION"

static const struct {
	const char *profile;
	const char *login;
	const char *sql;
	const char *answer;
} answers[] = {
	{"2019", POOR, "SELECT wait_type FROM sys.dm_os_wait_stats", STATE_DENIED SECOND},
	{"2019", POOR, "SELECT COUNT(*) FROM sys.dm_os_wait_stats; SELECT 1 AS a",
	 STATE_DENIED SECOND "a int\n1\n"},
	{"2022", POOR, "SELECT wait_type FROM sys.dm_os_wait_stats",
	 "!300/14 VIEW SERVER PERFORMANCE STATE permission was denied on object 'server', "
	 "database 'master'.\n" SECOND},
	{"2022", "latchd:latchd:VIEW SERVER PERFORMANCE STATE",
	 "SELECT encrypt_option FROM sys.dm_exec_connections",
	 "!300/14 VIEW SERVER SECURITY STATE permission was denied on object 'server', "
	 "database 'master'.\n" SECOND},
	{"2022", "latchd:latchd:VIEW SERVER PERFORMANCE STATE",
	 "SELECT COUNT(*) AS n FROM sys.dm_os_latch_stats", "n int\n119\n"},
	{"2019", "latchd:latchd:VIEW SERVER PERFORMANCE STATE",
	 "SELECT COUNT(*) AS n FROM sys.dm_os_latch_stats", STATE_DENIED SECOND},
	{"2019", "latchd:latchd:ALTER SERVER STATE",
	 "SELECT COUNT(*) AS n FROM sys.dm_os_latch_stats", "n int\n119\n"},
	{"azure", "latchd:latchd:VIEW DATABASE STATE",
	 "SELECT COUNT(*) AS n FROM sys.dm_os_latch_stats", "n int\n119\n"},
	{"2019", POOR, "SELECT session_id FROM sys.dm_exec_sessions", "session_id smallint\n51\n"},
	{"2019", POOR, "SELECT session_id FROM sys.dm_exec_requests", "session_id smallint\n51\n"},
	{"2019", POOR, "SELECT page_type FROM sys.dm_db_page_info(5, 1, 1, 'LIMITED')",
	 "!262/14 VIEW DATABASE STATE permission denied in database 'master'.\n" SECOND},
	{"2019", "latchd:latchd:VIEW SERVER STATE",
	 "SELECT OBJECT_NAME(901578250, 5) AS o, HAS_DBACCESS('Sales') AS a, "
	 "HAS_DBACCESS('tempdb') AS t",
	 "o nvarchar(128)|a int|t int\nNULL|0|1\n"},
	{"2019", "latchd:latchd:CONNECT ANY DATABASE", "SELECT COUNT(*) AS n FROM Sales.sys.tables",
	 "n int\n0\n"},
	{"2019", "latchd:latchd:CONNECT ANY DATABASE, VIEW ANY DEFINITION",
	 "SELECT COUNT(*) AS n FROM Sales.sys.tables", "n int\n4\n"},
	{"2019", "latchd:latchd:VIEW ANY DEFINITION", "SELECT COUNT(*) AS n FROM Sales.sys.tables",
	 "!916/14 The server principal \"latchd\" is not able to access the database \"Sales\" "
	 "under the current security context.\n"},
	{"2019", "latchd:latchd:", "USE Sales",
	 "!916/14 The server principal \"latchd\" is not able to access the database \"Sales\" "
	 "under the current security context.\n"},
	{"2019", "latchd:latchd:VIEW SERVER STATE", "DBCC SQLPERF('sys.dm_os_wait_stats', CLEAR)",
	 "!2571/14 User 'latchd' does not have permission to run DBCC SQLPERF.\n"},
	{"2019", POOR,
	 "SELECT HAS_PERMS_BY_NAME(NULL, NULL, 'VIEW SERVER STATE') AS s, "
	 "HAS_PERMS_BY_NAME(NULL, NULL, 'VIEW ANY DEFINITION') AS d, "
	 "IS_SRVROLEMEMBER('sysadmin') AS a",
	 "s int|d int|a int\n0|1|0\n"},
};

static void logins_see_what_they_are_granted(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		struct fixture *fixture = fixture_open(answers[i].profile, answers[i].login);
		assert_non_null(fixture);
		const char *answer = fixture_run(fixture, answers[i].sql);
		if (strcmp(answer, answers[i].answer) != 0)
			fail_msg("%s, %s: '%s' answers '%s'", answers[i].profile, answers[i].login,
				 answers[i].sql, answer);
		fixture_close(fixture);
	}
}

static void a_grant_counts_at_once(void **state)
{
	struct fixture *fixture = *state;
	static const char sql[] = "SELECT COUNT(*) AS n FROM sys.dm_os_latch_stats";

	fixture_control(fixture, "login add latchd latchd VIEW ANY DEFINITION");
	assert_string_equal(fixture_run(fixture, sql), STATE_DENIED SECOND);
	fixture_control(fixture, "grant latchd VIEW SERVER STATE");
	assert_string_equal(fixture_run(fixture, sql), "n int\n119\n");
	fixture_control(fixture, "revoke latchd VIEW SERVER STATE");
	assert_string_equal(fixture_run(fixture, sql), STATE_DENIED SECOND);
}

static void a_denied_view_fails_alone(void **state)
{
	struct fixture *fixture = *state;

	fixture_control(fixture, "deny latchd sys.dm_os_spinlock_stats");
	assert_string_equal(
		fixture_run(fixture, "SELECT name FROM sys.dm_os_spinlock_stats; SELECT 1 AS a"),
		"!229/14 The SELECT permission was denied on the object "
		"'dm_os_spinlock_stats', database 'mssqlsystemresource', schema 'sys'.\n"
		"a int\n1\n");
	fixture_control(fixture, "grant latchd SELECT");
	assert_string_equal(fixture_run(fixture, "SELECT TOP 0 name FROM sys.dm_os_spinlock_stats"),
			    "name nvarchar(256)\n");
}

static void logins_enter_with_their_own_password_and_database(void **state)
{
	struct fixture *fixture = *state;

	fixture_control(fixture, "login add bob secret VIEW SERVER STATE");
	assert_true(instance_login_is_valid(fixture->instance, "bob", "secret"));
	assert_false(instance_login_is_valid(fixture->instance, "bob", "Secret"));
	assert_false(instance_has_database(fixture->instance, "bob", "Sales"));
	assert_true(instance_has_database(fixture->instance, "bob", "tempdb"));
	assert_true(instance_has_database(fixture->instance, "latchd", "Sales"));
	fixture_control(fixture, "login remove bob");
	assert_false(instance_login_is_valid(fixture->instance, "bob", "secret"));
}

static void a_wrong_login_text_is_refused(void **state)
{
	struct accounts accounts = {0};

	(void)state;
	assert_false(accounts_add(&accounts, "latchd"));
	assert_false(accounts_add(&accounts, ":password"));
	assert_false(accounts_add(&accounts, "a:b:VIEW NOTHING"));
	assert_true(accounts_add(&accounts, "a:b"));
	assert_int_equal(accounts_find(&accounts, "A")->rights, RIGHT_ALL);
	assert_true(accounts_add(&accounts, "a:b:"));
	assert_int_equal(accounts_find(&accounts, "a")->rights, 0);
	assert_int_equal(accounts.count, 1);
	accounts_done(&accounts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(logins_see_what_they_are_granted),
		cmocka_unit_test_setup_teardown(a_grant_counts_at_once, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(a_denied_view_fails_alone, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(logins_enter_with_their_own_password_and_database,
						fixture_setup, fixture_teardown),
		cmocka_unit_test(a_wrong_login_text_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
