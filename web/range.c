/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two walks over the stored deltas of a range. In the second, the rows that are not shown by name
 * are renamed to "(other)" and shared out one by one: the shares are whole units rounded per row,
 * so that names and "(other)" add up to the totals exactly. Runs in the web threads.
 */
#include "web/range.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "collectors/wait_type.h"
#include "daemon/base/alloc.h"
#include "storage/query.h"
#include "web/metric.h"

const char range_other_name[] = "(other)";
const char range_saturated_warning[] =
	"a total is larger than can be counted and stays at 9223372036854775807";

bool range_shows(const struct param_filter *filter, enum family family, const char *name)
{
	for (size_t i = 0; i < filter->name_count; i++)
		if (strcmp(filter->names[i], name) == 0)
			return true;
	if (filter->name_count > 0)
		return false;
	if (family != FAMILY_WAITS)
		return true;
	if (!filter->with_benign && wait_type_is_benign(name))
		return false;
	return !filter->category || strcasecmp(filter->category, wait_type_category(name)) == 0;
}

struct series *range_total_series(enum family family, const struct param_range *range)
{
	return series_new(family, range->start_utc_ms, range->end_utc_ms, range->end_utc_ms + 1);
}

void range_free(struct range *range)
{
	if (!range)
		return;
	for (size_t row = 0; row < range->row_count; row++) {
		free(range->rows[row].name);
		for (int counter = 0; counter < FAMILY_COUNTERS_MAX; counter++)
			free(range->rows[row].sums[counter]);
		free(range->rows[row].max_rate);
	}
	free(range->rows);
	free(range->intervals);
	free(range->t);
	free(range->covered_ms);
	free(range);
}

/* The first walk. */

struct first_walk {
	struct range *range;
	struct series *totals;
};

static void note_interval(struct range *range, const struct stored_delta *stored)
{
	const struct delta *const delta = &stored->delta;
	const struct param_range *const asked = &range->query.range;
	range->intervals = array_grow(range->intervals, range->interval_count,
				      &range->interval_capacity, sizeof(*range->intervals));
	range->intervals[range->interval_count++] = (struct range_interval){
		.end_utc_ms = delta->end_utc_ms,
		.interval_ms = delta->interval_ms,
		.elapsed_ms = delta->elapsed_ms,
		.quality = delta->quality,
		.has_rate = delta->has_rate,
		.is_clipped = delta->end_utc_ms > asked->end_utc_ms ||
			      delta->end_utc_ms - stored->piece.span_ms < asked->start_utc_ms,
		.jitter_count = delta->jitter_count,
		.late_count = delta->late_count,
	};
}

static bool take_totals(void *context, const struct stored_delta *stored)
{
	struct first_walk *const walk = context;
	note_interval(walk->range, stored);
	series_add_piece(walk->totals, &stored->piece);
	return true;
}

/* Choosing the rows. */

struct candidate {
	const struct series_name *name;
	int64_t rank;
};

static int compare_candidates(const void *left, const void *right)
{
	const struct candidate *const a = left;
	const struct candidate *const b = right;
	if (a->rank != b->rank)
		return a->rank < b->rank ? 1 : -1;
	return strcmp(a->name->name, b->name->name);
}

static struct range_row *add_row(struct range *range, const char *name)
{
	struct range_row *const row = &range->rows[range->row_count++];
	*row = (struct range_row){.name = xstrdup(name), .is_other = name == range_other_name};
	return row;
}

static void add_totals(struct range_row *row, const struct series_name *name)
{
	for (int counter = 0; counter < FAMILY_COUNTERS_MAX; counter++)
		row->total[counter] = series_sum(row->total[counter], name->total[counter]);
}

static bool has_row(const struct range *range, const char *name)
{
	for (size_t row = 0; row < range->row_count; row++)
		if (strcmp(range->rows[row].name, name) == 0)
			return true;
	return false;
}

/* A name that was asked for and never counted is a row of zeros where the view was read. */
static void add_asked_names(struct range *range)
{
	const struct param_filter *const filter = range->query.filter;
	for (size_t i = 0; i < filter->name_count; i++)
		if (range->row_count < (size_t)filter->top && !has_row(range, filter->names[i]))
			(void)add_row(range, filter->names[i]); /* its totals are 0 */
}

static void choose_rows(struct range *range, const struct series *totals)
{
	const struct range_query *const query = &range->query;
	const int rank_counter = metric_table(query->family)->rank_counter;
	const size_t top = (size_t)query->filter->top;
	CLEANUP(freep)
	struct candidate *candidates = xcalloc(totals->name_count + 1, sizeof(*candidates));
	size_t count = 0;
	for (size_t i = 0; i < totals->name_count; i++)
		if (range_shows(query->filter, query->family, totals->names[i].name))
			candidates[count++] = (struct candidate){
				&totals->names[i], totals->names[i].total[rank_counter]};
	qsort(candidates, count, sizeof(*candidates), compare_candidates);
	range->rows = xcalloc(top + 1, sizeof(*range->rows));
	for (size_t i = 0; i < count && i < top; i++)
		add_totals(add_row(range, candidates[i].name->name), candidates[i].name);
	add_asked_names(range);
	struct range_row *const other = count > top ? add_row(range, range_other_name) : NULL;
	for (size_t i = top; i < count; i++)
		add_totals(other, candidates[i].name);
}

/* The second walk. */

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

static bool walk_deltas(struct reader *reader, const struct range *range, query_delta_fn *each,
			void *context, int64_t *damaged_count, struct error *err)
{
	const struct range_query *const query = &range->query;
	return query_range(reader, query->target_id, query->family, &range->plan, each, context,
			   damaged_count, err);
}

static bool fill_points(struct reader *reader, struct range *range, struct error *err)
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
	const bool is_read = walk_deltas(reader, range, take_points, &walk, &damaged_count, err);
	if (buckets)
		copy_buckets(range, buckets);
	else
		label_raw_points(range);
	free(walk.by_name);
	free(walk.renamed);
	free(walk.rolled);
	return is_read;
}

/* Raw intervals are shown as they were polled, the rest by what answers it soonest. */
static bool make_plan(struct reader *reader, struct range *range, struct error *err)
{
	const struct range_query *const query = &range->query;
	const struct param_range *const asked = &query->range;
	range->plan = resolution_plan_raw(asked->start_utc_ms, asked->end_utc_ms);
	return query->step.is_raw ||
	       query_plan(reader, query->target_id, query->family, asked->start_utc_ms,
			  asked->end_utc_ms, query->step.step_ms, &range->plan, err);
}

struct range *range_read(struct reader *reader, const struct range_query *query, struct error *err)
{
	CLEANUP(range_freep) struct range *range = xcalloc(1, sizeof(*range));
	range->query = *query;
	CLEANUP(series_freep)
	struct series *totals = range_total_series(query->family, &query->range);
	struct first_walk walk = {.range = range, .totals = totals};
	if (!make_plan(reader, range, err) ||
	    !walk_deltas(reader, range, take_totals, &walk, &range->damaged_count, err))
		return NULL;
	choose_rows(range, totals);
	range->has_too_many_points =
		query->step.is_raw && (range->interval_count > POINTS_MAX ||
				       range->interval_count * range->row_count > CELLS_MAX);
	if (!range->has_too_many_points && !fill_points(reader, range, err))
		return NULL;
	return TAKE(range);
}
