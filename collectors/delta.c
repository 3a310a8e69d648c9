/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Subtracts two samples. The verdict on the interval comes from verdict.c and decides what the old
 * values are: those of the earlier sample, or all zero after a restart or a clear. What is left
 * for each row is to catch the single counters that can not be believed. Runs in the target's
 * thread; no clock, no I/O, no state.
 */
#include "collectors/delta.h"

#include <stdlib.h>
#include <string.h>

#include "collectors/heartbeat.h"
#include "collectors/verdict.h"
#include "collectors/wait_type.h"
#include "daemon/base/alloc.h"

static const char *const quality_names[] = {
	[QUALITY_BASELINE] = "baseline",
	[QUALITY_EXACT] = "exact",
	[QUALITY_AFTER_GAP] = "after_gap",
	[QUALITY_AFTER_RESTART] = "after_restart",
	[QUALITY_AFTER_FAILOVER] = "after_failover",
	[QUALITY_AFTER_CLEAR] = "after_clear",
};
enum { QUALITY_COUNT = sizeof(quality_names) / sizeof(quality_names[0]) };

/* A delta while it is made. */
struct building {
	struct delta *delta;
	size_t row_capacity;
	size_t names_size;
	struct sample *next;
	int64_t late_after_ms; /* a wait of more than this began before the interval; 0 unknown */
};

static void subtract(enum family family, const struct row_pairs *pairs, struct delta_row *row)
{
	for (int i = 0; i < family_shape(family)->counter_count; i++)
		row->counters[i] = pairs->now.counters[i] - pairs->old.counters[i];
}

/* The counter that may dip or fall by itself in a row that is sound otherwise. */
static void mend_lone_fall(enum family family, const struct row_pairs *pairs, struct delta_row *row,
			   struct sample_row *kept)
{
	int counter = counter_that_falls_alone(family);
	if (counter < 0 || row->counters[counter] >= 0)
		return;
	int64_t old = pairs->old.counters[counter];
	bool is_dip = counter_is_dip(old, -row->counters[counter]);
	row->flags |= is_dip ? DELTA_JITTER : DELTA_ANOMALY;
	if (is_dip)
		kept->counters[counter] = old;
	row->counters[counter] = 0;
}

/* Views are not read as of one instant: signal may be ahead of the wait that it is part of. */
static void clamp_signal(struct delta_row *row)
{
	if (row->counters[WAITS_SIGNAL_MS] <= row->counters[WAITS_TIME_MS])
		return;
	row->flags |= DELTA_CLAMPED;
	row->counters[WAITS_SIGNAL_MS] = row->counters[WAITS_TIME_MS];
}

/* More time than the waits counted can have taken since the interval began. */
static bool is_late(enum family family, const struct row_pairs *pairs, const struct delta_row *row,
		    int64_t after_ms)
{
	if (after_ms <= 0 || !family_shape(family)->has_max)
		return false;
	if (pairs->now.max_ms > pairs->old.max_ms && pairs->now.max_ms > after_ms)
		return true;
	int64_t time_ms = row->counters[WAITS_TIME_MS];
	int64_t count = row->counters[WAITS_COUNT] > 1 ? row->counters[WAITS_COUNT] : 1;
	int64_t mean_ms = time_ms / count;
	return mean_ms > after_ms || (mean_ms == after_ms && time_ms % count > 0);
}

/* In a row of which one counter fell others may have dipped: what they hide is not counted twice.
 */
static void keep_dipped(enum family family, const struct row_pairs *pairs, struct sample_row *kept)
{
	for (int i = 0; i < family_shape(family)->counter_count; i++) {
		int64_t old = pairs->old.counters[i];
		int64_t fall = old - pairs->now.counters[i];
		if (fall > 0 && pairs->now.counters[i] > 0 && counter_is_dip(old, fall))
			kept->counters[i] = old;
	}
}

/* Fills in what one name did, and what its next delta is to be taken against. */
static struct delta_row judge_row(const struct building *building, const struct row_pairs *pairs,
				  struct sample_row *kept)
{
	enum family family = building->delta->family;
	struct delta_row row = {.name = pairs->now.name};
	*kept = pairs->now;
	enum row_motion motion = row_motion_of(family, &pairs->old, &pairs->now);
	if (motion == ROW_DIPPED) {
		*kept = pairs->old;
		kept->max_ms = pairs->now.max_ms;
		row.flags = DELTA_JITTER;
		return row;
	}
	if (motion == ROW_FELL) {
		row.flags = DELTA_ANOMALY;
		keep_dipped(family, pairs, kept);
		return row;
	}
	subtract(family, pairs, &row);
	mend_lone_fall(family, pairs, &row, kept);
	if (family == FAMILY_WAITS)
		clamp_signal(&row);
	if (is_late(family, pairs, &row, building->late_after_ms))
		row.flags |= DELTA_LATE;
	return row;
}

static bool is_worth_keeping(const struct delta_row *row)
{
	int64_t any = row->flags;
	for (int i = 0; i < FAMILY_COUNTERS_MAX; i++)
		any |= row->counters[i];
	return any != 0;
}

/*
 * Counts the flags of a row. An idle wait sleeps through whole intervals as a matter of course: its
 * row says late, but that is no news about the interval.
 */
static void count_flags(struct delta *delta, const struct delta_row *row)
{
	unsigned flags = row->flags;
	if ((flags & DELTA_LATE) && delta->family == FAMILY_WAITS && wait_type_is_benign(row->name))
		flags &= ~(unsigned)DELTA_LATE;
	delta->flags |= flags;
	delta->jitter_count += (flags & DELTA_JITTER) != 0;
	delta->anomaly_count += (flags & DELTA_ANOMALY) != 0;
	delta->late_count += (flags & DELTA_LATE) != 0;
	delta->clamped_count += (flags & DELTA_CLAMPED) != 0;
}

static void add_row(struct building *building, const struct delta_row *row)
{
	if (!is_worth_keeping(row))
		return;
	struct delta *delta = building->delta;
	count_flags(delta, row);
	delta->rows = array_grow(delta->rows, delta->row_count, &building->row_capacity,
				 sizeof(*delta->rows));
	delta->rows[delta->row_count++] = *row;
	building->names_size += strlen(row->name) + 1;
}

/* The rows' names point into the samples until here. */
static void own_names(struct building *building)
{
	struct delta *delta = building->delta;
	delta->names = xmalloc(building->names_size);
	char *place = delta->names;
	for (size_t i = 0; i < delta->row_count; i++) {
		size_t size = strlen(delta->rows[i].name) + 1;
		memcpy(place, delta->rows[i].name, size);
		delta->rows[i].name = place;
		place += size;
	}
}

/*
 * A rejected row says nothing: its last known value waits for the next delta, be it the zero of a
 * name that was not in the earlier sample. Where that value is unknown or void, the name itself is
 * remembered as unknown.
 */
static void keep_rejected(struct sample *next, const struct sample *old, const struct sample *after,
			  bool is_old_void)
{
	for (size_t i = 0; i < after->rejected_name_count; i++) {
		const char *name = after->rejected[i];
		if (is_old_void || sample_has_rejected(old, name))
			sample_take_rejected(next, name);
	}
}

static int compare_rows(const void *left, const void *right)
{
	return strcmp(((const struct sample_row *)left)->name,
		      ((const struct sample_row *)right)->name);
}

/* Puts the rows of old whose names were rejected in after among those of next. */
static void carry_rejected_rows(struct sample *next, const struct sample *old,
				const struct sample *after)
{
	size_t row_count = next->row_count;
	for (size_t i = 0; i < after->rejected_name_count; i++) {
		const struct sample_row *row = sample_find(old, after->rejected[i]);
		if (row)
			sample_take_row(next, row);
	}
	if (next->row_count > row_count)
		qsort(next->rows, next->row_count, sizeof(*next->rows), compare_rows);
}

static bool starts_from_zero(enum quality quality)
{
	return quality == QUALITY_AFTER_RESTART || quality == QUALITY_AFTER_CLEAR;
}

static void build_rows(struct building *building, const struct sample *old,
		       const struct sample *after)
{
	struct row_pairs pairs = {.before = old, .after = after};
	while (row_pairs_next(&pairs)) {
		struct sample_row kept;
		struct delta_row row = judge_row(building, &pairs, &kept);
		/* The first value of a name that was unknown before is its baseline. */
		if (pairs.was_there || !sample_has_rejected(old, pairs.now.name))
			add_row(building, &row);
		if (pairs.is_there)
			sample_take_row(building->next, &kept);
	}
	own_names(building);
	keep_rejected(building->next, old, after, starts_from_zero(building->delta->quality));
	carry_rejected_rows(building->next, old, after);
}

static struct baseline *baseline_new(const struct baseline *before, struct sample *sample,
				     enum quality quality)
{
	struct baseline *next = xcalloc(1, sizeof(*next));
	next->sample = sample;
	/* Another server has heartbeats of its own; the same one after a restart has not. */
	if (before && quality != QUALITY_AFTER_FAILOVER)
		heartbeat_keep(next, before);
	return next;
}

static struct delta *delta_new(const struct verdict *verdict, const struct sample *after)
{
	struct delta *delta = xcalloc(1, sizeof(*delta));
	delta->family = after->family;
	delta->quality = verdict->quality;
	delta->has_rate = verdict->has_rate;
	delta->end_utc_ms = after->taken.utc_ms;
	delta->interval_ms = verdict->interval_ms;
	delta->elapsed_ms = verdict->elapsed_ms;
	return delta;
}

/* Two samples in one tick: the earlier one stays the baseline, and nothing is lost. */
static bool is_same_tick(const struct verdict *verdict)
{
	return verdict->quality == QUALITY_EXACT && !verdict->has_rows;
}

struct delta *delta_between(const struct baseline *before, const struct sample *after,
			    const struct delta_options *options, struct baseline **next)
{
	struct verdict verdict = verdict_of(before, after, options);
	struct delta *delta = delta_new(&verdict, after);
	if (!verdict.has_rows) {
		const struct sample *kept = is_same_tick(&verdict) ? before->sample : after;
		*next = baseline_new(before, sample_copy(kept), verdict.quality);
		return delta;
	}
	struct sample zero = {.family = after->family, .epoch = after->epoch};
	const struct sample *old = starts_from_zero(verdict.quality) ? &zero : before->sample;
	struct building building = {
		.delta = delta,
		.next = sample_new(after->family, &after->epoch, after->taken),
		.late_after_ms = verdict.has_rate ? verdict.interval_ms : verdict.elapsed_ms,
	};
	sample_reserve_like(building.next, after);
	build_rows(&building, old, after);
	*next = baseline_new(before, building.next, verdict.quality);
	if (!starts_from_zero(verdict.quality) && after->family == FAMILY_WAITS)
		heartbeat_learn(*next, before, after, verdict.interval_ms,
				verdict.quality == QUALITY_EXACT);
	return delta;
}

void delta_free(struct delta *delta)
{
	if (!delta)
		return;
	free(delta->rows);
	free(delta->names);
	free(delta);
}

void baseline_free(struct baseline *baseline)
{
	if (!baseline)
		return;
	sample_free(baseline->sample);
	free(baseline);
}

const char *quality_name(enum quality quality)
{
	return quality_names[quality];
}

bool quality_from_name(const char *name, enum quality *quality)
{
	for (int i = 0; i < QUALITY_COUNT; i++) {
		if (strcmp(quality_names[i], name) != 0)
			continue;
		*quality = (enum quality)i;
		return true;
	}
	return false;
}
