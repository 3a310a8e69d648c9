/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One bucket of a roll-up. What is wider than the bucket is not cut: it is taken over as it is,
 * with the bucket in which it began. Runs in the writer.
 */
#include "storage/rolling.h"

#include <string.h>

#include "daemon/base/alloc.h"

/* The bucket that is being made. */
struct bucket {
	struct series *series;
	unsigned qualities;
	bool has_frames;
};

static bool ask(struct rolling *rolling, enum statement which, enum resolution resolution,
		const int64_t *after_utc_ms, int64_t *first, int64_t *second, bool *is_there,
		struct error *err)
{
	CLEANUP(cursor_done) struct cursor cursor;
	if (!cursor_init(&cursor, &rolling->store->database, which, err))
		return false;
	cursor_bind_int(&cursor, rolling->target_id);
	cursor_bind_int(&cursor, rolling->family);
	cursor_bind_int(&cursor, resolution);
	if (after_utc_ms)
		cursor_bind_int(&cursor, *after_utc_ms);
	if (!cursor_step(&cursor, is_there, err) || !*is_there)
		return !cursor_has_failed(&cursor);
	*first = cursor_int(&cursor);
	if (second)
		*second = cursor_int(&cursor);
	return true;
}

bool rolling_find_mark(struct rolling *rolling, enum resolution resolution, int64_t *mark_utc_ms,
		       bool *is_there, struct error *err)
{
	return ask(rolling, STATEMENT_MARK_GET, resolution, NULL, mark_utc_ms, NULL, is_there, err);
}

bool rolling_find_next(struct rolling *rolling, int64_t after_utc_ms, int64_t *end_utc_ms,
		       int64_t *begin_utc_ms, bool *is_there, struct error *err)
{
	return ask(rolling, STATEMENT_FRAME_NEXT, rolling->source, &after_utc_ms, end_utc_ms,
		   begin_utc_ms, is_there, err);
}

bool rolling_put_mark(struct rolling *rolling, struct error *err)
{
	CLEANUP(cursor_done) struct cursor cursor;
	if (!cursor_init(&cursor, &rolling->store->database, STATEMENT_MARK_PUT, err))
		return false;
	cursor_bind_int(&cursor, rolling->target_id);
	cursor_bind_int(&cursor, rolling->family);
	cursor_bind_int(&cursor, rolling->resolution);
	cursor_bind_int(&cursor, rolling->mark_utc_ms);
	return cursor_run(&cursor, err);
}

int64_t rolling_floor(int64_t utc_ms, int64_t step_ms)
{
	return utc_ms - utc_ms % step_ms;
}

/* How grave a quality is: the strongest witness first, as DESIGN has it. */
static int gravity(enum quality quality)
{
	static const int gravities[] = {
		[QUALITY_BASELINE] = 0,	      [QUALITY_EXACT] = 1,
		[QUALITY_AFTER_GAP] = 2,      [QUALITY_AFTER_RESTART] = 4,
		[QUALITY_AFTER_FAILOVER] = 5, [QUALITY_AFTER_CLEAR] = 3,
	};
	return gravities[quality];
}

static enum quality gravest(unsigned qualities)
{
	enum quality worst = QUALITY_BASELINE;
	for (enum quality i = QUALITY_BASELINE; i <= QUALITY_AFTER_CLEAR; i++)
		if (qualities & 1U << i && gravity(i) > gravity(worst))
			worst = i;
	return worst;
}

static unsigned qualities_of(const struct stored_delta *stored)
{
	return stored->qualities ? stored->qualities : 1U << stored->delta.quality;
}

/* Packs and writes one roll-up; ids come from names that are all interned already. */
static bool put_frame(struct rolling *rolling, const struct delta *delta,
		      const struct rolled *rolled, unsigned qualities, struct error *err)
{
	struct store *store = rolling->store;
	CLEANUP(freep) int64_t *ids = xcalloc(delta->row_count + 1, sizeof(*ids));
	for (size_t i = 0; i < delta->row_count; i++)
		if (!names_intern(&store->names, &store->database, delta->family,
				  delta->rows[i].name, &ids[i], err))
			return false;
	strbuf_reset(&store->packed);
	frame_pack(&store->packed, delta, rolled, ids);
	const struct frame_place place = {.target_id = rolling->target_id,
					  .resolution = rolling->resolution,
					  .commit_id = store->last_commit,
					  .qualities = qualities};
	rolling->rollup->frame_count++;
	return frame_row_put(&store->database, &place, delta, &store->packed, err);
}

/* An interval wider than the bucket, as it is. */
static bool put_whole(struct rolling *rolling, const struct stored_delta *stored, struct error *err)
{
	struct delta whole = stored->delta;
	whole.elapsed_ms = stored->piece.span_ms;
	CLEANUP(freep)
	struct rolled *rolled = xcalloc(whole.row_count + 1, sizeof(*rolled));
	const int time_counter = family_shape(rolling->family)->time_counter;
	for (size_t i = 0; i < whole.row_count; i++)
		rolled[i] = stored->piece.rolled
				    ? stored->piece.rolled[i]
				    : (struct rolled){(double)whole.rows[i].counters[time_counter] *
							      1000 / (double)whole.interval_ms,
						      1};
	return put_frame(rolling, &whole, rolled, qualities_of(stored), err);
}

static bool is_wide(const struct rolling *rolling, const struct stored_delta *stored)
{
	return stored->delta.has_rate && stored->delta.interval_ms > 0 &&
	       stored->piece.span_ms > rolling->step_ms;
}

static bool take_frame(struct rolling *rolling, struct bucket *bucket,
		       const struct stored_delta *stored, struct error *err)
{
	const int64_t bucket_end = rolling->mark_utc_ms + rolling->step_ms;
	const int64_t begin = stored->delta.end_utc_ms - stored->piece.span_ms;
	if (is_wide(rolling, stored))
		return begin < rolling->mark_utc_ms || put_whole(rolling, stored, err);
	series_add_piece(bucket->series, &stored->piece);
	if (stored->delta.end_utc_ms <= bucket_end) {
		bucket->qualities |= qualities_of(stored);
		bucket->has_frames = true;
	}
	return true;
}

static bool read_bucket(struct rolling *rolling, struct bucket *bucket, struct error *err)
{
	struct store *store = rolling->store;
	CLEANUP(cursor_done) struct cursor cursor;
	if (!cursor_init(&cursor, &store->database, STATEMENT_DELTAS, err))
		return false;
	cursor_bind_int(&cursor, rolling->target_id);
	cursor_bind_int(&cursor, rolling->family);
	cursor_bind_int(&cursor, rolling->mark_utc_ms);
	cursor_bind_int(&cursor, rolling->mark_utc_ms + rolling->step_ms);
	cursor_bind_int(&cursor, rolling->source);
	const struct frame_names names = names_view(&store->names);
	while (cursor_next(&cursor, err)) {
		struct stored_delta stored;
		struct error damage = ERROR_INIT; /* told where the range is asked for */
		if (!frame_row_read(&cursor, rolling->family, rolling->source, &names,
				    &rolling->rollup->room, &stored, &damage))
			continue;
		stored.piece.from_utc_ms = INT64_MIN;
		stored.piece.to_utc_ms = INT64_MAX;
		if (!take_frame(rolling, bucket, &stored, err))
			return false;
	}
	return !cursor_has_failed(&cursor);
}

static bool put_bucket(struct rolling *rolling, const struct bucket *bucket, struct error *err)
{
	const struct series *const series = bucket->series;
	if (!bucket->has_frames && series->covered_ms[0] == 0)
		return true;
	CLEANUP(freep)
	struct delta_row *rows = xcalloc(series->name_count + 1, sizeof(*rows));
	CLEANUP(freep)
	struct rolled *rolled = xcalloc(series->name_count + 1, sizeof(*rolled));
	struct delta delta = {.family = rolling->family,
			      .quality = gravest(bucket->qualities),
			      .has_rate = series->covered_ms[0] > 0,
			      .end_utc_ms = rolling->mark_utc_ms + rolling->step_ms,
			      .interval_ms = series->covered_ms[0],
			      .elapsed_ms = rolling->step_ms,
			      .rows = rows,
			      .row_count = series->name_count};
	for (size_t i = 0; i < series->name_count; i++) {
		const struct series_name *const name = &series->names[i];
		rows[i].name = name->name;
		rows[i].flags = name->flags;
		memcpy(rows[i].counters, name->total, sizeof(rows[i].counters));
		rolled[i] = (struct rolled){name->max_rate[0], name->interval_count};
		delta.flags |= name->flags;
	}
	return put_frame(rolling, &delta, rolled, bucket->qualities, err);
}

bool rolling_roll_bucket(struct rolling *rolling, struct error *err)
{
	const int64_t end = rolling->mark_utc_ms + rolling->step_ms;
	CLEANUP(series_freep)
	struct series *series =
		series_new(rolling->family, rolling->mark_utc_ms, end, rolling->step_ms);
	struct bucket bucket = {.series = series};
	if (!read_bucket(rolling, &bucket, err) || !put_bucket(rolling, &bucket, err))
		return false;
	rolling->mark_utc_ms = end;
	return true;
}
