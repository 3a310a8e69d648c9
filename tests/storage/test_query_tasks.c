/* SPDX-License-Identifier: Apache-2.0 */
/* Task samples and page owners that were written come back. */
#include "storage/query.h"

#include <string.h>

#include "daemon/base/alloc.h"
#include "tests/storage/store_fixture.h"
#include "tests/support.h"
#include "tests/support/delta_builder.h"

static bool note_tasks(void *context, int64_t commit_id, const struct task_sample *sample)
{
	assert_true(commit_id > 0);
	assert_int_equal(sample->scheduler_count, 16);
	assert_int_equal(sample->task_count, 2);
	assert_string_equal(sample->tasks[1].wait_type, "PAGELATCH_EX");
	assert_int_equal(sample->tasks[1].session_id, 52);
	assert_int_equal(sample->tasks[1].resource.page_id, 4016);
	return seen_note(context, sample->taken.utc_ms);
}

static void tasks_of_interest_are_kept_and_others_are_not(void **state)
{
	(void)state;
	struct store_fixture fixture;
	fixture_start(&fixture);
	for (int64_t i = 1; i <= 3; i++) {
		struct batch *batch = batch_new(fixture.target_id);
		batch->tasks = tasks_build(i * 1000, i == 2 ? 0 : 2);
		fixture_commit(&fixture, batch);
	}
	struct error err = ERROR_INIT;
	struct seen seen = {0};
	assert_true(query_tasks_after_commit(fixture_read(&fixture), fixture.target_id, 0, 0,
					     note_tasks, &seen, &err));
	seen_expect(&seen, (const int64_t[]){1000, 3000}, 2);
	seen.count = 0;
	assert_true(query_tasks_after_commit(fixture.reader, fixture.target_id, 0, 1, note_tasks,
					     &seen, &err));
	seen_expect(&seen, (const int64_t[]){3000}, 1);
	fixture_remove(&fixture);
}

static bool note_owner(void *context, const struct page_owner *owner)
{
	const struct page_owner *expected = context;
	assert_string_equal(owner->object, expected->object);
	assert_string_equal(owner->leading_column, expected->leading_column);
	assert_int_equal(owner->page_id, expected->page_id);
	assert_int_equal(owner->next_page_id, expected->next_page_id);
	assert_int_equal(owner->optimize_for_sequential_key, -1);
	assert_int_equal(owner->looked_up_utc_ms, expected->looked_up_utc_ms);
	return true;
}

static void owner_that_is_looked_up_again_replaces_the_old(void **state)
{
	(void)state;
	struct store_fixture fixture;
	fixture_start(&fixture);
	struct page_owner owner = {.database_id = 5,
				   .file_id = 1,
				   .page_id = 4016,
				   .object = "dbo.Orders",
				   .next_page_id = -1,
				   .leading_column = "OrderId",
				   .optimize_for_sequential_key = -1,
				   .looked_up_utc_ms = 1000};
	for (int i = 0; i < 2; i++) {
		struct batch *batch = batch_new(fixture.target_id);
		batch_add_owner(batch, &owner);
		fixture_commit(&fixture, batch);
		owner.looked_up_utc_ms += 1000;
		owner.next_page_id++;
	}
	owner.looked_up_utc_ms = 2000;
	owner.next_page_id = 0;
	struct error err = ERROR_INIT;
	assert_true(query_owners(fixture_read(&fixture), fixture.target_id, 0, note_owner, &owner,
				 &err));
	fixture_remove(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tasks_of_interest_are_kept_and_others_are_not),
		cmocka_unit_test(owner_that_is_looked_up_again_replaces_the_old),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
