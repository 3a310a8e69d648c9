/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches into the store: one transaction, all or nothing. Runs in the writer. Baselines go before
 * deltas: a view's first complete sample then hands out the ids of its names in order of name,
 * which keeps the frames small.
 */
#include <assert.h>

#include "daemon/base/alloc.h"
#include "storage/baseline_frame.h"
#include "storage/frame_row.h"
#include "storage/rollup.h"
#include "storage/store_private.h"
#include "storage/task_frame.h"

/* A frame whose end is taken by another is moved on by a millisecond, at most so often. */
enum { MOVES_MAX = 1000, SLACK_MAX_MS = 100 };

static int64_t *room_for_ids(struct store *store, size_t count)
{
	while (store->id_capacity < count)
		store->ids = array_grow(store->ids, store->id_capacity, &store->id_capacity,
					sizeof(*store->ids));
	return store->ids;
}

static bool intern(struct store *store, int family, const char *name, int64_t *id,
		   struct error *err)
{
	return names_intern(&store->names, &store->database, family, name, id, err);
}

static void bind_baseline(struct cursor *cursor, int64_t target_id, const struct sample *sample)
{
	cursor_bind_int(cursor, target_id);
	cursor_bind_int(cursor, sample->family);
	cursor_bind_text(cursor, sample->epoch.server_name);
	cursor_bind_text(cursor, sample->epoch.node_name);
	cursor_bind_int(cursor, sample->epoch.process_id);
	cursor_bind_int(cursor, sample->epoch.start_ticks);
	cursor_bind_int(cursor, sample->epoch.ms_ticks);
	cursor_bind_int(cursor, sample->taken.mono_ms);
	cursor_bind_int(cursor, sample->taken.utc_ms);
}

static bool put_baseline(struct store *store, int64_t target_id, const struct baseline *baseline,
			 struct error *err)
{
	const struct sample *sample = baseline->sample;
	int64_t *ids = room_for_ids(store, sample->row_count + sample->rejected_name_count);
	for (size_t i = 0; i < sample->row_count; i++)
		if (!intern(store, sample->family, sample->rows[i].name, &ids[i], err))
			return false;
	for (size_t i = 0; i < sample->rejected_name_count; i++)
		if (!intern(store, sample->family, sample->rejected[i], &ids[sample->row_count + i],
			    err))
			return false;
	strbuf_reset(&store->packed);
	baseline_frame_pack(&store->packed, baseline, ids, store->boot_id);
	CLEANUP(cursor_done) struct cursor cursor;
	if (!cursor_init(&cursor, &store->database, STATEMENT_BASELINE_PUT, err))
		return false;
	bind_baseline(&cursor, target_id, sample);
	cursor_bind_blob(&cursor, store->packed.data, store->packed.size);
	return cursor_run(&cursor, err);
}

static bool is_taken(const struct error *err)
{
	return err->code == SQLITE_CONSTRAINT_PRIMARYKEY;
}

/* Deletes what the store has of the time that delta covers. Intervals that only touch it within the
 * wandering of a label stay. */
static bool give_way(struct store *store, int64_t target_id, const struct delta *delta,
		     struct error *err)
{
	const int64_t tenth_ms = delta->interval_ms / 10;
	const int64_t slack_ms = tenth_ms < SLACK_MAX_MS ? tenth_ms : SLACK_MAX_MS;
	CLEANUP(cursor_done) struct cursor cursor;
	if (!cursor_init(&cursor, &store->database, STATEMENT_FRAME_GIVE_WAY, err))
		return false;
	cursor_bind_int(&cursor, target_id);
	cursor_bind_int(&cursor, delta->family);
	cursor_bind_int(&cursor, delta->end_utc_ms - delta->interval_ms + slack_ms);
	cursor_bind_int(&cursor, delta->end_utc_ms - slack_ms);
	return rollup_reopen(store, target_id, delta->family,
			     delta->end_utc_ms - delta->interval_ms, err) &&
	       cursor_run(&cursor, err);
}

static bool put_delta(struct store *store, int64_t target_id, const struct delta *delta,
		      struct error *err)
{
	int64_t *ids = room_for_ids(store, delta->row_count);
	for (size_t i = 0; i < delta->row_count; i++)
		if (!intern(store, delta->family, delta->rows[i].name, &ids[i], err))
			return false;
	strbuf_reset(&store->packed);
	frame_pack(&store->packed, delta, NULL, ids);
	const struct frame_place place = {.target_id = target_id, .commit_id = store->last_commit};
	return frame_row_put(&store->database, &place, delta, &store->packed, err);
}

static bool intern_task(struct store *store, const struct task *task, struct task_name_ids *ids,
			struct error *err)
{
	*ids = (struct task_name_ids){0};
	if (task->wait_type[0] != '\0' &&
	    !intern(store, FAMILY_WAITS, task->wait_type, &ids->wait_type, err))
		return false;
	return task->resource.latch_class[0] == '\0' ||
	       intern(store, FAMILY_LATCHES, task->resource.latch_class, &ids->latch_class, err);
}

static bool insert_tasks(struct store *store, int64_t target_id, const struct task_sample *sample,
			 int64_t t, struct error *err)
{
	CLEANUP(cursor_done) struct cursor cursor;
	if (!cursor_init(&cursor, &store->database, STATEMENT_TASK_FRAME_INSERT, err))
		return false;
	cursor_bind_int(&cursor, target_id);
	cursor_bind_int(&cursor, t);
	cursor_bind_int(&cursor, store->last_commit);
	cursor_bind_int(&cursor, sample->taken.mono_ms);
	cursor_bind_int(&cursor, sample->scheduler_count);
	cursor_bind_int(&cursor, (int64_t)sample->task_count);
	cursor_bind_int(&cursor, sample->invalid_resource_count);
	cursor_bind_int(&cursor, sample->is_truncated);
	cursor_bind_blob(&cursor, store->packed.data, store->packed.size);
	return cursor_run(&cursor, err);
}

static bool put_tasks(struct store *store, int64_t target_id, const struct task_sample *sample,
		      struct error *err)
{
	CLEANUP(freep)
	struct task_name_ids *ids = xcalloc(sample->task_count + 1, sizeof(*ids));
	for (size_t i = 0; i < sample->task_count; i++)
		if (!intern_task(store, &sample->tasks[i], &ids[i], err))
			return false;
	strbuf_reset(&store->packed);
	task_frame_pack(&store->packed, sample, ids);
	for (int64_t move = 0; move < MOVES_MAX; move++) {
		if (insert_tasks(store, target_id, sample, sample->taken.utc_ms + move, err))
			return true;
		if (!is_taken(err))
			return false;
	}
	return false;
}

static bool put_batch(struct store *store, const struct batch *batch, struct error *err)
{
	store->last_commit++;
	for (int family = 0; family < FAMILY_COUNT; family++)
		if (batch->baselines[family] &&
		    !put_baseline(store, batch->target_id, batch->baselines[family], err))
			return false;
	for (int family = 0; family < FAMILY_COUNT; family++)
		if (batch->is_dated_back[family] && batch->deltas[family] &&
		    !give_way(store, batch->target_id, batch->deltas[family], err))
			return false;
	for (int family = 0; family < FAMILY_COUNT; family++)
		if (batch->deltas[family] &&
		    !put_delta(store, batch->target_id, batch->deltas[family], err))
			return false;
	if (batch->tasks && task_sample_is_of_interest(batch->tasks) &&
	    !put_tasks(store, batch->target_id, batch->tasks, err))
		return false;
	return store_put_records(store, batch, err);
}

static bool put_commit_number(struct store *store, struct error *err)
{
	CLEANUP(cursor_done) struct cursor cursor;
	if (!cursor_init(&cursor, &store->database, STATEMENT_COMMIT_PUT, err))
		return false;
	cursor_bind_int(&cursor, store->last_commit);
	return cursor_run(&cursor, err);
}

static bool put_all(struct store *store, const struct batch *const *batches, size_t count,
		    struct error *err)
{
	if (store->names_are_stale && !names_load(&store->names, &store->database, err))
		return false;
	store->names_are_stale = false;
	if (!database_run(&store->database, "BEGIN IMMEDIATE", err))
		return false;
	for (size_t i = 0; i < count; i++)
		if (!put_batch(store, batches[i], err))
			return false;
	return put_commit_number(store, err) && database_run(&store->database, "COMMIT", err);
}

bool store_commit(struct store *store, const struct batch *const *batches, size_t count,
		  struct error *err)
{
	const int64_t commit_before = store->last_commit;
	const int64_t name_before = store->names.last_id;
	if (put_all(store, batches, count, err))
		return true;
	struct error ignored = ERROR_INIT; /* the failure before it is the one that counts */
	if (database_is_in_transaction(&store->database))
		(void)!database_run(&store->database, "ROLLBACK", &ignored);
	store->last_commit = commit_before;
	if (store->names.last_id != name_before) {
		/* Ids that were handed out in the transaction are not in the table. */
		names_done(&store->names);
		store->names_are_stale = true;
	}
	return false;
}
