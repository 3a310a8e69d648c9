/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions about the plain rows: events, hotspots, alerts, the outbox. Runs in the thread that
 * borrowed the reader. The order of the reads is that of the .sql files.
 */
#include "daemon/base/alloc.h"
#include "storage/hotspot_json.h"
#include "storage/query.h"
#include "storage/reader_private.h"

static void read_event(struct cursor *cursor, struct event *event)
{
	event->id = cursor_int(cursor);
	event->target_id = cursor_int(cursor);
	event->begin_utc_ms = cursor_int(cursor);
	event->end_utc_ms = cursor_int(cursor);
	cursor_copy_text(cursor, event->kind, sizeof(event->kind));
	cursor_copy_text(cursor, event->text, sizeof(event->text));
	cursor_copy_text(cursor, event->details, sizeof(event->details));
	event->family = cursor_is_null(cursor) ? NO_FAMILY : (int)cursor_int(cursor);
}

bool query_events(struct reader *reader, int64_t target_id, int64_t start_utc_ms,
		  int64_t end_utc_ms, int64_t limit, query_event_fn *each, void *context,
		  struct error *err)
{
	CLEANUP(cursor_done) struct cursor cursor;
	if (!cursor_init(&cursor, &reader->database, STATEMENT_EVENTS, err))
		return false;
	cursor_bind_int(&cursor, target_id);
	cursor_bind_int(&cursor, start_utc_ms);
	cursor_bind_int(&cursor, end_utc_ms);
	cursor_bind_int(&cursor, limit);
	while (cursor_next(&cursor, err)) {
		struct event event = {0};
		read_event(&cursor, &event);
		if (!each(context, &event))
			break;
	}
	return !cursor_has_failed(&cursor);
}

static bool read_place(struct cursor *cursor, struct hotspot *hotspot)
{
	hotspot->id = cursor_int(cursor);
	hotspot->target_id = cursor_int(cursor);
	const bool is_known = hotspot_kind_from_name(cursor_text(cursor), &hotspot->kind);
	hotspot->is_active = cursor_int(cursor) != 0;
	hotspot->is_confirmed = cursor_int(cursor) != 0;
	hotspot->first_seen_utc_ms = cursor_int(cursor);
	hotspot->last_seen_utc_ms = cursor_int(cursor);
	hotspot->database_id = (int32_t)cursor_int(cursor);
	hotspot->object_id = cursor_int(cursor);
	hotspot->index_id = (int32_t)cursor_int(cursor);
	cursor_copy_text(cursor, hotspot->database, sizeof(hotspot->database));
	cursor_copy_text(cursor, hotspot->object, sizeof(hotspot->object));
	cursor_copy_text(cursor, hotspot->index, sizeof(hotspot->index));
	hotspot->file_id = (int32_t)cursor_int(cursor);
	hotspot->page_id = cursor_int(cursor);
	hotspot->page_class = (enum page_class)cursor_int(cursor);
	return is_known;
}

static void read_figures(struct cursor *cursor, struct hotspot *hotspot)
{
	hotspot->pages_seen = cursor_int(cursor);
	cursor_copy_text(cursor, hotspot->wait_type, sizeof(hotspot->wait_type));
	hotspot->waiters_avg = cursor_double(cursor);
	hotspot->waiters_max = (int32_t)cursor_int(cursor);
	hotspot->flow_waiters_avg = cursor_double(cursor);
	hotspot->flow_waiters_max = (int32_t)cursor_int(cursor);
	hotspot->ms_per_sec = cursor_double(cursor);
	hotspot->scheduler_count = (int32_t)cursor_int(cursor);
	hotspot->inserters = cursor_double(cursor);
	hotspot->optimize_for_sequential_key = (int32_t)cursor_int(cursor);
	cursor_copy_text(cursor, hotspot->leading_column, sizeof(hotspot->leading_column));
	hotspot_json_get_statements(cursor_text(cursor), hotspot);
	hotspot_json_get_evidence(cursor_text(cursor), hotspot);
	struct finding *finding = &hotspot->finding;
	cursor_copy_text(cursor, finding->rule, sizeof(finding->rule));
	cursor_copy_text(cursor, finding->summary, sizeof(finding->summary));
	cursor_copy_text(cursor, finding->expect, sizeof(finding->expect));
	cursor_copy_text(cursor, finding->statement, sizeof(finding->statement));
}

bool query_hotspots(struct reader *reader, int64_t target_id, int64_t start_utc_ms,
		    int64_t end_utc_ms, query_hotspot_fn *each, void *context, struct error *err)
{
	CLEANUP(cursor_done) struct cursor cursor;
	if (!cursor_init(&cursor, &reader->database, STATEMENT_HOTSPOTS, err))
		return false;
	cursor_bind_int(&cursor, target_id);
	cursor_bind_int(&cursor, start_utc_ms);
	cursor_bind_int(&cursor, end_utc_ms);
	while (cursor_next(&cursor, err)) {
		struct hotspot hotspot = {0};
		if (!read_place(&cursor, &hotspot))
			continue; /* a kind this version does not know */
		read_figures(&cursor, &hotspot);
		if (!each(context, &hotspot))
			break;
	}
	return !cursor_has_failed(&cursor);
}

static bool read_alert(struct cursor *cursor, struct alert *alert)
{
	cursor_copy_text(cursor, alert->rule, sizeof(alert->rule));
	alert->target_id = cursor_int(cursor);
	const bool is_known = alert_state_from_name(cursor_text(cursor), &alert->state);
	cursor_copy_text(cursor, alert->severity, sizeof(alert->severity));
	cursor_copy_text(cursor, alert->labels, sizeof(alert->labels));
	alert->since_utc_ms = cursor_int(cursor);
	alert->fired_utc_ms = cursor_int(cursor);
	alert->resolved_utc_ms = cursor_int(cursor);
	alert->clear_since_utc_ms = cursor_int(cursor);
	alert->evaluated_commit = cursor_int(cursor);
	alert->threshold = cursor_double(cursor);
	cursor_copy_text(cursor, alert->unit, sizeof(alert->unit));
	cursor_copy_text(cursor, alert->evidence, sizeof(alert->evidence));
	alert->has_value = !cursor_is_null(cursor);
	alert->value = cursor_double(cursor);
	return is_known;
}

bool query_alerts(struct reader *reader, query_alert_fn *each, void *context, struct error *err)
{
	CLEANUP(cursor_done) struct cursor cursor;
	if (!cursor_init(&cursor, &reader->database, STATEMENT_ALERTS, err))
		return false;
	while (cursor_next(&cursor, err)) {
		struct alert alert = {0};
		if (read_alert(&cursor, &alert) && !each(context, &alert))
			break;
	}
	return !cursor_has_failed(&cursor);
}

bool query_outbox(struct reader *reader, const char *notifier, int64_t due_utc_ms,
		  query_outbox_fn *each, void *context, struct error *err)
{
	CLEANUP(cursor_done) struct cursor cursor;
	if (!cursor_init(&cursor, &reader->database, STATEMENT_OUTBOX, err))
		return false;
	cursor_bind_text(&cursor, notifier);
	cursor_bind_int(&cursor, due_utc_ms);
	while (cursor_next(&cursor, err)) {
		struct outbox_row row = {.id = cursor_int(&cursor)};
		cursor_copy_text(&cursor, row.notifier, sizeof(row.notifier));
		row.created_utc_ms = cursor_int(&cursor);
		row.due_utc_ms = cursor_int(&cursor);
		row.attempt_count = (int32_t)cursor_int(&cursor);
		CLEANUP(freep) char *body = xstrdup(cursor_text(&cursor));
		row.body = body; /* lent until the callback returns */
		if (!each(context, &row))
			break;
	}
	return !cursor_has_failed(&cursor);
}
