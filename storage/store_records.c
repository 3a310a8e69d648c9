/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plain rows of a batch into the store, inside the transaction of store_write.c. Runs in the
 * writer. The order of the binds is that of the .sql files.
 */
#include "storage/hotspot_json.h"
#include "storage/store_private.h"

static bool put_event(struct store *store, const struct event *event, struct error *err)
{
	CLEANUP(cursor_done) struct cursor cursor;
	if (!cursor_init(&cursor, &store->database, STATEMENT_EVENT_INSERT, err))
		return false;
	const bool is_ordered = event->end_utc_ms >= event->begin_utc_ms;
	cursor_bind_int(&cursor, event->target_id);
	cursor_bind_int(&cursor, event->begin_utc_ms);
	cursor_bind_int(&cursor, is_ordered ? event->end_utc_ms : event->begin_utc_ms);
	cursor_bind_text(&cursor, event->kind);
	if (event->family == NO_FAMILY)
		cursor_bind_null(&cursor);
	else
		cursor_bind_int(&cursor, event->family);
	cursor_bind_text(&cursor, event->text);
	cursor_bind_text(&cursor, event->details);
	return cursor_run(&cursor, err);
}

static bool put_owner(struct store *store, int64_t target_id, const struct page_owner *owner,
		      struct error *err)
{
	CLEANUP(cursor_done) struct cursor cursor;
	if (!cursor_init(&cursor, &store->database, STATEMENT_OWNER_PUT, err))
		return false;
	cursor_bind_int(&cursor, target_id);
	cursor_bind_int(&cursor, owner->database_id);
	cursor_bind_int(&cursor, owner->file_id);
	cursor_bind_int(&cursor, owner->page_id);
	cursor_bind_int(&cursor, owner->state);
	cursor_bind_text(&cursor, owner->error);
	cursor_bind_text(&cursor, owner->database);
	cursor_bind_text(&cursor, owner->object);
	cursor_bind_int(&cursor, owner->object_id);
	cursor_bind_text(&cursor, owner->index);
	cursor_bind_int(&cursor, owner->index_id);
	cursor_bind_int(&cursor, owner->partition_id);
	cursor_bind_int(&cursor, owner->page_type);
	cursor_bind_int(&cursor, owner->level);
	cursor_bind_int(&cursor, owner->next_file_id);
	cursor_bind_int(&cursor, owner->next_page_id);
	cursor_bind_int(&cursor, owner->previous_file_id);
	cursor_bind_int(&cursor, owner->previous_page_id);
	cursor_bind_int(&cursor, owner->is_mixed_extent);
	cursor_bind_int(&cursor, owner->is_system_object);
	cursor_bind_text(&cursor, owner->leading_column);
	cursor_bind_int(&cursor, owner->is_ascending);
	cursor_bind_int(&cursor, owner->is_descending);
	cursor_bind_int(&cursor, owner->optimize_for_sequential_key);
	cursor_bind_int(&cursor, owner->looked_up_utc_ms);
	return cursor_run(&cursor, err);
}

/* The id of a hotspot: its own, that of an equal one in the store, or 0. */
static bool find_hotspot(struct store *store, const struct hotspot *hotspot, int64_t *id,
			 struct error *err)
{
	*id = hotspot->id;
	if (hotspot->id > 0)
		return true;
	CLEANUP(cursor_done) struct cursor cursor;
	if (!cursor_init(&cursor, &store->database, STATEMENT_HOTSPOT_FIND, err))
		return false;
	cursor_bind_int(&cursor, hotspot->target_id);
	cursor_bind_int(&cursor, hotspot->first_seen_utc_ms);
	cursor_bind_text(&cursor, hotspot_kind_name(hotspot->kind));
	cursor_bind_int(&cursor, hotspot->database_id);
	cursor_bind_int(&cursor, hotspot->object_id);
	cursor_bind_int(&cursor, hotspot->index_id);
	cursor_bind_int(&cursor, hotspot->file_id);
	bool has_row = false;
	if (!cursor_step(&cursor, &has_row, err))
		return false;
	if (has_row)
		*id = cursor_int(&cursor);
	return true;
}

static void bind_place(struct cursor *cursor, const struct hotspot *hotspot)
{
	cursor_bind_int(cursor, hotspot->target_id);
	cursor_bind_text(cursor, hotspot_kind_name(hotspot->kind));
	cursor_bind_int(cursor, hotspot->is_active);
	cursor_bind_int(cursor, hotspot->is_confirmed);
	cursor_bind_int(cursor, hotspot->first_seen_utc_ms);
	cursor_bind_int(cursor, hotspot->last_seen_utc_ms);
	cursor_bind_int(cursor, hotspot->database_id);
	cursor_bind_int(cursor, hotspot->object_id);
	cursor_bind_int(cursor, hotspot->index_id);
	cursor_bind_text(cursor, hotspot->database);
	cursor_bind_text(cursor, hotspot->object);
	cursor_bind_text(cursor, hotspot->index);
	cursor_bind_int(cursor, hotspot->file_id);
	cursor_bind_int(cursor, hotspot->page_id);
	cursor_bind_int(cursor, hotspot->page_class);
}

static void bind_figures(struct cursor *cursor, const struct hotspot *hotspot)
{
	cursor_bind_int(cursor, hotspot->pages_seen);
	cursor_bind_text(cursor, hotspot->wait_type);
	cursor_bind_double(cursor, hotspot->waiters_avg);
	cursor_bind_int(cursor, hotspot->waiters_max);
	cursor_bind_double(cursor, hotspot->flow_waiters_avg);
	cursor_bind_int(cursor, hotspot->flow_waiters_max);
	cursor_bind_double(cursor, hotspot->ms_per_sec);
	cursor_bind_int(cursor, hotspot->scheduler_count);
	cursor_bind_double(cursor, hotspot->inserters);
	cursor_bind_int(cursor, hotspot->optimize_for_sequential_key);
	cursor_bind_text(cursor, hotspot->leading_column);
}

static bool put_hotspot(struct store *store, const struct hotspot *hotspot, struct error *err)
{
	int64_t id = 0;
	if (!find_hotspot(store, hotspot, &id, err))
		return false;
	CLEANUP(strbuf_done) struct strbuf statements = STRBUF_INIT;
	CLEANUP(strbuf_done) struct strbuf evidence = STRBUF_INIT;
	hotspot_json_put_statements(&statements, hotspot);
	hotspot_json_put_evidence(&evidence, hotspot);
	CLEANUP(cursor_done) struct cursor cursor;
	if (!cursor_init(&cursor, &store->database, STATEMENT_HOTSPOT_PUT, err))
		return false;
	if (id > 0)
		cursor_bind_int(&cursor, id);
	else
		cursor_bind_null(&cursor);
	bind_place(&cursor, hotspot);
	bind_figures(&cursor, hotspot);
	cursor_bind_text(&cursor, strbuf_text(&statements));
	cursor_bind_text(&cursor, strbuf_text(&evidence));
	cursor_bind_text(&cursor, hotspot->finding.rule);
	cursor_bind_text(&cursor, hotspot->finding.summary);
	cursor_bind_text(&cursor, hotspot->finding.expect);
	cursor_bind_text(&cursor, hotspot->finding.statement);
	return cursor_run(&cursor, err);
}

static bool put_alert(struct store *store, const struct alert *alert, struct error *err)
{
	CLEANUP(cursor_done) struct cursor cursor;
	if (!cursor_init(&cursor, &store->database, STATEMENT_ALERT_PUT, err))
		return false;
	cursor_bind_text(&cursor, alert->rule);
	cursor_bind_int(&cursor, alert->target_id);
	cursor_bind_text(&cursor, alert_state_name(alert->state));
	cursor_bind_text(&cursor, alert->severity);
	cursor_bind_text(&cursor, alert->labels);
	cursor_bind_int(&cursor, alert->since_utc_ms);
	cursor_bind_int(&cursor, alert->fired_utc_ms);
	cursor_bind_int(&cursor, alert->resolved_utc_ms);
	cursor_bind_int(&cursor, alert->clear_since_utc_ms);
	cursor_bind_int(&cursor, alert->evaluated_commit);
	if (alert->has_value)
		cursor_bind_double(&cursor, alert->value);
	else
		cursor_bind_null(&cursor);
	cursor_bind_double(&cursor, alert->threshold);
	cursor_bind_text(&cursor, alert->unit);
	cursor_bind_text(&cursor, alert->evidence);
	return cursor_run(&cursor, err);
}

static bool put_outbox(struct store *store, const struct outbox_row *row, struct error *err)
{
	const bool is_new = row->id == 0;
	CLEANUP(cursor_done) struct cursor cursor;
	if (!cursor_init(&cursor, &store->database,
			 is_new ? STATEMENT_OUTBOX_INSERT : STATEMENT_OUTBOX_UPDATE, err))
		return false;
	if (is_new) {
		cursor_bind_text(&cursor, row->notifier);
		cursor_bind_int(&cursor, row->created_utc_ms);
	} else {
		cursor_bind_int(&cursor, row->id);
	}
	cursor_bind_int(&cursor, row->due_utc_ms);
	cursor_bind_int(&cursor, row->attempt_count);
	if (is_new)
		cursor_bind_text(&cursor, row->body);
	return cursor_run(&cursor, err);
}

static bool delete_outbox(struct store *store, int64_t id, struct error *err)
{
	CLEANUP(cursor_done) struct cursor cursor;
	if (!cursor_init(&cursor, &store->database, STATEMENT_OUTBOX_DELETE, err))
		return false;
	cursor_bind_int(&cursor, id);
	return cursor_run(&cursor, err);
}

bool store_put_records(struct store *store, const struct batch *batch, struct error *err)
{
	for (size_t i = 0; i < batch->event_count; i++)
		if (!put_event(store, &batch->events[i], err))
			return false;
	for (size_t i = 0; i < batch->owner_count; i++)
		if (!put_owner(store, batch->target_id, &batch->owners[i], err))
			return false;
	for (size_t i = 0; i < batch->hotspot_count; i++)
		if (!put_hotspot(store, &batch->hotspots[i], err))
			return false;
	for (size_t i = 0; i < batch->alert_count; i++)
		if (!put_alert(store, &batch->alerts[i], err))
			return false;
	for (size_t i = 0; i < batch->outbox_count; i++)
		if (!put_outbox(store, &batch->outbox[i], err))
			return false;
	for (size_t i = 0; i < batch->delivered_count; i++)
		if (!delete_outbox(store, batch->outbox_delivered[i], err))
			return false;
	return true;
}
