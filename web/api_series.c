/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits, latches and spinlocks over a range. A closed range (nothing more will be stored in it)
 * carries a strong ETag over everything but the age; a live one is not to be stored. Runs in the
 * web threads.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "storage/query.h"
#include "web/answer.h"
#include "web/api.h"
#include "web/marker.h"
#include "web/param.h"
#include "web/range.h"
#include "web/series_format.h"

struct series_request {
	struct live_target target;
	struct range_query query;
	struct param_filter filter;
	enum param_format format;
};

static void check_cells(const struct series_request *asked, struct problem *problem)
{
	const int64_t series_count = asked->filter.top + 1;
	const struct param_range *const range = &asked->query.range;
	if (asked->query.step.is_raw ||
	    param_bucket_count(range, asked->query.step.step_ms) * series_count <= CELLS_MAX)
		return;
	const int64_t points = CELLS_MAX / series_count - 1;
	const int64_t step_s =
		(range->end_utc_ms - range->start_utc_ms) / (points > 0 ? points : 1) / 1000 + 1;
	problem_add(problem, 422, "top", NULL,
		    "%" PRId64 " series are too many for so many points; ask for fewer, or for a "
		    "step of at least %" PRId64 "s",
		    series_count, step_s);
}

static bool read_params(const struct request *request, enum family family,
			struct series_request *asked, struct response *response)
{
	struct problem problem = {0};
	asked->query.target_id = asked->target.id;
	asked->query.family = family;
	asked->query.filter = &asked->filter;
	param_read_range(request, &asked->query.range, &problem);
	param_read_filter(request, &asked->filter, &problem);
	param_read_format(request, &asked->format, &problem);
	if (!problem.status)
		param_read_step(request, &asked->query.range, &asked->query.step, &problem);
	if (!problem.status)
		check_cells(asked, &problem);
	if (!problem.status)
		return true;
	problem_respond(&problem, response);
	return false;
}

static bool is_saturated(const struct range *range)
{
	for (size_t row = 0; row < range->row_count; row++)
		for (int counter = 0; counter < FAMILY_COUNTERS_MAX; counter++)
			if (range->rows[row].total[counter] == INT64_MAX)
				return true;
	return false;
}

static void add_warnings(struct json *json, const struct range *range)
{
	const struct param_filter *const filter = range->query.filter;
	json_key(json, "warnings");
	json_open_array(json);
	if (range->interval_count == 0)
		json_add_text(json, "nothing is stored of this view in the range");
	if (range->damaged_count > 0)
		json_add_text(json, "some stored intervals are damaged and left out");
	if (is_saturated(range))
		json_add_text(json, range_saturated_warning);
	for (size_t i = 0; i < filter->name_count; i++) {
		char text[384];
		const struct range_row *row = range->rows;
		const struct range_row *const end = range->rows + range->row_count;
		while (row < end && strcmp(row->name, filter->names[i]) != 0)
			row++;
		if (row < end && row->total[0] + row->total[1] > 0)
			continue;
		snprintf(text, sizeof(text), "'%.200s' was not counted in the range",
			 filter->names[i]);
		json_add_text(json, text);
	}
	json_close_array(json);
}

static void add_head(struct json *json, const struct series_request *asked)
{
	json_member_text(json, "target", asked->target.name);
	json_member_text(json, "family", family_shape(asked->query.family)->name);
	json_member_int(json, "start", asked->query.range.start_utc_ms);
	json_member_int(json, "end", asked->query.range.end_utc_ms);
	answer_member_int(json, "step_ms", asked->query.step.step_ms);
}

static void write_json(struct json *json, const struct series_request *asked,
		       const struct range *range, const struct marker_list *markers)
{
	json_open_object(json);
	add_head(json, asked);
	series_add_resolutions(json, &range->plan);
	if (asked->format == FORMAT_ROWS)
		series_add_rows(json, range);
	else
		series_add_columns(json, range);
	json_key(json, "markers");
	marker_list_add(json, markers);
	add_warnings(json, range);
}

/* FNV-1a; what it must tell apart is one range from itself after a repair of the store. */
static uint64_t hash_of(const struct strbuf *body)
{
	uint64_t hash = UINT64_C(14695981039346656037);
	for (size_t i = 0; i < body->size; i++)
		hash = (hash ^ (unsigned char)body->data[i]) * UINT64_C(1099511628211);
	return hash;
}

/* Marks the answer to a closed range; true when the client has it already. */
static bool tag_closed(const struct request *request, struct response *response)
{
	char tag[32];
	/* Compressed bytes are another representation, so they carry a tag of their own. */
	snprintf(tag, sizeof(tag), "\"%016" PRIx64 "%s\"", hash_of(&response->body),
		 request_accepts_gzip(request) ? "-z" : "");
	response_add_header(response, "ETag", tag);
	response_add_header(response, "Cache-Control", "private, no-cache");
	response->is_cacheable = true;
	if (!request->if_none_match || !strstr(request->if_none_match, tag))
		return false;
	strbuf_reset(&response->body);
	response->status = 304;
	return true;
}

static bool read_answer(struct reader *reader, const struct series_request *asked,
			struct json *json, int64_t *last_end_utc_ms, struct response *response)
{
	struct error err = ERROR_INIT;
	CLEANUP(range_freep) struct range *range = range_read(reader, &asked->query, &err);
	CLEANUP(marker_list_done) struct marker_list markers = {0};
	if (!range || !marker_list_read(reader, range, &markers, &err) ||
	    !query_last_end(reader, asked->target.id, asked->query.family, last_end_utc_ms, &err)) {
		problem_respond_error(response, &err);
		return false;
	}
	if (range->has_too_many_points) {
		struct problem problem = {0};
		problem_add(&problem, 422, "step", "raw",
			    "%zu stored intervals are too many; ask for a shorter range, fewer "
			    "series, or points",
			    range->interval_count);
		problem_respond(&problem, response);
		return false;
	}
	if (asked->format == FORMAT_CSV)
		series_write_csv(&response->body, range);
	else
		write_json(json, asked, range, &markers);
	return true;
}

static void respond_series(const struct web_context *context, const struct request *request,
			   struct response *response, enum family family)
{
	struct series_request asked = {0};
	int64_t last_end_utc_ms = 0;
	if (!answer_find_target(context, request, &asked.target, response) ||
	    !read_params(request, family, &asked, response))
		return;
	CLEANUP(reader_returnp)
	struct reader *reader = answer_borrow_reader(context, request, response);
	struct json json = json_begin(&response->body);
	if (!reader || !read_answer(reader, &asked, &json, &last_end_utc_ms, response))
		return;
	const bool is_csv = asked.format == FORMAT_CSV;
	response->content_type = is_csv ? "text/csv; charset=utf-8" : "application/json";
	if (asked.query.range.end_utc_ms <= last_end_utc_ms && tag_closed(request, response))
		return;
	if (is_csv)
		return;
	const struct answer_age age =
		answer_family_age(&asked.target, family, request->now.mono_ms);
	answer_add_age(&json, &age);
	json_close_object(&json);
}

void api_waits(const struct web_context *context, const struct request *request,
	       struct response *response)
{
	respond_series(context, request, response, FAMILY_WAITS);
}

void api_latches(const struct web_context *context, const struct request *request,
		 struct response *response)
{
	respond_series(context, request, response, FAMILY_LATCHES);
}

void api_spinlocks(const struct web_context *context, const struct request *request,
		   struct response *response)
{
	respond_series(context, request, response, FAMILY_SPINLOCKS);
}
