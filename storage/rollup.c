/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Minutes from polled frames, hours from minutes. A bucket is rolled up once frames have gone past
 * it; its frame is what a query over just that bucket would find, so sums agree to the unit
 * whatever a query is answered from. What is wider than the bucket is not cut: it is taken over as
 * it is, with the bucket in which it began. Up to the mark, all is there: intervals follow one
 * another, so whatever begins before the end of the last one is in the store. Runs in the writer.
 */
#include "storage/rollup.h"

#include <string.h>

#include "daemon/base/alloc.h"

enum {
	ROUND_MS = 5 * 1000,   /* from one round to the next */
	STEP_VIEWS = 24,       /* looked at in one step */
	STEP_BUCKETS = 8,      /* rolled up in one step: a few milliseconds */
	LABEL_SLACK_MS = 2000, /* labels of neighbours may overlap by less than this */
};

/* One view and the resolution it is rolled up to. */
struct rolling {
	struct rollup *rollup;
	struct store *store;
	int64_t target_id;
	enum family family;
	enum resolution resolution;
	enum resolution source;
	int64_t step_ms;
	int64_t mark_utc_ms;
	int64_t limit_utc_ms; /* buckets that end by then are complete */
};

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

static bool find_mark(struct rolling *rolling, enum resolution resolution, int64_t *mark_utc_ms,
		      bool *is_there, struct error *err)
{
	return ask(rolling, STATEMENT_MARK_GET, resolution, NULL, mark_utc_ms, NULL, is_there, err);
}

static bool find_next(struct rolling *rolling, int64_t after_utc_ms, int64_t *end_utc_ms,
		      int64_t *begin_utc_ms, bool *is_there, struct error *err)
{
	return ask(rolling, STATEMENT_FRAME_NEXT, rolling->source, &after_utc_ms, end_utc_ms,
		   begin_utc_ms, is_there, err);
}

static bool put_mark(struct rolling *rolling, struct error *err)
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

static int64_t floor_to(int64_t utc_ms, int64_t step_ms)
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

static bool roll_bucket(struct rolling *rolling, struct error *err)
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

/* Past buckets in which nothing begins: an outage of a year is one step. */
static bool skip_empty(struct rolling *rolling, bool *is_there, struct error *err)
{
	int64_t end = 0;
	int64_t begin = 0;
	if (!find_next(rolling, rolling->mark_utc_ms, &end, &begin, is_there, err))
		return false;
	if (!*is_there)
		return true;
	const int64_t step_ms = rolling->step_ms;
	const bool is_taken = end - begin > step_ms && begin < rolling->mark_utc_ms;
	int64_t first = floor_to(is_taken ? end : begin < end ? begin : end - 1, step_ms);
	const int64_t last = floor_to(rolling->limit_utc_ms, step_ms);
	first = first < last ? first : last;
	if (first > rolling->mark_utc_ms)
		rolling->mark_utc_ms = first;
	return true;
}

static bool find_start(struct rolling *rolling, bool *is_there, struct error *err)
{
	int64_t end = 0;
	int64_t begin = 0;
	if (!find_mark(rolling, rolling->resolution, &rolling->mark_utc_ms, is_there, err) ||
	    *is_there)
		return *is_there;
	if (!find_next(rolling, INT64_MIN, &end, &begin, is_there, err))
		return false;
	if (!*is_there)
		return true;
	rolling->mark_utc_ms = floor_to(begin, rolling->step_ms);
	return true;
}

/* Minutes are complete when polling has gone past them, hours when the minutes have. */
static bool find_limit(struct rolling *rolling, bool *is_there, struct error *err)
{
	if (rolling->source != RESOLUTION_RAW)
		return find_mark(rolling, rolling->source, &rolling->limit_utc_ms, is_there, err);
	int64_t last_end = 0;
	if (!store_load_last_end(rolling->store, rolling->target_id, rolling->family, &last_end,
				 err))
		return false;
	*is_there = last_end > 0;
	rolling->limit_utc_ms = last_end - LABEL_SLACK_MS;
	return true;
}

static bool roll(struct rolling *rolling, int *budget, struct error *err)
{
	const int64_t mark_before = rolling->mark_utc_ms;
	while (*budget > 0 && rolling->mark_utc_ms + rolling->step_ms <= rolling->limit_utc_ms) {
		bool is_there = false;
		if (!skip_empty(rolling, &is_there, err))
			return false;
		if (!is_there)
			break;
		if (rolling->mark_utc_ms + rolling->step_ms > rolling->limit_utc_ms)
			break;
		(*budget)--;
		if (!roll_bucket(rolling, err))
			return false;
	}
	return rolling->mark_utc_ms == mark_before || put_mark(rolling, err);
}

static bool roll_resolution(struct rollup *rollup, struct store *store, enum resolution resolution,
			    int *budget, struct error *err)
{
	struct rolling rolling = {.rollup = rollup,
				  .store = store,
				  .target_id = rollup->target_id,
				  .family = (enum family)rollup->family,
				  .resolution = resolution,
				  .source = (enum resolution)(resolution - 1),
				  .step_ms = resolution_step_ms(resolution)};
	bool is_there = false;
	if (!find_limit(&rolling, &is_there, err))
		return false;
	if (!is_there)
		return true;
	if (!find_start(&rolling, &is_there, err))
		return false;
	return !is_there || roll(&rolling, budget, err);
}

/* Goes to the next view; the round ends after the last. */
static bool next_view(struct rollup *rollup, struct store *store, struct error *err)
{
	if (++rollup->family < FAMILY_COUNT && rollup->target_id > 0)
		return true;
	CLEANUP(cursor_done) struct cursor cursor;
	bool has_row = false;
	if (!cursor_init(&cursor, &store->database, STATEMENT_TARGET_NEXT, err))
		return false;
	cursor_bind_int(&cursor, rollup->target_id);
	if (!cursor_step(&cursor, &has_row, err))
		return false;
	rollup->target_id = has_row ? cursor_int(&cursor) : 0; /* NULL reads as 0 */
	rollup->family = 0;
	rollup->is_in_round = rollup->target_id > 0;
	return true;
}

static bool roll_some(struct rollup *rollup, struct store *store, struct error *err)
{
	int budget = STEP_BUCKETS;
	for (int i = 0; i < STEP_VIEWS && budget > 0 && rollup->is_in_round; i++) {
		for (enum resolution r = RESOLUTION_MINUTE; r < RESOLUTION_COUNT; r++)
			if (rollup->target_id > 0 &&
			    !roll_resolution(rollup, store, r, &budget, err))
				return false;
		if (budget > 0 && !next_view(rollup, store, err))
			return false;
	}
	return true;
}

static void begin_round(struct rollup *rollup, struct instant now)
{
	rollup->is_in_round = true;
	rollup->target_id = 0;
	rollup->family = 0;
	rollup->round_mono_ms = now.mono_ms + ROUND_MS;
}

bool rollup_step(struct rollup *rollup, struct store *store, struct instant now, bool *is_busy,
		 struct error *err)
{
	*is_busy = false;
	if (!rollup->is_in_round && now.mono_ms < rollup->round_mono_ms)
		return true;
	if (store->names_are_stale) {
		if (!names_load(&store->names, &store->database, err))
			return false;
		store->names_are_stale = false;
	}
	if (!rollup->is_in_round)
		begin_round(rollup, now);
	if (!database_run(&store->database, "BEGIN IMMEDIATE", err))
		return false;
	if (roll_some(rollup, store, err) && database_run(&store->database, "COMMIT", err)) {
		*is_busy = rollup->is_in_round;
		return true;
	}
	struct error ignored = ERROR_INIT; /* the failure before it is the one that counts */
	if (database_is_in_transaction(&store->database))
		(void)!database_run(&store->database, "ROLLBACK", &ignored);
	rollup->is_in_round = false;
	return false;
}

/* An edge that no raw frame reaches over, or it would be half gone. */
static bool find_clean_edge(struct rolling *rolling, int64_t begin_utc_ms, struct error *err)
{
	bool is_there = true;
	int64_t end = 0;
	rolling->mark_utc_ms = begin_utc_ms;
	do {
		rolling->mark_utc_ms = floor_to(begin_utc_ms, rolling->step_ms);
		begin_utc_ms = rolling->mark_utc_ms;
		if (!find_next(rolling, rolling->mark_utc_ms, &end, &begin_utc_ms, &is_there, err))
			return false;
	} while (is_there && begin_utc_ms < rolling->mark_utc_ms);
	return true;
}

/* Forgets the roll-up of one resolution from an edge on. */
static bool reopen(struct rolling *rolling, int64_t begin_utc_ms, struct error *err)
{
	bool is_there = false;
	int64_t mark_utc_ms = 0;
	if (!find_mark(rolling, rolling->resolution, &mark_utc_ms, &is_there, err) ||
	    !find_clean_edge(rolling, begin_utc_ms, err))
		return false;
	if (!is_there || mark_utc_ms <= rolling->mark_utc_ms)
		return true;
	CLEANUP(cursor_done) struct cursor cursor;
	if (!cursor_init(&cursor, &rolling->store->database, STATEMENT_FRAME_REOPEN, err))
		return false;
	cursor_bind_int(&cursor, rolling->target_id);
	cursor_bind_int(&cursor, rolling->family);
	cursor_bind_int(&cursor, rolling->resolution);
	cursor_bind_int(&cursor, rolling->mark_utc_ms);
	return cursor_run(&cursor, err) && put_mark(rolling, err);
}

bool rollup_reopen(struct store *store, int64_t target_id, enum family family, int64_t begin_utc_ms,
		   struct error *err)
{
	struct rolling rolling = {.store = store, .target_id = target_id, .family = family};
	int64_t end = 0;
	bool is_there = false;
	int64_t first = 0;
	/* What is older than the first raw frame can not be made again. */
	if (!find_next(&rolling, INT64_MIN, &end, &first, &is_there, err))
		return false;
	if (!is_there)
		return true;
	for (enum resolution r = RESOLUTION_MINUTE; r < RESOLUTION_COUNT; r++) {
		rolling.resolution = r;
		rolling.step_ms = resolution_step_ms(r);
		const int64_t whole = floor_to(first, rolling.step_ms) + rolling.step_ms;
		if (!reopen(&rolling, first <= begin_utc_ms ? begin_utc_ms : whole, err))
			return false;
	}
	return true;
}

void rollup_done(struct rollup *rollup)
{
	frame_room_done(&rollup->room);
}
