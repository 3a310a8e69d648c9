/* SPDX-License-Identifier: Apache-2.0 */
/* Forgets what is old, a few rows at a time; see the header. Runs in the writer. */
#include "storage/retention.h"

enum {
	STEP_ROWS = 200,      /* deleted in one step: about a millisecond */
	STEP_TARGETS = 50,    /* looked at in one step */
	STEP_PAGES = 64,      /* given back to the disk in one step */
	ROUND_MS = 60 * 1000, /* from one round to the next */
	CAP_PARTS = 50,	      /* over the cap, this part of the time that is kept goes per round */
	CAP_MIN_MS = 60 * 1000,
	HOUR_MS = 3600 * 1000,
};

/* Asks for one integer; 0 when it is NULL. */
static bool ask(struct store *store, enum statement which, const int64_t *arguments,
		int argument_count, int64_t *value, struct error *err)
{
	CLEANUP(cursor_done) struct cursor cursor;
	bool has_row = false;
	if (!cursor_init(&cursor, &store->database, which, err))
		return false;
	for (int i = 0; i < argument_count; i++)
		cursor_bind_int(&cursor, arguments[i]);
	if (!cursor_step(&cursor, &has_row, err))
		return false;
	*value = has_row ? cursor_int(&cursor) : 0;
	return true;
}

static bool next_target(struct store *store, int64_t after, int64_t *target_id, struct error *err)
{
	return ask(store, STATEMENT_TARGET_NEXT, &after, 1, target_id, err);
}

/* Deletes rows of one kind and takes what was deleted off *budget. */
static bool retire(struct store *store, enum statement which, const int64_t *arguments,
		   int argument_count, int64_t *budget, struct error *err)
{
	if (*budget <= 0)
		return true;
	CLEANUP(cursor_done) struct cursor cursor;
	if (!cursor_init(&cursor, &store->database, which, err))
		return false;
	for (int i = 0; i < argument_count; i++)
		cursor_bind_int(&cursor, arguments[i]);
	cursor_bind_int(&cursor, *budget);
	if (!cursor_run(&cursor, err))
		return false;
	*budget -= sqlite3_changes64(store->database.handle);
	return true;
}

/* Frames that are not rolled up yet stay, whatever their age: frame_retire.sql sees to it. */
static bool retire_target(struct retention *retention, struct store *store, int64_t *budget,
			  struct error *err)
{
	const int64_t target_id = retention->target_id;
	for (int family = 0; family < FAMILY_COUNT; family++)
		for (int r = 0; r < RESOLUTION_COUNT; r++) {
			const int64_t view[] = {target_id, family, r, retention->cutoffs_utc_ms[r]};
			if (!retire(store, STATEMENT_FRAME_RETIRE, view, 4, budget, err))
				return false;
		}
	const int64_t polled[] = {target_id, retention->cutoffs_utc_ms[RESOLUTION_RAW]};
	const int64_t told[] = {target_id, retention->cutoffs_utc_ms[RESOLUTION_HOUR]};
	return retire(store, STATEMENT_TASK_FRAME_RETIRE, polled, 2, budget, err) &&
	       retire(store, STATEMENT_EVENT_RETIRE, told, 2, budget, err) &&
	       retire(store, STATEMENT_HOTSPOT_RETIRE, told, 2, budget, err) &&
	       retire(store, STATEMENT_OWNER_RETIRE, polled, 2, budget, err);
}

static bool retire_some(struct retention *retention, struct store *store, struct error *err)
{
	int64_t budget = STEP_ROWS;
	for (int i = 0; i < STEP_TARGETS && retention->is_in_round; i++) {
		if (!retire_target(retention, store, &budget, err))
			return false;
		if (budget <= 0)
			break;
		int64_t next = 0;
		if (!next_target(store, retention->target_id, &next, err))
			return false;
		retention->target_id = next;
		retention->is_in_round = next > 0;
	}
	retention->deleted_count += STEP_ROWS - budget;
	return true;
}

/* End of the oldest frame of a resolution that may go, of any target; INT64_MAX when there is none.
 */
static bool find_oldest(struct store *store, enum resolution resolution, int64_t *oldest_utc_ms,
			struct error *err)
{
	*oldest_utc_ms = INT64_MAX;
	int64_t target_id = 0;
	for (;;) {
		if (!next_target(store, target_id, &target_id, err))
			return false;
		if (target_id == 0)
			return true;
		for (int family = 0; family < FAMILY_COUNT; family++) {
			int64_t t = 0;
			const int64_t view[] = {target_id, family, resolution};
			if (!ask(store, STATEMENT_FRAME_OLDEST, view, 3, &t, err))
				return false;
			if (t > 0 && t < *oldest_utc_ms)
				*oldest_utc_ms = t;
		}
	}
}

/*
 * Over the cap the oldest part of the finest resolution goes that has more than one would want to
 * keep: first what was polled, then the minutes, then the hours. Where the cap leaves no room for
 * even that, whatever is the oldest goes.
 */
static bool cut_to_size(struct retention *retention, struct store *store, int64_t now_utc_ms,
			struct error *err)
{
	static const int64_t wanted_ms[RESOLUTION_COUNT] = {
		[RESOLUTION_RAW] = INT64_C(2) * HOUR_MS,
		[RESOLUTION_MINUTE] = INT64_C(48) * HOUR_MS,
		[RESOLUTION_HOUR] = INT64_C(30) * 24 * HOUR_MS,
	};
	int64_t oldest[RESOLUTION_COUNT];
	enum resolution chosen = RESOLUTION_COUNT;
	enum resolution first = RESOLUTION_RAW;
	for (enum resolution r = RESOLUTION_RAW; r < RESOLUTION_COUNT; r++) {
		if (!find_oldest(store, r, &oldest[r], err))
			return false;
		if (chosen == RESOLUTION_COUNT && oldest[r] < now_utc_ms - wanted_ms[r])
			chosen = r;
		if (oldest[r] < oldest[first])
			first = r;
	}
	if (chosen == RESOLUTION_COUNT)
		chosen = first;
	const int64_t part_ms = (now_utc_ms - oldest[chosen]) / CAP_PARTS;
	const int64_t cutoff = oldest[chosen] + (part_ms > CAP_MIN_MS ? part_ms : CAP_MIN_MS);
	if (oldest[chosen] < now_utc_ms && cutoff > retention->cutoffs_utc_ms[chosen])
		retention->cutoffs_utc_ms[chosen] = cutoff;
	return true;
}

static bool begin_round(struct retention *retention, struct store *store,
			const struct retention_options *options, bool is_over_cap,
			struct instant now, struct error *err)
{
	for (int r = 0; r < RESOLUTION_COUNT; r++)
		retention->cutoffs_utc_ms[r] = now.utc_ms - options->keep_ms[r];
	if (is_over_cap && !cut_to_size(retention, store, now.utc_ms, err))
		return false;
	retention->is_in_round = true;
	retention->target_id = 0;
	retention->round_mono_ms = now.mono_ms + ROUND_MS;
	return true;
}

/* Free pages are mostly used again; they go back to the disk when they are many or it is asked. */
static bool is_vacuum_due(const struct store_size *size, const struct retention_options *options)
{
	return size->free_bytes > size->file_bytes / 4 ||
	       (options->max_size_bytes > 0 && size->free_bytes > 0 &&
		size->file_bytes > options->max_size_bytes);
}

bool retention_step(struct retention *retention, struct store *store,
		    const struct retention_options *options, struct instant now, bool *is_busy,
		    struct error *err)
{
	struct store_size size;
	if (!store_measure(store, &size, err))
		return false;
	const bool is_over_cap = options->max_size_bytes > 0 &&
				 size.file_bytes - size.free_bytes > options->max_size_bytes;
	const bool is_due = is_over_cap || now.mono_ms >= retention->round_mono_ms;
	if (!retention->is_in_round && is_due &&
	    !begin_round(retention, store, options, is_over_cap, now, err))
		return false;
	const int64_t deleted_before = retention->deleted_count;
	if (retention->is_in_round && !retire_some(retention, store, err))
		return false;
	const bool has_deleted = retention->deleted_count > deleted_before;
	const bool is_vacuuming = is_vacuum_due(&size, options);
	if (is_vacuuming && !store_vacuum(store, STEP_PAGES, err))
		return false;
	*is_busy = retention->is_in_round || is_vacuuming || (is_over_cap && has_deleted);
	return true;
}
