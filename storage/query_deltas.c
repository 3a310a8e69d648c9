/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about deltas. Runs in the thread that borrowed the reader. */
#include <stdlib.h>

#include "daemon/base/alloc.h"
#include "storage/frame.h"
#include "storage/query.h"
#include "storage/reader_private.h"

enum { FRAME_HAS_NO_RATE = 256 };

/* Columns: commit_id, t, interval_ms, elapsed_ms, quality, flags, body. */
static bool read_delta(struct reader *reader, struct cursor *cursor, enum family family,
		       struct stored_delta *stored, struct error *err)
{
	*stored = (struct stored_delta){.commit_id = cursor_int(cursor)};
	struct delta *delta = &stored->delta;
	delta->family = family;
	delta->end_utc_ms = cursor_int(cursor);
	delta->interval_ms = cursor_int(cursor);
	delta->elapsed_ms = cursor_int(cursor);
	const int64_t quality = cursor_int(cursor);
	delta->has_rate = (cursor_int(cursor) & FRAME_HAS_NO_RATE) == 0;
	if (quality < QUALITY_BASELINE || quality > QUALITY_AFTER_CLEAR)
		return error_set(err, ERROR_CORRUPT, 0, "a frame has the quality %lld",
				 (long long)quality);
	delta->quality = (enum quality)quality;
	size_t size = 0;
	const void *body = cursor_blob(cursor, &size);
	const struct frame_names names = names_view(&reader->names);
	return frame_unpack(body, size, &names, &reader->rows, &reader->row_capacity, delta, err);
}

/* Hands on what the cursor finds; damaged frames are counted and passed over. */
static bool walk(struct reader *reader, struct cursor *cursor, enum family family,
		 query_delta_fn *each, void *context, int64_t *damaged_count, struct error *err)
{
	/* The names come first: those of a frame are never younger than the frame. */
	bool has_row = false;
	if (!cursor_step(cursor, &has_row, err) || !reader_load_names(reader, err))
		return false;
	while (has_row) {
		struct stored_delta stored;
		struct error damage = ERROR_INIT;
		if (!read_delta(reader, cursor, family, &stored, &damage))
			(*damaged_count)++;
		else if (!each(context, &stored))
			return true;
		if (!cursor_step(cursor, &has_row, err))
			return false;
	}
	return true;
}

bool query_deltas(struct reader *reader, int64_t target_id, enum family family,
		  int64_t start_utc_ms, int64_t end_utc_ms, query_delta_fn *each, void *context,
		  int64_t *damaged_count, struct error *err)
{
	CLEANUP(cursor_done) struct cursor cursor;
	if (!cursor_init(&cursor, &reader->database, STATEMENT_DELTAS, err))
		return false;
	cursor_bind_int(&cursor, target_id);
	cursor_bind_int(&cursor, family);
	cursor_bind_int(&cursor, start_utc_ms);
	cursor_bind_int(&cursor, end_utc_ms);
	*damaged_count = 0;
	return walk(reader, &cursor, family, each, context, damaged_count, err);
}

bool query_deltas_after_commit(struct reader *reader, int64_t target_id, enum family family,
			       int64_t since_utc_ms, int64_t after_commit, query_delta_fn *each,
			       void *context, struct error *err)
{
	CLEANUP(cursor_done) struct cursor cursor;
	if (!cursor_init(&cursor, &reader->database, STATEMENT_DELTAS_AFTER_COMMIT, err))
		return false;
	cursor_bind_int(&cursor, target_id);
	cursor_bind_int(&cursor, family);
	cursor_bind_int(&cursor, since_utc_ms);
	cursor_bind_int(&cursor, after_commit);
	int64_t damaged_count = 0; /* told where the range is asked for */
	return walk(reader, &cursor, family, each, context, &damaged_count, err);
}

bool query_last_end(struct reader *reader, int64_t target_id, enum family family,
		    int64_t *end_utc_ms, struct error *err)
{
	CLEANUP(cursor_done) struct cursor cursor;
	bool has_row = false;
	if (!cursor_init(&cursor, &reader->database, STATEMENT_LAST_END, err))
		return false;
	cursor_bind_int(&cursor, target_id);
	cursor_bind_int(&cursor, family);
	if (!cursor_step(&cursor, &has_row, err))
		return false;
	*end_utc_ms = has_row ? cursor_int(&cursor) : 0;
	return true;
}
