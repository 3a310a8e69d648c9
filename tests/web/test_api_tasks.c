/* SPDX-License-Identifier: Apache-2.0 */
/* Waits that last: grouped, counted and blamed; what was never sampled is null. */
#include <stdio.h>
#include <string.h>

#include "tests/support.h"
#include "tests/web/web_fixture.h"

#define TASKS "/api/v1/targets/prod-01/tasks"

static struct task_sample *sample;

static int start(void **state)
{
	static struct web_fixture fixture;
	fixture_start(&fixture);
	sample = task_sample_new((struct instant){5, fixture_now_utc_ms - 700}, 32);
	*state = &fixture;
	return 0;
}

static int stop(void **state)
{
	task_sample_free(sample);
	fixture_stop(*state);
	return 0;
}

static void add_task(int32_t session_id, const char *wait_type, int64_t wait_ms,
		     const char *resource, int32_t blocker)
{
	struct task task = {
		.address = 0x1000 + sample->task_count,
		.session_id = session_id,
		.wait_ms = wait_ms,
		.resource = page_address_parse(wait_type, resource),
		.blocking_session_id = blocker,
	};
	(void)snprintf(task.wait_type, sizeof(task.wait_type), "%s", wait_type);
	(void)snprintf(task.resource_text, sizeof(task.resource_text), "%s", resource);
	task_sample_add_waiting(sample, &task);
}

/* Shows what was added, as polled 700 ms ago. */
static json_t *get(struct web_fixture *fixture)
{
	struct live_collector *tasks = &fixture->target.collectors[COLLECTOR_WAITING_TASKS];
	tasks->last_ok_utc_ms = fixture_now_utc_ms - 700;
	tasks->last_ok_mono_ms = clock_now().mono_ms - 700;
	fixture_show(fixture);
	live_set_tasks(fixture->live, 0, sample);
	return fixture_get(fixture, TASKS, 200);
}

/* B061: a lock wait of ten minutes, while it lasts. */
static void a_wait_that_lasts_is_shown(void **state)
{
	add_task(55, "LCK_M_S", 601119, "keylock hobtid=72057594044153856 dbid=5 id=lock1 mode=X",
		 60);
	json_t *root = get(*state);
	fixture_assert_members(
		root, "target t schedulers tasks waiting truncated resources age_ms stale");
	assert_int_equal(fixture_int(root, "t"), fixture_now_utc_ms - 700);
	assert_in_range(fixture_int(root, "age_ms"), 700, 60000);
	json_t *group = fixture_at(root, "resources.0");
	fixture_assert_members(group,
			       "wait_type category benign resource waiters sessions longest_ms "
			       "longest_session_id blocking_session_id head_session_id");
	fixture_assert_members(fixture_at(group, "resource"),
			       "kind text database_id file_id page_id page_class object_id hobt_id "
			       "latch_class");
	assert_string_equal(fixture_text(group, "wait_type"), "LCK_M_S");
	assert_string_equal(fixture_text(group, "category"), "Lock");
	assert_string_equal(fixture_text(group, "resource.kind"), "key_lock");
	assert_int_equal(fixture_int(group, "resource.database_id"), 5);
	assert_true(json_is_null(fixture_at(group, "resource.page_id")));
	assert_int_equal(fixture_int(group, "longest_ms"), 601119);
	assert_int_equal(fixture_int(group, "longest_session_id"), 55);
	json_decref(root);
}

/* B065: tasks are counted as tasks, sessions once. */
static void tasks_of_one_session_are_three_waiters_and_one_session(void **state)
{
	add_task(55, "PAGELATCH_EX", 3, "5:1:4016", 0);
	add_task(56, "PAGELATCH_EX", 9, "5:1:4016 (LATCH 0x0000020114CC5FD8: CLASS: BUF_LATCH)", 0);
	add_task(55, "PAGELATCH_EX", 5, "5:1:4016", 0);
	add_task(55, "PAGELATCH_EX", 4, "5:1:4016", 0);
	add_task(55, "PAGELATCH_SH", 4, "5:1:4016", 0);
	json_t *root = get(*state);
	assert_int_equal(json_array_size(fixture_at(root, "resources")), 2);
	assert_int_equal(fixture_int(root, "waiting"), 5);
	json_t *group = fixture_at(root, "resources.0");
	assert_int_equal(fixture_int(group, "waiters"), 4);
	assert_int_equal(fixture_int(group, "sessions"), 2);
	assert_int_equal(fixture_int(group, "longest_ms"), 9);
	assert_int_equal(fixture_int(group, "longest_session_id"), 56);
	assert_string_equal(fixture_text(group, "resource.text"), "5:1:4016");
	assert_string_equal(fixture_text(group, "resource.page_class"), "ordinary");
	json_decref(root);
}

static void the_head_of_a_chain_is_named(void **state)
{
	add_task(55, "LCK_M_X", 900, "objectlock 1", 56);
	add_task(56, "LCK_M_S", 800, "objectlock 2", 57);
	json_t *root = get(*state);
	assert_int_equal(fixture_int(root, "resources.0.blocking_session_id"), 56);
	assert_int_equal(fixture_int(root, "resources.0.head_session_id"), 57);
	json_decref(root);
}

/* Sessions in a deadlock wait for each other for up to five seconds. */
static void a_ring_of_blockers_ends(void **state)
{
	add_task(55, "LCK_M_X", 900, "objectlock 1", 56);
	add_task(56, "LCK_M_X", 800, "objectlock 2", 55);
	json_decref(get(*state));
}

/* B070, B071, B075: each known form has its kind, what is not known stays as it was written. */
static void lock_texts_are_locks_and_unknown_ones_stay_raw(void **state)
{
	static const struct {
		const char *wait_type, *text, *kind;
	} forms[] = {
		{"LCK_M_U", "XACT: 5:66385649:0 KEY(8194443284a0)", "xact_lock"},
		{"LCK_M_IX", "TAB: 8:245575913:0", "object_lock"},
		{"PAGELATCH_EX", "PAGE: 8:1:2640", "page"},
		{"LCK_M_X", "something new 17", "unknown"},
	};
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		add_task(60, forms[i].wait_type, 100 - (int64_t)i, forms[i].text, 0);
	json_t *root = get(*state);
	json_t *groups = fixture_at(root, "resources");
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		assert_string_equal(fixture_text(json_array_get(groups, i), "resource.kind"),
				    forms[i].kind);
	assert_string_equal(fixture_text(json_array_get(groups, 3), "resource.text"),
			    "something new 17");
	json_decref(root);
}

static void idle_waits_come_last_and_are_marked(void **state)
{
	add_task(55, "WAITFOR", 3600000, "", 0);
	add_task(56, "WRITELOG", 2, "", 0);
	json_t *root = get(*state);
	assert_string_equal(fixture_text(root, "resources.0.wait_type"), "WRITELOG");
	assert_string_equal(fixture_text(root, "resources.1.wait_type"), "WAITFOR");
	assert_true(json_is_true(fixture_at(root, "resources.1.benign")));
	assert_true(json_is_null(fixture_at(root, "resources.1.resource.text")));
	assert_true(json_is_null(fixture_at(root, "resources.1.head_session_id")));
	json_decref(root);
}

static void what_was_never_sampled_is_null_and_stale(void **state)
{
	json_t *root = fixture_get(*state, TASKS, 200);
	assert_true(json_is_null(fixture_at(root, "t")));
	assert_true(json_is_null(fixture_at(root, "age_ms")));
	assert_true(json_is_true(fixture_at(root, "stale")));
	assert_int_equal(json_array_size(fixture_at(root, "resources")), 0);
	json_decref(root);
	json_decref(fixture_get(*state, "/api/v1/targets/other/tasks", 404));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_wait_that_lasts_is_shown, start, stop),
		cmocka_unit_test_setup_teardown(
			tasks_of_one_session_are_three_waiters_and_one_session, start, stop),
		cmocka_unit_test_setup_teardown(the_head_of_a_chain_is_named, start, stop),
		cmocka_unit_test_setup_teardown(a_ring_of_blockers_ends, start, stop),
		cmocka_unit_test_setup_teardown(lock_texts_are_locks_and_unknown_ones_stay_raw,
						start, stop),
		cmocka_unit_test_setup_teardown(idle_waits_come_last_and_are_marked, start, stop),
		cmocka_unit_test_setup_teardown(what_was_never_sampled_is_null_and_stale, start,
						stop),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
