/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks are counted once, however many rows tell of them. */
#include "collectors/task_sample.h"

#include <stdio.h>
#include <string.h>

#include "tests/support.h"

static struct task task_of(uint64_t address, int32_t session_id, const char *wait_type,
			   const char *resource)
{
	struct task task = {
		.address = address,
		.session_id = session_id,
		.scheduler_id = -1,
		.resource = page_address_parse(wait_type, resource),
	};
	snprintf(task.wait_type, sizeof(task.wait_type), "%s", wait_type);
	return task;
}

static struct task request_of(uint64_t address, int32_t session_id, const char *wait_type,
			      const char *resource)
{
	struct task request = task_of(address, session_id, wait_type, resource);
	request.database_id = 5;
	request.scheduler_id = 3;
	request.query_hash = 0xabcd;
	request.is_insert = true;
	return request;
}

static void add_waiting(struct task_sample *sample, uint64_t address, int32_t session_id,
			const char *wait_type, const char *resource)
{
	struct task task = task_of(address, session_id, wait_type, resource);
	task_sample_add_waiting(sample, &task);
}

static void task_with_many_blockers_is_one_task(void **state)
{
	(void)state;
	CLEANUP(task_sample_freep)
	struct task_sample *sample = task_sample_new((struct instant){0}, 8);
	add_waiting(sample, 0x10, 55, "PAGELATCH_EX", "5:1:104");
	add_waiting(sample, 0x10, 55, "PAGELATCH_EX", "5:1:104");
	add_waiting(sample, 0x20, 55, "PAGELATCH_EX", "5:1:104");
	assert_int_equal(sample->task_count, 2);
}

static void better_resource_replaces_the_one_kept(void **state)
{
	(void)state;
	CLEANUP(task_sample_freep)
	struct task_sample *sample = task_sample_new((struct instant){0}, 8);
	add_waiting(sample, 0x10, 55, "PAGELATCH_EX", NULL);
	add_waiting(sample, 0x10, 55, "PAGELATCH_EX", "5:1:104");
	add_waiting(sample, 0x10, 55, "PAGELATCH_EX", "5:1");
	assert_int_equal(sample->task_count, 1);
	assert_int_equal(sample->tasks[0].resource.page_id, 104);
	assert_int_equal(sample->invalid_resource_count, 1);
}

static void tasks_without_an_address_are_all_kept(void **state)
{
	(void)state;
	CLEANUP(task_sample_freep)
	struct task_sample *sample = task_sample_new((struct instant){0}, 8);
	add_waiting(sample, 0, 55, "PAGELATCH_EX", "5:1:104");
	add_waiting(sample, 0, 56, "PAGELATCH_EX", "5:1:104");
	assert_int_equal(sample->task_count, 2);
}

static void request_completes_its_task(void **state)
{
	(void)state;
	CLEANUP(task_sample_freep)
	struct task_sample *sample = task_sample_new((struct instant){0}, 8);
	add_waiting(sample, 0x10, 55, "PAGELATCH_EX", NULL);
	struct task request = request_of(0x10, 55, "PAGELATCH_EX", "5:1:104");
	task_sample_add_request(sample, &request);
	assert_int_equal(sample->task_count, 1);
	const struct task *task = &sample->tasks[0];
	assert_int_equal(task->database_id, 5);
	assert_int_equal(task->scheduler_id, 3);
	assert_true(task->query_hash == 0xabcd);
	assert_true(task->is_insert);
	assert_int_equal(task->resource.page_id, 104);
}

/* The two views are read one after the other. */
static void request_that_waits_for_something_else_now_keeps_its_resource(void **state)
{
	(void)state;
	CLEANUP(task_sample_freep)
	struct task_sample *sample = task_sample_new((struct instant){0}, 8);
	add_waiting(sample, 0x10, 55, "WRITELOG", NULL);
	struct task request = request_of(0x10, 55, "PAGELATCH_EX", "5:1:104");
	task_sample_add_request(sample, &request);
	assert_string_equal(sample->tasks[0].wait_type, "WRITELOG");
	assert_int_equal(sample->tasks[0].resource.kind, RESOURCE_NONE);
}

/* Only the coordinator of a parallel query has a request. B065. */
static void request_completes_the_workers_of_its_session(void **state)
{
	(void)state;
	CLEANUP(task_sample_freep)
	struct task_sample *sample = task_sample_new((struct instant){0}, 8);
	add_waiting(sample, 0x10, 55, "PAGELATCH_SH", "5:1:104");
	add_waiting(sample, 0x20, 55, "PAGELATCH_SH", "5:1:104");
	add_waiting(sample, 0x30, 77, "PAGELATCH_SH", "5:1:104");
	struct task request = request_of(0x99, 55, "", NULL);
	task_sample_add_request(sample, &request);
	assert_int_equal(sample->task_count, 3);
	assert_true(sample->tasks[0].query_hash == 0xabcd);
	assert_true(sample->tasks[1].query_hash == 0xabcd);
	assert_true(sample->tasks[2].query_hash == 0);
	assert_int_equal(sample->tasks[1].scheduler_id, -1);
}

static void request_of_a_session_not_there_is_a_task(void **state)
{
	(void)state;
	CLEANUP(task_sample_freep)
	struct task_sample *sample = task_sample_new((struct instant){0}, 8);
	struct task request = request_of(0x10, 55, "", NULL);
	task_sample_add_request(sample, &request);
	assert_int_equal(sample->task_count, 1);
	assert_int_equal(sample->tasks[0].session_id, 55);
}

static void more_tasks_than_the_cap_are_said_so(void **state)
{
	(void)state;
	CLEANUP(task_sample_freep)
	struct task_sample *sample = task_sample_new((struct instant){0}, 8);
	for (int i = 0; i <= TASKS_MAX; i++)
		add_waiting(sample, (uint64_t)i + 1, i, "PAGELATCH_EX", "5:1:104");
	assert_int_equal(sample->task_count, TASKS_MAX);
	assert_true(sample->is_truncated);
}

static void latches_and_flow_control_are_of_interest(void **state)
{
	(void)state;
	const char *const yes[] = {"PAGELATCH_EX", "PAGEIOLATCH_SH", "LATCH_EX",
				   "BTREE_INSERT_FLOW_CONTROL"};
	const char *const no[] = {"", "WRITELOG", "LCK_M_X", "TRAN_MARKLATCH_EX", "PAGELATCH"};
	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++) {
		struct task task = task_of(1, 1, yes[i], NULL);
		assert_true(task_is_of_interest(&task));
	}
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++) {
		struct task task = task_of(1, 1, no[i], NULL);
		assert_false(task_is_of_interest(&task));
	}
}

static void sample_is_of_interest_by_one_task(void **state)
{
	(void)state;
	CLEANUP(task_sample_freep)
	struct task_sample *sample = task_sample_new((struct instant){0}, 8);
	assert_false(task_sample_is_of_interest(sample));
	add_waiting(sample, 1, 51, "WRITELOG", NULL);
	assert_false(task_sample_is_of_interest(sample));
	add_waiting(sample, 2, 52, "PAGELATCH_EX", NULL);
	assert_true(task_sample_is_of_interest(sample));
}

static void the_blocker_comes_from_the_row_that_names_one(void **state)
{
	(void)state;
	CLEANUP(task_sample_freep)
	struct task_sample *sample = task_sample_new((struct instant){0}, 8);
	struct task task = task_of(0x10, 55, "LCK_M_X", NULL);
	task_sample_add_waiting(sample, &task);
	task.blocking_session_id = 61;
	snprintf(task.resource_text, sizeof(task.resource_text), "objectlock 1");
	task.resource = page_address_parse("LCK_M_X", task.resource_text);
	task_sample_add_waiting(sample, &task);
	assert_int_equal(sample->task_count, 1);
	assert_int_equal(sample->tasks[0].blocking_session_id, 61);
	assert_string_equal(sample->tasks[0].resource_text, "objectlock 1");
}

static void the_longest_wait_is_no_idle_one(void **state)
{
	(void)state;
	CLEANUP(task_sample_freep)
	struct task_sample *sample = task_sample_new((struct instant){0}, 8);
	assert_null(task_sample_longest(sample));
	add_waiting(sample, 1, 51, "WAITFOR", NULL);
	sample->tasks[0].wait_ms = 9000;
	assert_null(task_sample_longest(sample));
	add_waiting(sample, 2, 52, "LCK_M_S", NULL);
	sample->tasks[1].wait_ms = 30;
	assert_int_equal(task_sample_longest(sample)->session_id, 52);
}

static void a_copy_stands_alone(void **state)
{
	(void)state;
	CLEANUP(task_sample_freep)
	struct task_sample *sample = task_sample_new((struct instant){7, 8}, 8);
	add_waiting(sample, 1, 51, "LCK_M_S", NULL);
	CLEANUP(task_sample_freep) struct task_sample *copy = task_sample_copy(sample);
	sample->tasks[0].session_id = 99;
	add_waiting(copy, 2, 52, "LCK_M_S", NULL);
	assert_int_equal(copy->tasks[0].session_id, 51);
	assert_int_equal(copy->task_count, 2);
	assert_int_equal(copy->taken.utc_ms, 8);
	assert_int_equal(sample->task_count, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(task_with_many_blockers_is_one_task),
		cmocka_unit_test(better_resource_replaces_the_one_kept),
		cmocka_unit_test(tasks_without_an_address_are_all_kept),
		cmocka_unit_test(request_completes_its_task),
		cmocka_unit_test(request_that_waits_for_something_else_now_keeps_its_resource),
		cmocka_unit_test(request_completes_the_workers_of_its_session),
		cmocka_unit_test(request_of_a_session_not_there_is_a_task),
		cmocka_unit_test(more_tasks_than_the_cap_are_said_so),
		cmocka_unit_test(latches_and_flow_control_are_of_interest),
		cmocka_unit_test(sample_is_of_interest_by_one_task),
		cmocka_unit_test(the_blocker_comes_from_the_row_that_names_one),
		cmocka_unit_test(the_longest_wait_is_no_idle_one),
		cmocka_unit_test(a_copy_stands_alone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
