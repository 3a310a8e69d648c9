/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Minutes from polled frames, hours from minutes. A bucket is rolled up once frames have gone past
 * it; its frame is what a query over just that bucket would find, so sums agree to the unit
 * whatever a query is answered from. Up to the mark, all is there: intervals follow one another, so
 * whatever begins before the end of the last one is in the store. Runs in the writer.
 */
#include "storage/rolling.h"

enum {
	ROUND_MS = 5 * 1000,   /* from one round to the next */
	STEP_VIEWS = 24,       /* looked at in one step */
	STEP_BUCKETS = 8,      /* rolled up in one step: a few milliseconds */
	LABEL_SLACK_MS = 2000, /* labels of neighbours may overlap by less than this */
};

/* Past buckets in which nothing begins: an outage of a year is one step. */
static bool skip_empty(struct rolling *rolling, bool *is_there, struct error *err)
{
	int64_t end = 0;
	int64_t begin = 0;
	if (!rolling_find_next(rolling, rolling->mark_utc_ms, &end, &begin, is_there, err))
		return false;
	if (!*is_there)
		return true;
	const int64_t step_ms = rolling->step_ms;
	const bool is_taken = end - begin > step_ms && begin < rolling->mark_utc_ms;
	int64_t first = rolling_floor(is_taken ? end : begin < end ? begin : end - 1, step_ms);
	const int64_t last = rolling_floor(rolling->limit_utc_ms, step_ms);
	first = first < last ? first : last;
	if (first > rolling->mark_utc_ms)
		rolling->mark_utc_ms = first;
	return true;
}

static bool find_start(struct rolling *rolling, bool *is_there, struct error *err)
{
	int64_t end = 0;
	int64_t begin = 0;
	if (!rolling_find_mark(rolling, rolling->resolution, &rolling->mark_utc_ms, is_there,
			       err) ||
	    *is_there)
		return *is_there;
	if (!rolling_find_next(rolling, INT64_MIN, &end, &begin, is_there, err))
		return false;
	if (!*is_there)
		return true;
	rolling->mark_utc_ms = rolling_floor(begin, rolling->step_ms);
	return true;
}

/* Minutes are complete when polling has gone past them, hours when the minutes have. */
static bool find_limit(struct rolling *rolling, bool *is_there, struct error *err)
{
	if (rolling->source != RESOLUTION_RAW)
		return rolling_find_mark(rolling, rolling->source, &rolling->limit_utc_ms, is_there,
					 err);
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
		if (!rolling_roll_bucket(rolling, err))
			return false;
	}
	return rolling->mark_utc_ms == mark_before || rolling_put_mark(rolling, err);
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
		rolling->mark_utc_ms = rolling_floor(begin_utc_ms, rolling->step_ms);
		begin_utc_ms = rolling->mark_utc_ms;
		if (!rolling_find_next(rolling, rolling->mark_utc_ms, &end, &begin_utc_ms,
				       &is_there, err))
			return false;
	} while (is_there && begin_utc_ms < rolling->mark_utc_ms);
	return true;
}

/* Forgets the roll-up of one resolution from an edge on. */
static bool reopen(struct rolling *rolling, int64_t begin_utc_ms, struct error *err)
{
	bool is_there = false;
	int64_t mark_utc_ms = 0;
	if (!rolling_find_mark(rolling, rolling->resolution, &mark_utc_ms, &is_there, err) ||
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
	return cursor_run(&cursor, err) && rolling_put_mark(rolling, err);
}

bool rollup_reopen(struct store *store, int64_t target_id, enum family family, int64_t begin_utc_ms,
		   struct error *err)
{
	struct rolling rolling = {.store = store, .target_id = target_id, .family = family};
	int64_t end = 0;
	bool is_there = false;
	int64_t first = 0;
	/* What is older than the first raw frame can not be made again. */
	if (!rolling_find_next(&rolling, INT64_MIN, &end, &first, &is_there, err))
		return false;
	if (!is_there)
		return true;
	for (enum resolution r = RESOLUTION_MINUTE; r < RESOLUTION_COUNT; r++) {
		rolling.resolution = r;
		rolling.step_ms = resolution_step_ms(r);
		const int64_t whole = rolling_floor(first, rolling.step_ms) + rolling.step_ms;
		if (!reopen(&rolling, first <= begin_utc_ms ? begin_utc_ms : whole, err))
			return false;
	}
	return true;
}

void rollup_done(struct rollup *rollup)
{
	frame_room_done(&rollup->room);
}
