/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One row per name over a range, the largest first. The halves of the range are added up beside the
 * whole: `trend` is the rate of the second half less that of the first. Runs in the web threads.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/alloc.h"
#include "storage/query.h"
#include "web/answer.h"
#include "web/api.h"
#include "web/metric.h"
#include "web/param.h"
#include "web/range.h"
#include "web/series_format.h"

enum { WHOLE, FIRST_HALF, SECOND_HALF, PART_COUNT };

struct top_row {
	const char *name;
	int64_t totals[PART_COUNT][FAMILY_COUNTERS_MAX];
};

struct top {
	enum family family;
	struct param_range range;
	const struct param_filter *filter;
	struct series *parts[PART_COUNT];
	struct top_row *rows; /* the largest first */
	size_t row_count;
	struct top_row all;   /* every name that the filter shows */
	struct top_row other; /* those past the first `top` */
	struct resolution_plan plan;
	int64_t damaged_count;
};

static void top_done(struct top *top)
{
	for (int part = 0; part < PART_COUNT; part++)
		series_free(top->parts[part]);
	free(top->rows);
}

static bool take_delta(void *context, const struct stored_delta *stored)
{
	struct top *const top = context;
	for (int part = 0; part < PART_COUNT; part++)
		series_add_piece(top->parts[part], &stored->piece);
	return true;
}

static void start_parts(struct top *top)
{
	struct param_range halves[PART_COUNT] = {top->range, top->range, top->range};
	const int64_t middle_utc_ms = (top->range.start_utc_ms + top->range.end_utc_ms) / 2;
	halves[FIRST_HALF].end_utc_ms = middle_utc_ms;
	halves[SECOND_HALF].start_utc_ms = middle_utc_ms;
	for (int part = 0; part < PART_COUNT; part++)
		top->parts[part] = range_total_series(top->family, &halves[part]);
}

static int rank_counter_of(const struct top *top)
{
	return metric_table(top->family)->rank_counter;
}

/* qsort gives its comparison no context, so the two rankings are two functions. */
static int compare_by(const struct top_row *a, const struct top_row *b, int counter)
{
	if (a->totals[WHOLE][counter] != b->totals[WHOLE][counter])
		return a->totals[WHOLE][counter] < b->totals[WHOLE][counter] ? 1 : -1;
	return strcmp(a->name, b->name);
}

static int compare_by_time(const void *left, const void *right)
{
	return compare_by(left, right, WAITS_TIME_MS);
}

static int compare_by_spins(const void *left, const void *right)
{
	return compare_by(left, right, SPINLOCKS_SPINS);
}

static int compare_names(const void *left, const void *right)
{
	const struct top_row *const a = left;
	const struct top_row *const b = right;
	return strcmp(a->name, b->name);
}

static void collect_names(struct top *top)
{
	const struct series *const whole = top->parts[WHOLE];
	top->rows = xcalloc(whole->name_count + 1, sizeof(*top->rows));
	for (size_t i = 0; i < whole->name_count; i++)
		if (range_shows(top->filter, top->family, whole->names[i].name))
			top->rows[top->row_count++].name = whole->names[i].name;
	if (top->row_count > 1)
		qsort(top->rows, top->row_count, sizeof(*top->rows), compare_names);
}

static void collect_totals(struct top *top)
{
	for (int part = 0; part < PART_COUNT; part++) {
		const struct series *const series = top->parts[part];
		for (size_t i = 0; i < series->name_count; i++) {
			const struct top_row key = {.name = series->names[i].name};
			struct top_row *const row = bsearch(&key, top->rows, top->row_count,
							    sizeof(key), compare_names);
			if (row)
				memcpy(row->totals[part], series->names[i].total,
				       sizeof(row->totals[part]));
		}
	}
}

static void add_row_totals(struct top_row *sum, const struct top_row *row)
{
	for (int part = 0; part < PART_COUNT; part++)
		for (int counter = 0; counter < FAMILY_COUNTERS_MAX; counter++)
			sum->totals[part][counter] =
				series_sum(sum->totals[part][counter], row->totals[part][counter]);
}

static void rank_rows(struct top *top)
{
	if (top->row_count > 1)
		qsort(top->rows, top->row_count, sizeof(*top->rows),
		      top->family == FAMILY_SPINLOCKS ? compare_by_spins : compare_by_time);
	top->other.name = range_other_name;
	for (size_t row = 0; row < top->row_count; row++) {
		add_row_totals(&top->all, &top->rows[row]);
		if ((int64_t)row >= top->filter->top)
			add_row_totals(&top->other, &top->rows[row]);
	}
}

static int64_t covered_ms(const struct top *top, int part)
{
	return top->parts[part]->covered_ms[0];
}

static double rate_of(const struct top *top, const struct top_row *row, int part)
{
	const struct metric rate = {NULL, METRIC_RATE, rank_counter_of(top), 0};
	return metric_value(&rate, row->totals[part], 0, covered_ms(top, part));
}

static double ratio(int64_t part, int64_t whole)
{
	return whole > 0 ? (double)part / (double)whole : (double)NAN;
}

static void add_top_row(struct json *json, const struct top *top, const struct top_row *row)
{
	const int64_t *const total = row->totals[WHOLE];
	const int rank_counter = rank_counter_of(top);
	json_open_object(json);
	json_member_text(json, "name", row->name);
	series_add_kind(json, top->family, row->name);
	for (const struct metric *metric = metric_table(top->family)->metrics; metric->name;
	     metric++)
		if (metric->kind != METRIC_MAX_RATE)
			json_member_decimal(json, metric->name,
					    metric_value(metric, total, 0, covered_ms(top, WHOLE)),
					    RATE_DECIMALS);
	json_member_decimal(json, "share",
			    ratio(total[rank_counter], top->all.totals[WHOLE][rank_counter]), 6);
	if (top->family == FAMILY_WAITS)
		json_member_decimal(json, "signal_share",
				    ratio(total[WAITS_SIGNAL_MS], total[WAITS_TIME_MS]), 6);
	json_member_decimal(json, "trend",
			    rate_of(top, row, SECOND_HALF) - rate_of(top, row, FIRST_HALF),
			    RATE_DECIMALS);
	series_add_total(json, top->family, total);
	json_close_object(json);
}

static void add_rows(struct json *json, const struct top *top)
{
	json_key(json, "rows");
	json_open_array(json);
	for (size_t row = 0; row < top->row_count && (int64_t)row < top->filter->top; row++)
		add_top_row(json, top, &top->rows[row]);
	if ((int64_t)top->row_count > top->filter->top)
		add_top_row(json, top, &top->other);
	json_close_array(json);
	series_add_total(json, top->family, top->all.totals[WHOLE]);
}

static bool is_saturated(const struct top *top)
{
	for (int counter = 0; counter < FAMILY_COUNTERS_MAX; counter++)
		if (top->all.totals[WHOLE][counter] == INT64_MAX)
			return true;
	return false;
}

static void write_top(struct response *response, const struct live_target *target,
		      const struct top *top, int64_t now_mono_ms)
{
	const struct answer_age age = answer_family_age(target, top->family, now_mono_ms);
	const int64_t span_ms = top->range.end_utc_ms - top->range.start_utc_ms;
	struct json json = json_begin(&response->body);
	json_open_object(&json);
	json_member_text(&json, "target", target->name);
	json_member_text(&json, "family", family_shape(top->family)->name);
	json_member_int(&json, "start", top->range.start_utc_ms);
	json_member_int(&json, "end", top->range.end_utc_ms);
	json_member_decimal(&json, "covered", ratio(covered_ms(top, WHOLE), span_ms),
			    RATE_DECIMALS);
	add_rows(&json, top);
	series_add_resolutions(&json, &top->plan);
	json_key(&json, "warnings");
	json_open_array(&json);
	if (top->damaged_count > 0)
		json_add_text(&json, "some stored intervals are damaged and left out");
	if (is_saturated(top))
		json_add_text(&json, range_saturated_warning);
	json_close_array(&json);
	answer_add_age(&json, &age);
	json_close_object(&json);
}

static void respond_top(const struct web_context *context, const struct request *request,
			struct response *response, enum family family)
{
	struct live_target target;
	struct param_filter filter;
	struct problem problem = {0};
	CLEANUP(top_done) struct top top = {.family = family, .filter = &filter};
	if (!answer_find_target(context, request, &target, response))
		return;
	param_read_range(request, &top.range, &problem);
	param_read_filter(request, &filter, &problem);
	if (problem.status) {
		problem_respond(&problem, response);
		return;
	}
	CLEANUP(reader_returnp)
	struct reader *reader = answer_borrow_reader(context, request, response);
	if (!reader)
		return;
	struct error err = ERROR_INIT;
	start_parts(&top);
	if (!query_plan(reader, target.id, family, top.range.start_utc_ms, top.range.end_utc_ms, 0,
			&top.plan, &err) ||
	    !query_range(reader, target.id, family, &top.plan, take_delta, &top, &top.damaged_count,
			 &err)) {
		problem_respond_error(response, &err);
		return;
	}
	collect_names(&top);
	collect_totals(&top);
	rank_rows(&top);
	write_top(response, &target, &top, request->now.mono_ms);
}

void api_waits_top(const struct web_context *context, const struct request *request,
		   struct response *response)
{
	respond_top(context, request, response, FAMILY_WAITS);
}

void api_latches_top(const struct web_context *context, const struct request *request,
		     struct response *response)
{
	respond_top(context, request, response, FAMILY_LATCHES);
}

void api_spinlocks_top(const struct web_context *context, const struct request *request,
		       struct response *response)
{
	respond_top(context, request, response, FAMILY_SPINLOCKS);
}
