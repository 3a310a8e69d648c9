/* SPDX-License-Identifier: Apache-2.0 */
/* Waits held by command: seen while they last, counted at the start, booked at the end. */
#include "tests/sim/engine_fixture.h"

#include <stdio.h>
#include <string.h>

/* A view, and the column of its names. */
#define WAITS "dm_os_wait_stats", "wait_type"
#define LATCH "dm_os_latch_stats", "latch_class"

static int64_t value(struct fixture *fixture, const char *view, const char *key, const char *column,
		     const char *name)
{
	char sql[200];

	snprintf(sql, sizeof(sql), "SELECT %s FROM sys.%s WHERE %s = '%s'", column, view, key,
		 name);
	return fixture_number(fixture, sql);
}

static int64_t tasks_of(struct fixture *fixture, const char *wait_type)
{
	char sql[200];

	snprintf(sql, sizeof(sql),
		 "SELECT COUNT(*) FROM sys.dm_os_waiting_tasks WHERE wait_type = '%s'", wait_type);
	return fixture_number(fixture, sql);
}

static void a_wait_is_counted_at_its_start_and_booked_at_its_end(void **state)
{
	struct fixture *fixture = *state;
	int64_t count = value(fixture, WAITS, "waiting_tasks_count", "LCK_M_S");
	int64_t time_ms = value(fixture, WAITS, "wait_time_ms", "LCK_M_S");

	fixture_control(fixture, "hold LCK_M_S 6 age 595.119 by 60 for \"objectlock id=1\"");
	assert_int_equal(value(fixture, WAITS, "waiting_tasks_count", "LCK_M_S"), count + 1);
	fixture_advance(fixture, 5000);
	assert_int_equal(value(fixture, WAITS, "wait_time_ms", "LCK_M_S"), time_ms);
	assert_string_equal(
		fixture_run(fixture, "SELECT session_id, wait_duration_ms, blocking_session_id, "
				     "resource_description FROM sys.dm_os_waiting_tasks "
				     "WHERE wait_type = 'LCK_M_S'"),
		"session_id smallint|wait_duration_ms bigint|blocking_session_id smallint|"
		"resource_description nvarchar(3072)\n2101|600119|60|objectlock id=1\n");
	assert_string_equal(fixture_run(fixture,
					"SELECT status, wait_time FROM sys.dm_exec_requests "
					"WHERE wait_type = 'LCK_M_S'"),
			    "status nvarchar(30)|wait_time int\nsuspended|600119\n");
	fixture_advance(fixture, 1000);
	assert_int_equal(tasks_of(fixture, "LCK_M_S"), 0);
	assert_int_equal(value(fixture, WAITS, "waiting_tasks_count", "LCK_M_S"), count + 1);
	assert_int_equal(value(fixture, WAITS, "wait_time_ms", "LCK_M_S"), time_ms + 601119);
	assert_int_equal(value(fixture, WAITS, "max_wait_time_ms", "LCK_M_S"), 601119);
}

/* The time of a latch class is refreshed every five minutes, that of the wait type is not. */
static void a_latch_class_is_refreshed_while_the_wait_lasts(void **state)
{
	struct fixture *fixture = *state;
	int64_t class_ms = value(fixture, LATCH, "wait_time_ms", "LOG_MANAGER");
	int64_t wait_ms = value(fixture, WAITS, "wait_time_ms", "LATCH_EX");

	fixture_control(fixture, "hold LATCH_EX 700 for \"LOG_MANAGER (000001F1B8003400)\"");
	fixture_advance(fixture, 299000);
	assert_int_equal(value(fixture, LATCH, "wait_time_ms", "LOG_MANAGER"), class_ms);
	fixture_advance(fixture, 302000);
	assert_int_equal(value(fixture, LATCH, "wait_time_ms", "LOG_MANAGER"), class_ms + 600000);
	assert_int_equal(value(fixture, WAITS, "wait_time_ms", "LATCH_EX"), wait_ms);
	fixture_advance(fixture, 100000);
	assert_int_equal(value(fixture, LATCH, "wait_time_ms", "LOG_MANAGER"), class_ms + 700000);
	assert_int_equal(value(fixture, WAITS, "wait_time_ms", "LATCH_EX"), wait_ms + 700000);
}

static void a_released_wait_is_booked_as_far_as_it_went(void **state)
{
	struct fixture *fixture = *state;
	int64_t time_ms = value(fixture, WAITS, "wait_time_ms", "LCK_M_X");

	fixture_control(fixture, "hold LCK_M_X 100");
	fixture_control(fixture, "hold LCK_M_X 100");
	fixture_advance(fixture, 2000);
	fixture_control(fixture, "release 2102");
	assert_int_equal(tasks_of(fixture, "LCK_M_X"), 1);
	fixture_control(fixture, "release all");
	assert_int_equal(tasks_of(fixture, "LCK_M_X"), 0);
	assert_int_equal(value(fixture, WAITS, "wait_time_ms", "LCK_M_X"), time_ms + 4000);
}

static void a_restart_ends_waits_unbooked(void **state)
{
	struct fixture *fixture = *state;

	fixture_control(fixture, "hold LCK_M_X 100");
	fixture_control(fixture, "restart");
	assert_int_equal(tasks_of(fixture, "LCK_M_X"), 0);
	fixture_advance(fixture, 200000);
	assert_int_equal(value(fixture, WAITS, "wait_time_ms", "LCK_M_X"), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_wait_is_counted_at_its_start_and_booked_at_its_end),
		TEST(a_latch_class_is_refreshed_while_the_wait_lasts),
		TEST(a_released_wait_is_booked_as_far_as_it_went),
		TEST(a_restart_ends_waits_unbooked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
