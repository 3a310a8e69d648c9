/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The second walk over the stored deltas of a range. The rows that are not shown by name are
 * renamed to "(other)" and shared out one by one: the shares are whole units rounded per row, so
 * that names and "(other)" add up to the totals exactly. Runs in the web threads.
 */
#include "web/range_points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/alloc.h"

struct second_walk {
	struct range *range;
	struct series *buckets; /* NULL for raw */
	size_t *by_name;	/* rows sorted by name, without "(other)" */
	size_t named_count;
	struct range_row *other;   /* NULL when every name is shown */
	struct delta_row *renamed; /* room for the rows of one delta */
	struct rolled *rolled;	   /* beside them */
	size_t renamed_middle;	   /* rows of "(other)" end here, those shown by name begin */
	size_t point;		   /* raw: which interval is next */
};

static const char *series_name_of(const struct range_row *row)
{
	return row->is_other ? "" : row->name;
}

/* Row of a name: the shown one, "(other)", or NULL when the filter hides it. */
static struct range_row *row_of(const struct second_walk *walk, const char *name)
{
	size_t low = 0;
	size_t high = walk->named_count;
	while (low < high) {
		const size_t middle = (low + high) / 2;
		struct range_row *const row = &walk->range->rows[walk->by_name[middle]];
		const int order = strcmp(name, row->name);
		if (order == 0)
			return row;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	const struct range_query *const query = &walk->range->query;
	if (walk->other && range_shows(query->filter, query->family, name))
		return walk->other;
	return NULL;
}

static void raise_max(struct range_row *row, size_t point, int64_t value, int64_t interval_ms)
{
	const double rate = (double)value * 1000 / (double)interval_ms;
	if (rate > row->max_rate[point])
		row->max_rate[point] = rate;
}

static void fill_raw(struct second_walk *walk, const struct delta *delta)
{
	const int time_counter = family_shape(delta->family)->time_counter;
	const size_t point = walk->point++;
	for (size_t i = 0; i < delta->row_count; i++) {
		struct range_row *const row = row_of(walk, delta->rows[i].name);
		for (int counter = 0; row && counter < FAMILY_COUNTERS_MAX; counter++)
			row->sums[counter][point] = series_sum(row->sums[counter][point],
							       delta->rows[i].counters[counter]);
	}
	for (size_t i = 0; delta->has_rate && delta->interval_ms > 0 && i < walk->range->row_count;
	     i++)
		raise_max(&walk->range->rows[i], point,
			  walk->range->rows[i].sums[time_counter][point], delta->interval_ms);
}

/*
 * The largest rate of "(other)" is that of its names together, which no row of a delta has; in a
 * roll-up it is unknown.
 */
static void raise_other_max(struct second_walk *walk, const struct stored_delta *stored,
			    int64_t time_ms)
{
	const struct series *const buckets = walk->buckets;
	const struct delta *const delta = &stored->delta;
	if (!walk->other || !delta->has_rate || delta->interval_ms <= 0)
		return;
	const int64_t begin = delta->end_utc_ms - stored->piece.span_ms - buckets->start_utc_ms;
	const int64_t end = delta->end_utc_ms - buckets->start_utc_ms;
	for (int64_t bucket = begin > 0 ? begin / buckets->step_ms : 0;
	     bucket * buckets->step_ms < end && bucket < (int64_t)buckets->bucket_count; bucket++)
		if (stored->piece.rolled)
			walk->other->max_rate[bucket] = (double)NAN;
		else
			raise_max(walk->other, (size_t)bucket, time_ms, delta->interval_ms);
}

/* Makes room for the rows of a delta on either side of the middle of `renamed`. */
static void make_room(struct second_walk *walk, size_t row_count)
{
	if (row_count <= walk->renamed_middle)
		return;
	walk->renamed_middle = row_count;
	walk->renamed = xreallocarray(walk->renamed, row_count * 2, sizeof(*walk->renamed));
	walk->rolled = xreallocarray(walk->rolled, row_count * 2, sizeof(*walk->rolled));
}

/* A series wants its rows by name: those of "(other)" go under a name that sorts before all. */
static void fill_buckets(struct second_walk *walk, const struct stored_delta *stored)
{
	const struct delta *const delta = &stored->delta;
	const int time_counter = family_shape(delta->family)->time_counter;
	int64_t other_time_ms = 0;
	make_room(walk, delta->row_count);
	size_t first = walk->renamed_middle;
	size_t end = first;
	for (size_t i = 0; i < delta->row_count; i++) {
		const struct range_row *const row = row_of(walk, delta->rows[i].name);
		if (!row)
			continue;
		struct delta_row *const renamed = &walk->renamed[row->is_other ? --first : end++];
		*renamed = delta->rows[i];
		if (stored->piece.rolled)
			walk->rolled[renamed - walk->renamed] = stored->piece.rolled[i];
		renamed->name = series_name_of(row);
		if (row->is_other)
			other_time_ms = series_sum(other_time_ms, renamed->counters[time_counter]);
	}
	struct delta shown = *delta;
	shown.rows = walk->renamed ? walk->renamed + first : NULL;
	shown.row_count = end - first;
	struct series_piece piece = stored->piece;
	piece.delta = &shown;
	piece.rolled = piece.rolled ? walk->rolled + first : NULL;
	series_add_piece(walk->buckets, &piece);
	raise_other_max(walk, stored, other_time_ms);
}

static bool take_points(void *context, const struct stored_delta *stored)
{
	struct second_walk *const walk = context;
	if (walk->buckets)
		fill_buckets(walk, stored);
	else if (walk->point < walk->range->point_count)
		fill_raw(walk, &stored->delta);
	return true;
}

static void make_points(struct range *range, size_t point_count)
{
	range->point_count = point_count;
	range->t = xcalloc(point_count + 1, sizeof(*range->t));
	range->covered_ms = xcalloc(point_count + 1, sizeof(*range->covered_ms));
	for (size_t i = 0; i < range->row_count; i++) {
		struct range_row *const row = &range->rows[i];
		for (int counter = 0; counter < FAMILY_COUNTERS_MAX; counter++)
			row->sums[counter] = xcalloc(point_count + 1, sizeof(int64_t));
		row->max_rate = xcalloc(point_count + 1, sizeof(double));
	}
}

static void label_raw_points(struct range *range)
{
	for (size_t point = 0; point < range->point_count; point++) {
		const struct range_interval *const interval = &range->intervals[point];
		range->t[point] = interval->end_utc_ms;
		range->covered_ms[point] = interval->has_rate ? interval->interval_ms : 0;
	}
}

static const struct series_name *find_name(const struct series *series, const char *name)
{
	for (size_t i = 0; i < series->name_count; i++)
		if (strcmp(series->names[i].name, name) == 0)
			return &series->names[i];
	return NULL;
}

static void copy_buckets(struct range *range, const struct series *buckets)
{
	const int counter_count = family_shape(buckets->family)->counter_count;
	for (size_t point = 0; point < range->point_count; point++) {
		range->t[point] = buckets->start_utc_ms + (int64_t)point * buckets->step_ms;
		range->covered_ms[point] = buckets->covered_ms[point];
	}
	for (size_t i = 0; i < range->row_count; i++) {
		struct range_row *const row = &range->rows[i];
		const struct series_name *const name = find_name(buckets, series_name_of(row));
		for (int counter = 0; name && counter < counter_count; counter++)
			memcpy(row->sums[counter], name->sums[counter],
			       range->point_count * sizeof(int64_t));
		if (name && !row->is_other)
			memcpy(row->max_rate, name->max_rate, range->point_count * sizeof(double));
	}
}

/* Sorts the rows by name with an insertion sort: there are at most TOP_MAX of them. */
static void sort_names(struct second_walk *walk)
{
	struct range *const range = walk->range;
	walk->by_name = xcalloc(range->row_count + 1, sizeof(*walk->by_name));
	for (size_t row = 0; row < range->row_count; row++) {
		if (range->rows[row].is_other) {
			walk->other = &range->rows[row];
			continue;
		}
		size_t at = walk->named_count++;
		for (; at > 0 &&
		       strcmp(range->rows[walk->by_name[at - 1]].name, range->rows[row].name) > 0;
		     at--)
			walk->by_name[at] = walk->by_name[at - 1];
		walk->by_name[at] = row;
	}
}

bool range_points_fill(struct reader *reader, struct range *range, struct error *err)
{
	const struct range_query *const query = &range->query;
	int64_t damaged_count = 0; /* counted by the first walk */
	struct second_walk walk = {.range = range};
	CLEANUP(series_freep) struct series *buckets = NULL;
	if (!query->step.is_raw)
		buckets = series_new(query->family, query->range.start_utc_ms,
				     query->range.end_utc_ms, query->step.step_ms);
	walk.buckets = buckets;
	make_points(range, buckets ? buckets->bucket_count : range->interval_count);
	sort_names(&walk);
	const bool is_read = range_walk(reader, range, take_points, &walk, &damaged_count, err);
	if (buckets)
		copy_buckets(range, buckets);
	else
		label_raw_points(range);
	free(walk.by_name);
	free(walk.renamed);
	free(walk.rolled);
	return is_read;
}
