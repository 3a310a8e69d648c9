/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about task samples and page owners. Runs in the thread that borrowed the reader. */
#include <stdlib.h>

#include "daemon/base/alloc.h"
#include "storage/query.h"
#include "storage/reader_private.h"
#include "storage/task_frame.h"

/* Columns: commit_id, t, taken_mono_ms, scheduler_count, invalid_resource_count, is_truncated,
 * body. The memory of sample->tasks is kept from row to row. */
static bool read_tasks(struct reader *reader, struct cursor *cursor, int64_t *commit_id,
		       struct task_sample *sample, struct error *err)
{
	*commit_id = cursor_int(cursor);
	sample->taken.utc_ms = cursor_int(cursor);
	sample->taken.mono_ms = cursor_int(cursor);
	sample->scheduler_count = (int32_t)cursor_int(cursor);
	sample->invalid_resource_count = cursor_int(cursor);
	sample->is_truncated = cursor_int(cursor) != 0;
	size_t size = 0;
	const void *body = cursor_blob(cursor, &size);
	const struct frame_names names = names_view(&reader->names);
	return task_frame_unpack(body, size, &names, sample, err);
}

static bool walk_tasks(struct reader *reader, struct cursor *cursor, struct task_sample *sample,
		       query_tasks_fn *each, void *context, struct error *err)
{
	bool has_row = false;
	if (!cursor_step(cursor, &has_row, err) || !reader_load_names(reader, err))
		return false;
	while (has_row) {
		int64_t commit_id = 0;
		struct error damage = ERROR_INIT; /* a damaged sample is passed over */
		if (read_tasks(reader, cursor, &commit_id, sample, &damage) &&
		    !each(context, commit_id, sample))
			return true;
		if (!cursor_step(cursor, &has_row, err))
			return false;
	}
	return true;
}

bool query_tasks_after_commit(struct reader *reader, int64_t target_id, int64_t since_utc_ms,
			      int64_t after_commit, query_tasks_fn *each, void *context,
			      struct error *err)
{
	CLEANUP(cursor_done) struct cursor cursor;
	if (!cursor_init(&cursor, &reader->database, STATEMENT_TASKS_AFTER_COMMIT, err))
		return false;
	cursor_bind_int(&cursor, target_id);
	cursor_bind_int(&cursor, since_utc_ms);
	cursor_bind_int(&cursor, after_commit);
	struct task_sample sample = {0};
	const bool is_ok = walk_tasks(reader, &cursor, &sample, each, context, err);
	free(sample.tasks);
	return is_ok;
}

static void read_owner(struct cursor *cursor, struct page_owner *owner)
{
	owner->database_id = (int32_t)cursor_int(cursor);
	owner->file_id = (int32_t)cursor_int(cursor);
	owner->page_id = cursor_int(cursor);
	owner->state = (enum page_owner_state)cursor_int(cursor);
	cursor_copy_text(cursor, owner->error, sizeof(owner->error));
	cursor_copy_text(cursor, owner->database, sizeof(owner->database));
	cursor_copy_text(cursor, owner->object, sizeof(owner->object));
	owner->object_id = cursor_int(cursor);
	cursor_copy_text(cursor, owner->index, sizeof(owner->index));
	owner->index_id = (int32_t)cursor_int(cursor);
	owner->partition_id = cursor_int(cursor);
	owner->page_type = (int32_t)cursor_int(cursor);
	owner->level = (int32_t)cursor_int(cursor);
	owner->next_file_id = (int32_t)cursor_int(cursor);
	owner->next_page_id = cursor_int(cursor);
	owner->previous_file_id = (int32_t)cursor_int(cursor);
	owner->previous_page_id = cursor_int(cursor);
	owner->is_mixed_extent = cursor_int(cursor) != 0;
	owner->is_system_object = cursor_int(cursor) != 0;
	cursor_copy_text(cursor, owner->leading_column, sizeof(owner->leading_column));
	owner->is_ascending = (int32_t)cursor_int(cursor);
	owner->is_descending = (int32_t)cursor_int(cursor);
	owner->optimize_for_sequential_key = (int32_t)cursor_int(cursor);
	owner->looked_up_utc_ms = cursor_int(cursor);
}

bool query_owners(struct reader *reader, int64_t target_id, int64_t since_utc_ms,
		  query_owner_fn *each, void *context, struct error *err)
{
	CLEANUP(cursor_done) struct cursor cursor;
	if (!cursor_init(&cursor, &reader->database, STATEMENT_OWNERS, err))
		return false;
	cursor_bind_int(&cursor, target_id);
	cursor_bind_int(&cursor, since_utc_ms);
	while (cursor_next(&cursor, err)) {
		struct page_owner owner = {0};
		read_owner(&cursor, &owner);
		if (!each(context, &owner))
			break;
	}
	return !cursor_has_failed(&cursor);
}
