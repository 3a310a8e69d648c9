/* SPDX-License-Identifier: Apache-2.0 */
/* Events, hotspots, alerts and messages that were written come back. */
#include "storage/query.h"

#include <string.h>

#include "daemon/base/alloc.h"
#include "tests/storage/store_fixture.h"
#include "tests/support.h"

static bool note_event(void *context, const struct event *event)
{
	assert_string_equal(event->kind, "gap");
	assert_int_equal(event->family, NO_FAMILY);
	assert_string_equal(event->details, "{\"polls\":3}");
	return seen_note(context, event->end_utc_ms);
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
	struct seen seen = {0};
	assert_true(query_events(fixture_read(&fixture), fixture.target_id, 1500, 3000, 10,
				 note_event, &seen, &err));
	seen_expect(&seen, (const int64_t[]){3500, 2500, 1500}, 3);
	seen.count = 0;
	assert_true(query_events(fixture.reader, fixture.target_id, 0, 9000, 1, note_event, &seen,
				 &err));
	seen_expect(&seen, (const int64_t[]){4500}, 1);
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

/* B111: the same thing twice is one row. */
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
	return seen_note(context, row->id * 100 + row->attempt_count);
}

static struct seen due_messages(struct store_fixture *fixture, int64_t due_utc_ms)
{
	struct error err = ERROR_INIT;
	struct seen seen = {0};
	assert_true(
		query_outbox(fixture_read(fixture), "ops", due_utc_ms, note_message, &seen, &err));
	return seen;
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
	struct seen seen = due_messages(&fixture, 999);
	assert_int_equal(seen.count, 0);
	seen = due_messages(&fixture, 1000);
	seen_expect(&seen, (const int64_t[]){100, 200}, 2);
	batch = batch_new(0);
	struct outbox_row later = {.id = 1, .due_utc_ms = 5000, .attempt_count = 3};
	batch_add_outbox(batch, &later);
	batch_add_delivered(batch, 2);
	fixture_commit(&fixture, batch);
	seen = due_messages(&fixture, 4999);
	assert_int_equal(seen.count, 0);
	seen = due_messages(&fixture, 5000);
	seen_expect(&seen, (const int64_t[]){103}, 1);
	fixture_remove(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_come_newest_first_where_they_overlap),
		cmocka_unit_test(hotspot_comes_back_as_it_was),
		cmocka_unit_test(hotspot_written_twice_without_id_is_one),
		cmocka_unit_test(alert_is_one_row_per_rule_and_target),
		cmocka_unit_test(message_is_kept_until_it_is_delivered),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
