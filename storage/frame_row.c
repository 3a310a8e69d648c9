/* SPDX-License-Identifier: Apache-2.0 */
/* A row of the table frame. Runs in the writer and in the borrowers of readers. */
#include "storage/frame_row.h"

enum {
	HAS_NO_RATE = 256,
	QUALITIES_SHIFT = 16,
	MOVES_MAX = 1000, /* a frame whose end is taken by another is moved on, at most so often */
};

bool frame_row_read(struct cursor *cursor, enum family family, enum resolution resolution,
		    const struct frame_names *names, struct frame_room *room,
		    struct stored_delta *stored, struct error *err)
{
	*stored = (struct stored_delta){.commit_id = cursor_int(cursor), .resolution = resolution};
	struct delta *delta = &stored->delta;
	stored->piece.delta = delta;
	delta->family = family;
	delta->end_utc_ms = cursor_int(cursor);
	delta->interval_ms = cursor_int(cursor);
	delta->elapsed_ms = cursor_int(cursor);
	const int64_t quality = cursor_int(cursor);
	const int64_t flags = cursor_int(cursor);
	delta->has_rate = (flags & HAS_NO_RATE) == 0;
	stored->qualities = (unsigned)(flags >> QUALITIES_SHIFT);
	if (quality < QUALITY_BASELINE || quality > QUALITY_AFTER_CLEAR)
		return error_set(err, ERROR_CORRUPT, 0, "a frame has the quality %lld",
				 (long long)quality);
	delta->quality = (enum quality)quality;
	size_t size = 0;
	const void *body = cursor_blob(cursor, &size);
	stored->piece.span_ms =
		resolution == RESOLUTION_RAW ? delta->interval_ms : delta->elapsed_ms;
	return frame_unpack(body, size, names, room, delta, &stored->piece.rolled, err);
}

static bool insert(struct database *database, const struct frame_place *place,
		   const struct delta *delta, int64_t t, const struct strbuf *body,
		   struct error *err)
{
	CLEANUP(cursor_done) struct cursor cursor;
	if (!cursor_init(&cursor, database, STATEMENT_FRAME_INSERT, err))
		return false;
	cursor_bind_int(&cursor, place->target_id);
	cursor_bind_int(&cursor, delta->family);
	cursor_bind_int(&cursor, place->resolution);
	cursor_bind_int(&cursor, t);
	cursor_bind_int(&cursor, place->commit_id);
	cursor_bind_int(&cursor, delta->interval_ms);
	cursor_bind_int(&cursor, delta->elapsed_ms);
	cursor_bind_int(&cursor, delta->quality);
	cursor_bind_int(&cursor, (int64_t)place->qualities << QUALITIES_SHIFT | delta->flags |
					 (delta->has_rate ? 0 : HAS_NO_RATE));
	cursor_bind_blob(&cursor, body->data, body->size);
	return cursor_run(&cursor, err);
}

bool frame_row_put(struct database *database, const struct frame_place *place,
		   const struct delta *delta, const struct strbuf *body, struct error *err)
{
	for (int64_t move = 0; move < MOVES_MAX; move++) {
		if (insert(database, place, delta, delta->end_utc_ms + move, body, err))
			return true;
		if (err->code != SQLITE_CONSTRAINT_PRIMARYKEY)
			return false;
	}
	return false;
}

bool frame_row_last_end(struct database *database, int64_t target_id, enum family family,
			int64_t *end_utc_ms, struct error *err)
{
	CLEANUP(cursor_done) struct cursor cursor;
	bool has_row = false;
	if (!cursor_init(&cursor, database, STATEMENT_LAST_END, err))
		return false;
	cursor_bind_int(&cursor, target_id);
	cursor_bind_int(&cursor, family);
	if (!cursor_step(&cursor, &has_row, err))
		return false;
	*end_utc_ms = has_row ? cursor_int(&cursor) : 0; /* NULL reads as 0 */
	return true;
}
