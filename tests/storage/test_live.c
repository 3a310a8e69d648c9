/* SPDX-License-Identifier: Apache-2.0 */
/* The last known state travels by copies. */
#include "storage/live.h"

#include <string.h>

#include "tests/support.h"

static void target_is_found_by_name_as_a_copy(void **state)
{
	(void)state;
	CLEANUP(live_freep) struct live *live = live_new(2);
	struct live_target target = {.id = 7, .name = "prod-01", .port = 1433};
	live_set_target(live, 1, &target);
	target.port = 1;
	struct live_target found = {0};
	assert_true(live_find_target(live, "prod-01", &found));
	assert_int_equal(found.port, 1433);
	live_get_target(live, 1, &found);
	assert_int_equal(found.id, 7);
	assert_int_equal(live_target_count(live), 2);
}

static void unknown_name_is_not_found(void **state)
{
	(void)state;
	CLEANUP(live_freep) struct live *live = live_new(1);
	const struct live_target target = {.name = "prod-01"};
	live_set_target(live, 0, &target);
	struct live_target found = {0};
	assert_false(live_find_target(live, "PROD-01", &found));
}

static void targets_that_are_up_are_counted(void **state)
{
	(void)state;
	CLEANUP(live_freep) struct live *live = live_new(3);
	const struct live_target up = {.name = "prod-01", .state = TARGET_UP};
	const struct live_target denied = {.name = "prod-02", .state = TARGET_DENIED};
	assert_int_equal(live_up_count(live), 0);
	live_set_target(live, 0, &up);
	live_set_target(live, 1, &denied);
	live_set_target(live, 2, &up);
	assert_int_equal(live_up_count(live), 2);
}

static void the_last_commit_is_told(void **state)
{
	(void)state;
	CLEANUP(live_freep) struct live *live = live_new(0);
	assert_int_equal(live_commit(live), 0);
	live_set_commit(live, 42);
	assert_int_equal(live_commit(live), 42);
}

static void the_last_task_sample_of_a_target_is_copied_out(void **state)
{
	(void)state;
	CLEANUP(live_freep) struct live *live = live_new(2);
	const struct live_target target = {.name = "prod-02"};
	live_set_target(live, 1, &target);
	assert_null(live_copy_tasks(live, "prod-02"));
	for (int i = 1; i <= 2; i++) {
		CLEANUP(task_sample_freep)
		struct task_sample *sample = task_sample_new((struct instant){i, i}, 8);
		live_set_tasks(live, 1, sample);
	}
	CLEANUP(task_sample_freep) struct task_sample *copy = live_copy_tasks(live, "prod-02");
	assert_int_equal(copy->taken.utc_ms, 2);
	assert_null(live_copy_tasks(live, "prod-01"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(target_is_found_by_name_as_a_copy),
		cmocka_unit_test(unknown_name_is_not_found),
		cmocka_unit_test(targets_that_are_up_are_counted),
		cmocka_unit_test(the_last_commit_is_told),
		cmocka_unit_test(the_last_task_sample_of_a_target_is_copied_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
