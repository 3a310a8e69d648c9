/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about deltas. Runs in the thread that borrowed the reader. */
#include "storage/frame_row.h"
#include "storage/query.h"
#include "storage/reader_private.h"

/* One walk over frames. */
struct walk {
	struct reader *reader;
	enum family family;
	struct resolution_piece piece;
	query_delta_fn *each;
	void *context;
	int64_t damaged_count;
	bool is_ended; /* by the callback */
};

/* Hands on what the cursor finds; damaged frames are counted and passed over. */
static bool walk_frames(struct walk *walk, struct cursor *cursor, struct error *err)
{
	/* The names come first: those of a frame are never younger than the frame. */
	bool has_row = false;
	if (!cursor_step(cursor, &has_row, err) || !reader_load_names(walk->reader, err))
		return false;
	const struct frame_names names = names_view(&walk->reader->names);
	while (has_row && !walk->is_ended) {
		struct stored_delta stored;
		struct error damage = ERROR_INIT;
		if (frame_row_read(cursor, walk->family, walk->piece.resolution, &names,
				   &walk->reader->room, &stored, &damage)) {
			stored.piece.from_utc_ms = walk->piece.from_utc_ms;
			stored.piece.to_utc_ms = walk->piece.to_utc_ms;
			walk->is_ended = !walk->each(walk->context, &stored);
		} else {
			walk->damaged_count++;
		}
		if (!walk->is_ended && !cursor_step(cursor, &has_row, err))
			return false;
	}
	return true;
}

static bool walk_piece(struct walk *walk, int64_t target_id, struct error *err)
{
	CLEANUP(cursor_done) struct cursor cursor;
	if (!cursor_init(&cursor, &walk->reader->database, STATEMENT_DELTAS, err))
		return false;
	cursor_bind_int(&cursor, target_id);
	cursor_bind_int(&cursor, walk->family);
	cursor_bind_int(&cursor, walk->piece.from_utc_ms);
	cursor_bind_int(&cursor, walk->piece.to_utc_ms);
	cursor_bind_int(&cursor, walk->piece.resolution);
	return walk_frames(walk, &cursor, err);
}

bool query_range(struct reader *reader, int64_t target_id, enum family family,
		 const struct resolution_plan *plan, query_delta_fn *each, void *context,
		 int64_t *damaged_count, struct error *err)
{
	struct walk walk = {.reader = reader, .family = family, .each = each, .context = context};
	for (int i = 0; i < plan->count && !walk.is_ended; i++) {
		walk.piece = plan->pieces[i];
		if (!walk_piece(&walk, target_id, err))
			return false;
	}
	*damaged_count = walk.damaged_count;
	return true;
}

bool query_deltas(struct reader *reader, int64_t target_id, enum family family,
		  int64_t start_utc_ms, int64_t end_utc_ms, query_delta_fn *each, void *context,
		  int64_t *damaged_count, struct error *err)
{
	const struct resolution_plan plan = resolution_plan_raw(start_utc_ms, end_utc_ms);
	return query_range(reader, target_id, family, &plan, each, context, damaged_count, err);
}

static int64_t int_or(struct cursor *cursor, int64_t fallback)
{
	const bool is_null = cursor_is_null(cursor);
	const int64_t value = cursor_int(cursor);
	return is_null ? fallback : value;
}

bool query_plan(struct reader *reader, int64_t target_id, enum family family, int64_t start_utc_ms,
		int64_t end_utc_ms, int64_t step_ms, struct resolution_plan *plan,
		struct error *err)
{
	CLEANUP(cursor_done) struct cursor cursor;
	bool has_row = false;
	if (!cursor_init(&cursor, &reader->database, STATEMENT_FRAME_EXTENT, err))
		return false;
	cursor_bind_int(&cursor, target_id);
	cursor_bind_int(&cursor, family);
	if (!cursor_step(&cursor, &has_row, err))
		return false;
	struct resolution_extent extents[RESOLUTION_COUNT];
	for (int i = 0; i < RESOLUTION_COUNT; i++)
		extents[i].begin_utc_ms = int_or(&cursor, INT64_MAX);
	extents[RESOLUTION_RAW].end_utc_ms = INT64_MAX;
	for (int i = RESOLUTION_MINUTE; i < RESOLUTION_COUNT; i++)
		extents[i].end_utc_ms = int_or(&cursor, INT64_MIN);
	resolution_plan(extents, start_utc_ms, end_utc_ms, step_ms, plan);
	return true;
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
	struct walk walk = {.reader = reader,
			    .family = family,
			    .piece = {RESOLUTION_RAW, INT64_MIN, INT64_MAX},
			    .each = each,
			    .context = context}; /* damage is told where the range is asked for */
	return walk_frames(&walk, &cursor, err);
}

bool query_last_end(struct reader *reader, int64_t target_id, enum family family,
		    int64_t *end_utc_ms, struct error *err)
{
	return frame_row_last_end(&reader->database, target_id, family, end_utc_ms, err);
}
