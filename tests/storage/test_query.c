/* SPDX-License-Identifier: Apache-2.0 */
/* What was written comes back: by range, by commit, by name; and no statement reads a whole table.
 */
#include "storage/query.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "daemon/base/alloc.h"
#include "storage/database.h"
#include "tests/storage/store_fixture.h"
#include "tests/support.h"
#include "tests/support/delta_builder.h"

enum { LIST_MAX = 16, HOUR_MS = 3600000 };

/* What a walk has brought, in order. */
struct list {
	int64_t values[LIST_MAX];
	size_t count;
};

static bool note(struct list *list, int64_t value)
{
	assert_true(list->count < LIST_MAX);
	list->values[list->count++] = value;
	return true;
}

static void expect(const struct list *list, const int64_t *values, size_t count)
{
	assert_int_equal(list->count, count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(list->values[i], values[i]);
}

static bool note_end(void *context, const struct stored_delta *stored)
{
	return note(context, stored->delta.end_utc_ms);
}

static void commit_at(struct store_fixture *fixture, int64_t end_utc_ms, int64_t interval_ms)
{
	struct delta *delta = delta_build(FAMILY_WAITS, end_utc_ms, interval_ms);
	delta_build_row(delta, "WRITELOG", 1, interval_ms, 0, 0);
	fixture_commit_delta(fixture, delta);
}

static struct list ends_between(struct store_fixture *fixture, int64_t start, int64_t end)
{
	struct error err = ERROR_INIT;
	struct list list = {0};
	int64_t damaged_count = 0;
	if (!query_deltas(fixture_read(fixture), fixture->target_id, FAMILY_WAITS, start, end,
			  note_end, &list, &damaged_count, &err))
		fail_msg("query_deltas: %s", err.text);
	return list;
}

static bool keep_delta(void *context, const struct stored_delta *stored)
{
	const struct delta *delta = &stored->delta;
	assert_int_equal(delta->family, FAMILY_SPINLOCKS);
	assert_int_equal(delta->quality, QUALITY_AFTER_CLEAR);
	assert_false(delta->has_rate);
	assert_int_equal(delta->interval_ms, 7000);
	assert_int_equal(delta->elapsed_ms, 10000);
	assert_int_equal(delta->flags, DELTA_ANOMALY);
	assert_int_equal(delta->row_count, 2);
	assert_string_equal(delta->rows[0].name, "LOCK_HASH");
	assert_int_equal(delta->rows[0].counters[SPINLOCKS_BACKOFFS], 4);
	assert_string_equal(delta->rows[1].name, "SOS_CACHESTORE");
	assert_true(delta->rows[1].counters[SPINLOCKS_SPINS] == INT64_MAX);
	*(int64_t *)context = stored->commit_id;
	return true;
}

static void delta_comes_back_as_it_was(void **state)
{
	(void)state;
	struct store_fixture fixture;
	fixture_start(&fixture);
	struct delta *delta = delta_build(FAMILY_SPINLOCKS, 20000, 7000);
	delta->quality = QUALITY_AFTER_CLEAR;
	delta->has_rate = false;
	delta->elapsed_ms = 10000;
	delta_build_row(delta, "LOCK_HASH", 1, 2, 3, 4);
	delta_build_row(delta, "SOS_CACHESTORE", 0, INT64_MAX, 0, 0);
	delta->rows[1].flags = DELTA_ANOMALY;
	delta->flags = DELTA_ANOMALY;
	fixture_commit_delta(&fixture, delta);
	struct error err = ERROR_INIT;
	int64_t commit_id = 0;
	int64_t damaged_count = 0;
	assert_true(query_deltas(fixture_read(&fixture), fixture.target_id, FAMILY_SPINLOCKS, 0,
				 100000, keep_delta, &commit_id, &damaged_count, &err));
	assert_int_equal(commit_id, 1);
	fixture_remove(&fixture);
}

static void range_takes_what_touches_it_and_nothing_else(void **state)
{
	(void)state;
	struct store_fixture fixture;
	fixture_start(&fixture);
	for (int64_t t = 10000; t <= 60000; t += 10000)
		commit_at(&fixture, t, 10000);
	struct list list = ends_between(&fixture, 20000, 40000);
	expect(&list, (const int64_t[]){30000, 40000}, 2);
	list = ends_between(&fixture, 19999, 40001);
	expect(&list, (const int64_t[]){20000, 30000, 40000, 50000}, 4);
	list = ends_between(&fixture, 60000, 90000);
	assert_int_equal(list.count, 0);
	fixture_remove(&fixture);
}

static void gap_of_thirty_hours_is_found_from_inside(void **state)
{
	(void)state;
	struct store_fixture fixture;
	fixture_start(&fixture);
	const int64_t end = 31LL * HOUR_MS;
	commit_at(&fixture, HOUR_MS, 10000);
	commit_at(&fixture, end, 30LL * HOUR_MS);
	commit_at(&fixture, end + 10000, 10000);
	const struct list list = ends_between(&fixture, 5LL * HOUR_MS, 6LL * HOUR_MS);
	expect(&list, &end, 1);
	fixture_remove(&fixture);
}

static void baseline_comes_along_when_its_end_is_inside(void **state)
{
	(void)state;
	struct store_fixture fixture;
	fixture_start(&fixture);
	struct delta *delta = delta_build(FAMILY_WAITS, 20000, 0);
	delta->quality = QUALITY_BASELINE;
	fixture_commit_delta(&fixture, delta);
	assert_int_equal(ends_between(&fixture, 10000, 20000).count, 1);
	assert_int_equal(ends_between(&fixture, 20000, 30000).count, 0);
	assert_int_equal(ends_between(&fixture, 10000, 19999).count, 0);
	fixture_remove(&fixture);
}

static void same_millisecond_is_kept_a_millisecond_later(void **state)
{
	(void)state;
	struct store_fixture fixture;
	fixture_start(&fixture);
	for (int i = 0; i < 3; i++)
		commit_at(&fixture, 20000, 10000);
	const struct list list = ends_between(&fixture, 0, 30000);
	expect(&list, (const int64_t[]){20000, 20001, 20002}, 3);
	fixture_remove(&fixture);
}

static void after_commit_gives_the_order_of_commits(void **state)
{
	(void)state;
	struct store_fixture fixture;
	fixture_start(&fixture);
	commit_at(&fixture, 50000, 10000);
	commit_at(&fixture, 60000, 10000);
	commit_at(&fixture, 20000, 10000); /* the clock was set back */
	commit_at(&fixture, 30000, 10000);
	struct error err = ERROR_INIT;
	struct list list = {0};
	assert_true(query_deltas_after_commit(fixture_read(&fixture), fixture.target_id,
					      FAMILY_WAITS, 0, 1, note_end, &list, &err));
	expect(&list, (const int64_t[]){60000, 20000, 30000}, 3);
	list.count = 0;
	assert_true(query_deltas_after_commit(fixture.reader, fixture.target_id, FAMILY_WAITS,
					      20000, 1, note_end, &list, &err));
	expect(&list, (const int64_t[]){60000, 30000}, 2);
	int64_t last_end = 0;
	assert_true(
		query_last_end(fixture.reader, fixture.target_id, FAMILY_WAITS, &last_end, &err));
	assert_int_equal(last_end, 60000);
	assert_true(
		query_last_end(fixture.reader, fixture.target_id, FAMILY_LATCHES, &last_end, &err));
	assert_int_equal(last_end, 0);
	fixture_remove(&fixture);
}

static void damaged_frame_is_counted_and_passed_over(void **state)
{
	(void)state;
	struct store_fixture fixture;
	fixture_start(&fixture);
	for (int64_t t = 10000; t <= 30000; t += 10000)
		commit_at(&fixture, t, 10000);
	sqlite3 *shell = NULL;
	assert_int_equal(sqlite3_open(fixture.path, &shell), SQLITE_OK);
	assert_int_equal(sqlite3_exec(shell, "UPDATE frame SET body = x'01ff' WHERE t = 20000",
				      NULL, NULL, NULL),
			 SQLITE_OK);
	assert_int_equal(sqlite3_close(shell), SQLITE_OK);
	struct error err = ERROR_INIT;
	struct list list = {0};
	int64_t damaged_count = 0;
	assert_true(query_deltas(fixture_read(&fixture), fixture.target_id, FAMILY_WAITS, 0, 90000,
				 note_end, &list, &damaged_count, &err));
	expect(&list, (const int64_t[]){10000, 30000}, 2);
	assert_int_equal(damaged_count, 1);
	fixture_remove(&fixture);
}

static void borrowed_reader_sees_one_state(void **state)
{
	(void)state;
	struct store_fixture fixture;
	fixture_start(&fixture);
	commit_at(&fixture, 10000, 10000);
	assert_int_equal(fixture_count_deltas(&fixture), 1);
	commit_at(&fixture, 20000, 10000);
	struct error err = ERROR_INIT;
	struct list list = {0};
	int64_t damaged_count = 0;
	assert_true(query_deltas(fixture.reader, fixture.target_id, FAMILY_WAITS, 0, 90000,
				 note_end, &list, &damaged_count, &err));
	assert_int_equal(list.count, 1);
	assert_int_equal(fixture_count_deltas(&fixture), 2);
	fixture_remove(&fixture);
}

static void borrowing_ends_at_the_deadline(void **state)
{
	(void)state;
	struct store_fixture fixture;
	fixture_start(&fixture);
	struct error err = ERROR_INIT;
	struct reader *first = reader_borrow(fixture.pool, 0, &err);
	struct reader *second = reader_borrow(fixture.pool, 0, &err);
	assert_non_null(first);
	assert_non_null(second);
	assert_null(reader_borrow(fixture.pool, 0, &err));
	assert_int_equal(err.kind, ERROR_TIMEOUT);
	reader_return(second);
	reader_return(first);
	fixture_remove(&fixture);
}

static bool note_tasks(void *context, int64_t commit_id, const struct task_sample *sample)
{
	assert_true(commit_id > 0);
	assert_int_equal(sample->scheduler_count, 16);
	assert_int_equal(sample->task_count, 2);
	assert_string_equal(sample->tasks[1].wait_type, "PAGELATCH_EX");
	assert_int_equal(sample->tasks[1].session_id, 52);
	assert_int_equal(sample->tasks[1].resource.page_id, 4016);
	return note(context, sample->taken.utc_ms);
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
	struct list list = {0};
	assert_true(query_tasks_after_commit(fixture_read(&fixture), fixture.target_id, 0, 0,
					     note_tasks, &list, &err));
	expect(&list, (const int64_t[]){1000, 3000}, 2);
	list.count = 0;
	assert_true(query_tasks_after_commit(fixture.reader, fixture.target_id, 0, 1, note_tasks,
					     &list, &err));
	expect(&list, (const int64_t[]){3000}, 1);
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

static bool note_event(void *context, const struct event *event)
{
	assert_string_equal(event->kind, "gap");
	assert_int_equal(event->family, NO_FAMILY);
	assert_string_equal(event->details, "{\"polls\":3}");
	return note(context, event->end_utc_ms);
}

static void events_come_newest_first_where_they_overlap(void **state)
{
	(void)state;
	struct store_fixture fixture;
	fixture_start(&fixture);
	struct batch *batch = batch_new(fixture.target_id);
	for (int64_t i = 1; i <= 4; i++) {
		const struct event event = {.target_id = fixture.target_id,
					    .begin_utc_ms = i * 1000,
					    .end_utc_ms = i * 1000 + 500,
					    .kind = "gap",
					    .family = NO_FAMILY,
					    .text = "no answer",
					    .details = "{\"polls\":3}"};
		batch_add_event(batch, &event);
	}
	fixture_commit(&fixture, batch);
	struct error err = ERROR_INIT;
	struct list list = {0};
	assert_true(query_events(fixture_read(&fixture), fixture.target_id, 1500, 3000, 10,
				 note_event, &list, &err));
	expect(&list, (const int64_t[]){3500, 2500, 1500}, 3);
	list.count = 0;
	assert_true(query_events(fixture.reader, fixture.target_id, 0, 9000, 1, note_event, &list,
				 &err));
	expect(&list, (const int64_t[]){4500}, 1);
	fixture_remove(&fixture);
}

static bool keep_hotspot(void *context, const struct hotspot *hotspot)
{
	*(struct hotspot *)context = *hotspot;
	return true;
}

static struct hotspot find_hotspot(struct store_fixture *fixture)
{
	struct error err = ERROR_INIT;
	struct hotspot hotspot = {0};
	assert_true(query_hotspots(fixture_read(fixture), fixture->target_id, 1500, 9000,
				   keep_hotspot, &hotspot, &err));
	return hotspot;
}

static void commit_hotspot(struct store_fixture *fixture, const struct hotspot *hotspot)
{
	struct batch *batch = batch_new(fixture->target_id);
	batch_add_hotspot(batch, hotspot);
	fixture_commit(fixture, batch);
}

static struct hotspot some_hotspot(const struct store_fixture *fixture)
{
	struct hotspot hotspot = {.target_id = fixture->target_id,
				  .kind = HOTSPOT_ALLOCATION_GAM,
				  .is_active = true,
				  .first_seen_utc_ms = 1000,
				  .last_seen_utc_ms = 2000,
				  .database_id = 5,
				  .file_id = 1,
				  .page_class = PAGE_GAM,
				  .wait_type = "PAGELATCH_UP",
				  .waiters_avg = 7.25,
				  .inserters = -1,
				  .statement_count = 1,
				  .evidence_count = 1,
				  .finding = {.rule = "R1", .statement = "ALTER \"x\" \xc3\xa9"}};
	hotspot.statements[0] = (struct hotspot_statement){0xfedcba9876543210, 0.625};
	hotspot.evidence[0] = (struct hotspot_evidence){"pages", "12 \"pages\"", 12};
	return hotspot;
}

static void hotspot_comes_back_as_it_was(void **state)
{
	(void)state;
	struct store_fixture fixture;
	fixture_start(&fixture);
	const struct hotspot hotspot = some_hotspot(&fixture);
	commit_hotspot(&fixture, &hotspot);
	const struct hotspot found = find_hotspot(&fixture);
	assert_true(found.id > 0);
	assert_int_equal(found.kind, HOTSPOT_ALLOCATION_GAM);
	assert_true(found.is_active && !found.is_confirmed);
	assert_int_equal(found.page_class, PAGE_GAM);
	assert_true(found.waiters_avg == 7.25 && found.inserters == -1);
	assert_int_equal(found.statement_count, 1);
	assert_true(found.statements[0].query_hash == 0xfedcba9876543210);
	assert_true(found.statements[0].share == 0.625);
	assert_int_equal(found.evidence_count, 1);
	assert_string_equal(found.evidence[0].text, "12 \"pages\"");
	assert_true(found.evidence[0].value == 12);
	assert_string_equal(found.finding.statement, hotspot.finding.statement);
	fixture_remove(&fixture);
}

static void hotspot_written_twice_without_id_is_one(void **state)
{
	(void)state;
	struct store_fixture fixture;
	fixture_start(&fixture);
	struct hotspot hotspot = some_hotspot(&fixture);
	commit_hotspot(&fixture, &hotspot);
	const int64_t id = find_hotspot(&fixture).id;
	hotspot.last_seen_utc_ms = 3000;
	commit_hotspot(&fixture, &hotspot);
	assert_int_equal(find_hotspot(&fixture).id, id);
	assert_int_equal(find_hotspot(&fixture).last_seen_utc_ms, 3000);
	/* Named late, under its id. */
	hotspot.id = id;
	hotspot.object_id = 99;
	hotspot.is_active = false;
	commit_hotspot(&fixture, &hotspot);
	const struct hotspot found = find_hotspot(&fixture);
	assert_int_equal(found.id, id);
	assert_int_equal(found.object_id, 99);
	assert_false(found.is_active);
	hotspot.id = 0;
	hotspot.object_id = 100;
	commit_hotspot(&fixture, &hotspot);
	hotspot.object_id = 0;
	hotspot.file_id = 2;
	commit_hotspot(&fixture, &hotspot);
	assert_int_equal(find_hotspot(&fixture).id, id);
	fixture_remove(&fixture);
}

static bool keep_alert(void *context, const struct alert *alert)
{
	struct alert *kept = context;
	const int64_t count = kept->target_id;
	*kept = *alert;
	kept->target_id = count + 1; /* how many came */
	return true;
}

static void alert_is_one_row_per_rule_and_target(void **state)
{
	(void)state;
	struct store_fixture fixture;
	fixture_start(&fixture);
	struct alert alert = {.rule = "PageLatchExHigh",
			      .target_id = fixture.target_id,
			      .state = ALERT_PENDING,
			      .severity = "warning",
			      .labels = "{\"team\":\"dba\"}",
			      .since_utc_ms = 1000,
			      .evaluated_commit = 17,
			      .threshold = 1000,
			      .unit = "ms/s",
			      .evidence = "{}"};
	for (int i = 0; i < 2; i++) {
		struct batch *batch = batch_new(0);
		batch_add_alert(batch, &alert);
		fixture_commit(&fixture, batch);
		alert.state = ALERT_FIRING;
		alert.has_value = true;
		alert.value = 51900.5;
	}
	struct error err = ERROR_INIT;
	struct alert found = {0};
	assert_true(query_alerts(fixture_read(&fixture), keep_alert, &found, &err));
	assert_int_equal(found.target_id, 1);
	assert_int_equal(found.state, ALERT_FIRING);
	assert_true(found.has_value && found.value == 51900.5 && found.threshold == 1000);
	assert_int_equal(found.evaluated_commit, 17);
	assert_string_equal(found.labels, "{\"team\":\"dba\"}");
	fixture_remove(&fixture);
}

static bool note_message(void *context, const struct outbox_row *row)
{
	assert_string_equal(row->notifier, "ops");
	assert_string_equal(row->body, "{\"n\":1}");
	return note(context, row->id * 100 + row->attempt_count);
}

static struct list due_messages(struct store_fixture *fixture, int64_t due_utc_ms)
{
	struct error err = ERROR_INIT;
	struct list list = {0};
	assert_true(
		query_outbox(fixture_read(fixture), "ops", due_utc_ms, note_message, &list, &err));
	return list;
}

static void message_is_kept_until_it_is_delivered(void **state)
{
	(void)state;
	struct store_fixture fixture;
	fixture_start(&fixture);
	struct batch *batch = batch_new(0);
	for (int i = 0; i < 2; i++) {
		struct outbox_row row = {.notifier = "ops", .due_utc_ms = 1000};
		row.body = xstrdup("{\"n\":1}");
		batch_add_outbox(batch, &row);
		assert_null(row.body);
	}
	fixture_commit(&fixture, batch);
	struct list list = due_messages(&fixture, 999);
	assert_int_equal(list.count, 0);
	list = due_messages(&fixture, 1000);
	expect(&list, (const int64_t[]){100, 200}, 2);
	batch = batch_new(0);
	struct outbox_row later = {.id = 1, .due_utc_ms = 5000, .attempt_count = 3};
	batch_add_outbox(batch, &later);
	batch_add_delivered(batch, 2);
	fixture_commit(&fixture, batch);
	list = due_messages(&fixture, 4999);
	assert_int_equal(list.count, 0);
	list = due_messages(&fixture, 5000);
	expect(&list, (const int64_t[]){103}, 1);
	fixture_remove(&fixture);
}

/* Tables that hold a row per name or per rule and target, and are meant to be read whole. */
static bool may_be_scanned(const char *path)
{
	return strcmp(path, "storage/sql/alerts.sql") == 0;
}

static void expect_indexed(sqlite3 *handle, const struct embedded *file)
{
	CLEANUP(freep) char *explain = xasprintf("EXPLAIN QUERY PLAN %s", file->data);
	sqlite3_stmt *statement = NULL;
	if (sqlite3_prepare_v2(handle, explain, -1, &statement, NULL) != SQLITE_OK)
		fail_msg("%s: %s", file->path, sqlite3_errmsg(handle));
	while (sqlite3_step(statement) == SQLITE_ROW) {
		const char *plan = (const char *)sqlite3_column_text(statement, 3);
		const bool is_scan = strncmp(plan, "SCAN ", 5) == 0 &&
				     strstr(plan, "CONSTANT ROW") == NULL &&
				     strstr(plan, "(subquery") == NULL;
		if (is_scan && !may_be_scanned(file->path))
			fail_msg("%s reads a whole table: %s", file->path, plan);
	}
	assert_int_equal(sqlite3_finalize(statement), SQLITE_OK);
}

static void every_statement_uses_an_index(void **state)
{
	(void)state;
	struct store_fixture fixture;
	fixture_start(&fixture);
	sqlite3 *shell = NULL;
	assert_int_equal(sqlite3_open(fixture.path, &shell), SQLITE_OK);
	int count = 0;
	for (const struct embedded *file = embedded_storage; file->path; file++) {
		if (strncmp(file->path, "storage/sql/", 12) != 0)
			continue;
		expect_indexed(shell, file);
		count++;
	}
	assert_int_equal(count, STATEMENT_COUNT);
	assert_int_equal(sqlite3_close(shell), SQLITE_OK);
	fixture_remove(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(delta_comes_back_as_it_was),
		cmocka_unit_test(range_takes_what_touches_it_and_nothing_else),
		cmocka_unit_test(gap_of_thirty_hours_is_found_from_inside),
		cmocka_unit_test(baseline_comes_along_when_its_end_is_inside),
		cmocka_unit_test(same_millisecond_is_kept_a_millisecond_later),
		cmocka_unit_test(after_commit_gives_the_order_of_commits),
		cmocka_unit_test(damaged_frame_is_counted_and_passed_over),
		cmocka_unit_test(borrowed_reader_sees_one_state),
		cmocka_unit_test(borrowing_ends_at_the_deadline),
		cmocka_unit_test(tasks_of_interest_are_kept_and_others_are_not),
		cmocka_unit_test(owner_that_is_looked_up_again_replaces_the_old),
		cmocka_unit_test(events_come_newest_first_where_they_overlap),
		cmocka_unit_test(hotspot_comes_back_as_it_was),
		cmocka_unit_test(hotspot_written_twice_without_id_is_one),
		cmocka_unit_test(alert_is_one_row_per_rule_and_target),
		cmocka_unit_test(message_is_kept_until_it_is_delivered),
		cmocka_unit_test(every_statement_uses_an_index),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
