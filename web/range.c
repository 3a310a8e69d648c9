/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first of two walks over the stored deltas of a range: totals, and which rows are shown. The
 * second is range_points.c's. Runs in the web threads.
 */
#include "web/range_points.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "collectors/wait_type.h"
#include "daemon/base/alloc.h"
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

bool range_walk(struct reader *reader, const struct range *range, query_delta_fn *each,
		void *context, int64_t *damaged_count, struct error *err)
{
	const struct range_query *const query = &range->query;
	return query_range(reader, query->target_id, query->family, &range->plan, each, context,
			   damaged_count, err);
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
	    !range_walk(reader, range, take_totals, &walk, &range->damaged_count, err))
		return NULL;
	choose_rows(range, totals);
	range->has_too_many_points =
		query->step.is_raw && (range->interval_count > POINTS_MAX ||
				       range->interval_count * range->row_count > CELLS_MAX);
	if (!range->has_too_many_points && !range_points_fill(reader, range, err))
		return NULL;
	return TAKE(range);
}
