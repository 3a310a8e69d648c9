/* SPDX-License-Identifier: Apache-2.0 */
/* One round trip against a simulated server: whole answers, single failing views, page owners. */
#include "collectors/collect.h"

#include <string.h>

#include "collectors/page_owner.h"
#include "daemon/base/clock.h"
#include "tests/collectors/simulated_target.h"
#include "tests/support.h"

enum { ALL_DUE = (1U << COLLECTOR_COUNT) - 1U, PAGE_TRIES = 20 };

static void the_server_says_who_it_is(void **state)
{
	(void)state;
	struct server server;
	struct epoch epoch;
	CLEANUP(session_closep) struct session *session = open_server(&server, &epoch);
	assert_true(session_is_alive(session));
	assert_string_equal(epoch.server_name, "SIM01");
	assert_true(server.major >= 15);
	assert_int_equal(server.class, SERVER_CLASS_C);
	assert_true(server.scheduler_count > 0);
	assert_string_equal(server.login, "latchd");
	assert_string_equal(server.database, "master");
	assert_int_equal(server.is_encrypted, 0);
	assert_true(epoch.ms_ticks > epoch.start_ticks);
	assert_true(server.started_utc_ms > 0);
}

static void one_batch_brings_every_due_view(void **state)
{
	(void)state;
	struct server server;
	struct epoch epoch;
	CLEANUP(session_closep) struct session *session = open_server(&server, &epoch);
	CLEANUP(collected_done) struct collected collected = {0};
	assert_collected(session, &server, ALL_DUE, &collected);
	for (int i = 0; i < COLLECTOR_COUNT; i++)
		if (!collected.views[i].is_ok)
			fail_msg("%s: %s", collector_info((enum collector)i)->name,
				 collected.views[i].error.text);
	assert_in_range(collected.samples[FAMILY_WAITS]->row_count, 100, 400);
	assert_in_range(collected.samples[FAMILY_LATCHES]->row_count, 10, 100);
	assert_in_range(collected.samples[FAMILY_SPINLOCKS]->row_count, 50, 200);
	assert_true(collected.epoch.ms_ticks >= epoch.ms_ticks);
	assert_int_equal(collected.tasks->scheduler_count, server.scheduler_count);
	const struct sample_row *row = sample_find(collected.samples[FAMILY_WAITS], "PAGELATCH_EX");
	assert_non_null(row);
	assert_true(row->counters[WAITS_TIME_MS] > 0);
}

static void only_what_is_due_is_asked_for(void **state)
{
	(void)state;
	struct server server;
	struct epoch epoch;
	CLEANUP(session_closep) struct session *session = open_server(&server, &epoch);
	CLEANUP(collected_done) struct collected collected = {0};
	assert_collected(session, &server, 1U << COLLECTOR_LATCHES, &collected);
	assert_true(collected.views[COLLECTOR_LATCHES].is_ok);
	assert_false(collected.views[COLLECTOR_WAITS].was_due);
	assert_null(collected.samples[FAMILY_WAITS]);
	assert_null(collected.tasks);
}

static void a_refused_view_leaves_the_others(void **state)
{
	(void)state;
	struct server server;
	struct epoch epoch;
	CLEANUP(session_closep) struct session *session = open_server(&server, &epoch);
	CLEANUP(collected_done) struct collected collected = {0};
	simulator_control(&target.simulator, "fail 300 14 dm_os_latch_stats");
	struct error err = ERROR_INIT;
	const bool is_ok = session_collect(session, &server, ALL_DUE, &collected, &err);
	simulator_control(&target.simulator, "fail off");
	assert_true(is_ok);
	assert_false(collected.views[COLLECTOR_LATCHES].is_ok);
	assert_int_equal(collected.views[COLLECTOR_LATCHES].error.kind, ERROR_DENIED);
	assert_null(collected.samples[FAMILY_LATCHES]);
	assert_true(collected.views[COLLECTOR_WAITS].is_ok);
	assert_true(collected.views[COLLECTOR_SPINLOCKS].is_ok);
	assert_true(collected.views[COLLECTOR_WAITING_TASKS].is_ok);
}

static void without_the_epoch_nothing_is_kept(void **state)
{
	(void)state;
	struct server server;
	struct epoch epoch;
	CLEANUP(session_closep) struct session *session = open_server(&server, &epoch);
	struct collected collected = {0};
	simulator_control(&target.simulator, "fail 300 14 dm_os_sys_info");
	struct error err = ERROR_INIT;
	assert_false(session_collect(session, &server, ALL_DUE, &collected, &err));
	simulator_control(&target.simulator, "fail off");
	assert_int_equal(err.kind, ERROR_DENIED);
	assert_true(session_is_alive(session));
}

static void a_death_in_a_row_keeps_no_sample(void **state)
{
	(void)state;
	struct server server;
	struct epoch epoch;
	CLEANUP(session_closep) struct session *session = open_server(&server, &epoch);
	struct collected collected = {0};
	simulator_control(&target.simulator, "die-mid-row 100");
	struct error err = ERROR_INIT;
	assert_false(session_collect(session, &server, ALL_DUE, &collected, &err));
	assert_int_equal(err.kind, ERROR_UNREACHABLE);
	assert_null(collected.samples[FAMILY_WAITS]);
	assert_false(session_is_alive(session));
}

/* A page that somebody waits for right now; the test fails when nobody ever does. */
static struct page_address hot_page(struct session *session, const struct server *server)
{
	for (int try = 0; try < PAGE_TRIES; try++) {
		CLEANUP(collected_done) struct collected collected = {0};
		assert_collected(session, server, 1U << COLLECTOR_WAITING_TASKS, &collected);
		for (size_t i = 0; i < collected.tasks->task_count; i++) {
			const struct task *task = &collected.tasks->tasks[i];
			if (task->resource.kind == RESOURCE_PAGE && task_is_of_interest(task))
				return task->resource;
		}
	}
	fail_msg("no task waits for a page");
	return (struct page_address){0};
}

static void waiting_tasks_name_the_hot_page(void **state)
{
	(void)state;
	struct server server;
	struct epoch epoch;
	CLEANUP(session_closep) struct session *session = open_server(&server, &epoch);
	CLEANUP(collected_done) struct collected collected = {0};
	assert_collected(session, &server, 1U << COLLECTOR_WAITING_TASKS, &collected);
	int waiter_count = 0;
	for (size_t i = 0; i < collected.tasks->task_count; i++) {
		const struct task *task = &collected.tasks->tasks[i];
		if (strcmp(task->wait_type, "PAGELATCH_EX") != 0)
			continue;
		waiter_count++;
		assert_true(task->address != 0);
		assert_true(task->session_id > 50);
		assert_true(task->query_hash != 0);
		assert_true(task->is_insert);
		assert_true(task->resource.database_id > 4);
	}
	assert_true(waiter_count >= 20);
}

static struct page_owner owner_of(struct session *session, const struct server *server,
				  const struct page_address *page)
{
	struct error err = ERROR_INIT;
	struct page_owner owner;
	if (!page_owner_look_up(session, server, page, 1, 1000, &owner, &err))
		fail_msg("%s", err.text);
	return owner;
}

static void the_hot_page_has_an_owner(void **state)
{
	(void)state;
	struct server server;
	struct epoch epoch;
	CLEANUP(session_closep) struct session *session = open_server(&server, &epoch);
	const struct page_address page = hot_page(session, &server);
	const struct page_owner owner = owner_of(session, &server, &page);
	if (owner.state != PAGE_OWNER_NAMED)
		fail_msg("%s", owner.error);
	assert_string_equal(owner.database, "Sales");
	assert_string_equal(owner.object, "dbo.Orders");
	assert_string_equal(owner.index, "PK_Orders");
	assert_int_equal(owner.level, 0);
	assert_int_equal(owner.is_ascending, 1);
	assert_false(owner.is_system_object);
	assert_true(owner.leading_column[0] != '\0');
	assert_true(owner.page_id == page.page_id);
}

static void the_option_is_read_anew_each_time(void **state)
{
	(void)state;
	struct server server;
	struct epoch epoch;
	CLEANUP(session_closep) struct session *session = open_server(&server, &epoch);
	const struct page_address page = hot_page(session, &server);
	assert_int_equal(owner_of(session, &server, &page).optimize_for_sequential_key, 0);
	simulator_control(&target.simulator, "option on");
	assert_int_equal(owner_of(session, &server, &page).optimize_for_sequential_key, 1);
	simulator_control(&target.simulator, "option off");
}

static void a_bad_page_does_not_hide_the_good_one(void **state)
{
	(void)state;
	struct server server;
	struct epoch epoch;
	CLEANUP(session_closep) struct session *session = open_server(&server, &epoch);
	struct page_address pages[PAGES_PER_LOOKUP];
	for (int i = 0; i < PAGES_PER_LOOKUP; i++)
		pages[i] = (struct page_address){
			.kind = RESOURCE_PAGE, .database_id = 31000, .file_id = 1, .page_id = i};
	pages[3] = hot_page(session, &server);
	struct page_owner owners[PAGES_PER_LOOKUP];
	struct error err = ERROR_INIT;
	assert_true(
		page_owner_look_up(session, &server, pages, PAGES_PER_LOOKUP, 1000, owners, &err));
	assert_int_equal(owners[3].state, PAGE_OWNER_NAMED);
	assert_int_not_equal(owners[0].state, PAGE_OWNER_NAMED);
	assert_true(owners[0].error[0] != '\0');
}

static void a_missing_right_is_a_state_of_the_owner(void **state)
{
	(void)state;
	struct server server;
	struct epoch epoch;
	CLEANUP(session_closep) struct session *session = open_server(&server, &epoch);
	const struct page_address page = hot_page(session, &server);
	simulator_control(&target.simulator, "fail 297 16 dm_db_page_info");
	const struct page_owner owner = owner_of(session, &server, &page);
	simulator_control(&target.simulator, "fail off");
	assert_int_equal(owner.state, PAGE_OWNER_NO_RIGHT);
}

static void before_2019_there_is_no_view(void **state)
{
	(void)state;
	struct server server;
	struct epoch epoch;
	CLEANUP(session_closep) struct session *session = open_server(&server, &epoch);
	const struct page_address page = hot_page(session, &server);
	server.class = SERVER_CLASS_A;
	assert_int_equal(owner_of(session, &server, &page).state, PAGE_OWNER_NO_VIEW);
}

/* The label of a sample and its ticks are of one moment, however long the other views take. */
static void each_view_is_dated_by_its_own_reading(void **state)
{
	(void)state;
	struct server server;
	struct epoch epoch;
	CLEANUP(session_closep) struct session *session = open_server(&server, &epoch);
	CLEANUP(collected_done) struct collected collected = {0};
	simulator_control(&target.simulator, "delay 0.4 dm_os_waiting_tasks");
	assert_collected(session, &server, ALL_DUE, &collected);
	const struct instant end = clock_now();
	simulator_control(&target.simulator, "delay off");
	const struct sample *waits = collected.samples[FAMILY_WAITS];
	const struct sample *spinlocks = collected.samples[FAMILY_SPINLOCKS];
	assert_in_range(end.mono_ms - waits->taken.mono_ms, 400, collected.duration_ms);
	assert_in_range(end.utc_ms - waits->taken.utc_ms, 400, collected.duration_ms);
	assert_in_range(end.mono_ms - collected.tasks->taken.mono_ms, 200,
			end.mono_ms - waits->taken.mono_ms - 200);
	assert_in_range(waits->epoch.ms_ticks - collected.epoch.ms_ticks, 0,
			collected.duration_ms - 400);
	assert_int_equal(spinlocks->epoch.ms_ticks - waits->epoch.ms_ticks,
			 spinlocks->taken.mono_ms - waits->taken.mono_ms);
}

int main(void)
{
	simulator_skip_without();
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_server_says_who_it_is),
		cmocka_unit_test(one_batch_brings_every_due_view),
		cmocka_unit_test(each_view_is_dated_by_its_own_reading),
		cmocka_unit_test(only_what_is_due_is_asked_for),
		cmocka_unit_test(a_refused_view_leaves_the_others),
		cmocka_unit_test(without_the_epoch_nothing_is_kept),
		cmocka_unit_test(a_death_in_a_row_keeps_no_sample),
		cmocka_unit_test(waiting_tasks_name_the_hot_page),
		cmocka_unit_test(the_hot_page_has_an_owner),
		cmocka_unit_test(the_option_is_read_anew_each_time),
		cmocka_unit_test(a_bad_page_does_not_hide_the_good_one),
		cmocka_unit_test(a_missing_right_is_a_state_of_the_owner),
		cmocka_unit_test(before_2019_there_is_no_view),
	};
	return cmocka_run_group_tests(tests, start_target, stop_target);
}
