/* SPDX-License-Identifier: Apache-2.0 */
/* The three formats of a range. Runs in the web threads; knows neither HTTP nor the store. */
#include "web/series_format.h"

#include <math.h>
#include <string.h>

#include "collectors/wait_type.h"
#include "web/metric.h"

void series_add_total(struct json *json, enum family family,
		      const int64_t total[FAMILY_COUNTERS_MAX])
{
	const struct family_shape *const shape = family_shape(family);
	json_key(json, "total");
	json_open_object(json);
	for (int i = 0; i < shape->counter_count; i++) {
		const int counter = metric_table(family)->total_order[i];
		json_member_int(json, shape->counters[counter], total[counter]);
	}
	json_close_object(json);
}

static const char *category_of(const char *name)
{
	return strcmp(name, range_other_name) == 0 ? NULL : wait_type_category(name);
}

void series_add_kind(struct json *json, enum family family, const char *name)
{
	if (family != FAMILY_WAITS)
		return;
	json_member_text(json, "category", category_of(name));
	json_member_bool(json, "benign", wait_type_is_benign(name));
}

void series_add_resolutions(struct json *json, const struct resolution_plan *plan)
{
	bool is_used[RESOLUTION_COUNT] = {false};
	for (int i = 0; i < plan->count; i++)
		is_used[plan->pieces[i].resolution] = true;
	json_key(json, "resolutions");
	json_open_array(json);
	for (int i = 0; i < RESOLUTION_COUNT; i++)
		if (is_used[i])
			json_add_text(json, resolution_name((enum resolution)i));
	json_close_array(json);
}

static double value_at(const struct range *range, const struct range_row *row, size_t point,
		       const struct metric *metric)
{
	int64_t counters[FAMILY_COUNTERS_MAX];
	for (int counter = 0; counter < FAMILY_COUNTERS_MAX; counter++)
		counters[counter] = row->sums[counter][point];
	return metric_value(metric, counters, row->max_rate[point], range->covered_ms[point]);
}

/* Which share of a point is covered, 0 to 1. */
static double covered_share(const struct range *range, size_t point)
{
	const int64_t whole_ms = range->query.step.is_raw ? range->intervals[point].elapsed_ms
							  : range->query.step.step_ms;
	if (whole_ms <= 0)
		return range->covered_ms[point] > 0;
	return fmin(1, (double)range->covered_ms[point] / (double)whole_ms);
}

static void add_metric(struct json *json, const struct range *range, const struct range_row *row,
		       const struct metric *metric)
{
	json_key(json, metric->name);
	json_open_array(json);
	for (size_t point = 0; point < range->point_count; point++)
		json_add_decimal(json, value_at(range, row, point, metric), RATE_DECIMALS);
	json_close_array(json);
}

static void add_series(struct json *json, const struct range *range, const struct range_row *row)
{
	const enum family family = range->query.family;
	json_open_object(json);
	json_member_text(json, "name", row->name);
	series_add_kind(json, family, row->name);
	for (const struct metric *metric = metric_table(family)->metrics; metric->name; metric++)
		add_metric(json, range, row, metric);
	series_add_total(json, family, row->total);
	json_close_object(json);
}

static void add_raw_columns(struct json *json, const struct range *range)
{
	json_key(json, "interval_ms");
	json_open_array(json);
	for (size_t i = 0; i < range->interval_count; i++)
		json_add_int(json, range->intervals[i].interval_ms);
	json_close_array(json);
	json_key(json, "quality");
	json_open_array(json);
	for (size_t i = 0; i < range->interval_count; i++)
		json_add_text(json, quality_name(range->intervals[i].quality));
	json_close_array(json);
	json_key(json, "clipped");
	json_open_array(json);
	for (size_t i = 0; i < range->interval_count; i++)
		json_add_bool(json, range->intervals[i].is_clipped);
	json_close_array(json);
}

void series_add_columns(struct json *json, const struct range *range)
{
	json_key(json, "t");
	json_open_array(json);
	for (size_t point = 0; point < range->point_count; point++)
		json_add_int(json, range->t[point]);
	json_close_array(json);
	json_key(json, "covered");
	json_open_array(json);
	for (size_t point = 0; point < range->point_count; point++)
		json_add_decimal(json, covered_share(range, point), RATE_DECIMALS);
	json_close_array(json);
	if (range->query.step.is_raw)
		add_raw_columns(json, range);
	json_key(json, "series");
	json_open_array(json);
	for (size_t row = 0; row < range->row_count; row++)
		add_series(json, range, &range->rows[row]);
	json_close_array(json);
}

static void add_point(struct json *json, const struct range *range, const struct range_row *row,
		      size_t point)
{
	const enum family family = range->query.family;
	json_open_object(json);
	json_member_int(json, "t", range->t[point]);
	json_member_text(json, "name", row->name);
	series_add_kind(json, family, row->name);
	json_member_decimal(json, "covered", covered_share(range, point), RATE_DECIMALS);
	if (range->query.step.is_raw) {
		const struct range_interval *const interval = &range->intervals[point];
		json_member_int(json, "interval_ms", interval->interval_ms);
		json_member_text(json, "quality", quality_name(interval->quality));
		json_member_bool(json, "clipped", interval->is_clipped);
	}
	for (const struct metric *metric = metric_table(family)->metrics; metric->name; metric++)
		json_member_decimal(json, metric->name, value_at(range, row, point, metric),
				    RATE_DECIMALS);
	json_close_object(json);
}

void series_add_rows(struct json *json, const struct range *range)
{
	json_key(json, "rows");
	json_open_array(json);
	for (size_t point = 0; point < range->point_count; point++)
		for (size_t row = 0; row < range->row_count; row++)
			add_point(json, range, &range->rows[row], point);
	json_close_array(json);
}

/* Quotes a text that holds a separator, and one that a spreadsheet would take for a formula. */
static void add_csv_text(struct strbuf *out, const char *text)
{
	const bool is_formula = *text && strchr("=+-@", *text);
	if (!is_formula && !strpbrk(text, ",\"\r\n")) {
		strbuf_adds(out, text);
		return;
	}
	strbuf_adds(out, is_formula ? "\"'" : "\"");
	for (; *text; text++)
		strbuf_adds(out, *text == '"' ? "\"\"" : (char[]){*text, '\0'});
	strbuf_addc(out, '"');
}

static void add_csv_decimal(struct strbuf *out, double value)
{
	strbuf_addc(out, ',');
	if (!isfinite(value))
		return;
	struct json json = json_begin(out);
	json_add_decimal(&json, value, RATE_DECIMALS);
}

static void add_csv_point(struct strbuf *out, const struct range *range,
			  const struct range_row *row, size_t point)
{
	const enum family family = range->query.family;
	strbuf_add_int(out, range->t[point]);
	strbuf_addc(out, ',');
	add_csv_text(out, row->name);
	if (family == FAMILY_WAITS) {
		strbuf_addc(out, ',');
		add_csv_text(out, row->is_other ? "" : wait_type_category(row->name));
		strbuf_adds(out, wait_type_is_benign(row->name) ? ",true" : ",false");
	}
	add_csv_decimal(out, covered_share(range, point));
	if (range->query.step.is_raw) {
		const struct range_interval *const interval = &range->intervals[point];
		strbuf_addf(out, ",%lld,%s,%s", (long long)interval->interval_ms,
			    quality_name(interval->quality),
			    interval->is_clipped ? "true" : "false");
	}
	for (const struct metric *metric = metric_table(family)->metrics; metric->name; metric++)
		add_csv_decimal(out, value_at(range, row, point, metric));
	strbuf_adds(out, "\r\n");
}

void series_write_csv(struct strbuf *out, const struct range *range)
{
	const enum family family = range->query.family;
	strbuf_adds(out, "t,name");
	strbuf_adds(out, family == FAMILY_WAITS ? ",category,benign" : "");
	strbuf_adds(out, ",covered");
	strbuf_adds(out, range->query.step.is_raw ? ",interval_ms,quality,clipped" : "");
	for (const struct metric *metric = metric_table(family)->metrics; metric->name; metric++)
		strbuf_addf(out, ",%s", metric->name);
	strbuf_adds(out, "\r\n");
	for (size_t point = 0; point < range->point_count; point++)
		for (size_t row = 0; row < range->row_count; row++)
			add_csv_point(out, range, &range->rows[row], point);
}
