/* SPDX-License-Identifier: Apache-2.0 */
/* The hotspots of a target that overlap a range, newest first. Runs in the web threads. */
#include <inttypes.h>
#include <stdio.h>

#include "storage/query.h"
#include "web/answer.h"
#include "web/api.h"
#include "web/param.h"

static void add_page(struct json *json, const struct hotspot *hotspot)
{
	char resource[64];
	snprintf(resource, sizeof(resource), "%" PRId32 ":%" PRId32 ":%" PRId64,
		 hotspot->database_id, hotspot->file_id, hotspot->page_id);
	json_key(json, "page");
	json_open_object(json);
	json_member_int(json, "file_id", hotspot->file_id);
	json_member_int(json, "page_id", hotspot->page_id);
	json_member_text(json, "resource", resource);
	json_member_text(json, "class", page_class_name(hotspot->page_class));
	json_close_object(json);
}

static void add_waiters(struct json *json, const char *key, double average, int32_t max)
{
	json_key(json, key);
	json_open_object(json);
	json_member_decimal(json, "avg", average, 3);
	json_member_int(json, "max", max);
	json_close_object(json);
}

static void add_inserters(struct json *json, const struct hotspot *hotspot)
{
	const bool is_known = hotspot->inserters >= 0;
	answer_member_int(json, "schedulers", hotspot->scheduler_count);
	if (is_known)
		json_member_decimal(json, "inserters", hotspot->inserters, 3);
	else
		json_member_null(json, "inserters");
	if (is_known && hotspot->scheduler_count > 0)
		json_member_decimal(json, "inserters_per_scheduler",
				    hotspot->inserters / hotspot->scheduler_count, 3);
	else
		json_member_null(json, "inserters_per_scheduler");
	if (hotspot->optimize_for_sequential_key >= 0)
		json_member_bool(json, "optimize_for_sequential_key",
				 hotspot->optimize_for_sequential_key == 1);
	else
		json_member_null(json, "optimize_for_sequential_key");
}

static void add_statements(struct json *json, const struct hotspot *hotspot)
{
	json_key(json, "statements");
	json_open_array(json);
	for (int i = 0; i < hotspot->statement_count; i++) {
		char hash[24]; /* as SQL Server prints it, and as JavaScript can hold it */
		snprintf(hash, sizeof(hash), "0x%016" PRIX64, hotspot->statements[i].query_hash);
		json_open_object(json);
		json_member_text(json, "query_hash", hash);
		json_member_null(json, "text");
		json_member_decimal(json, "share", hotspot->statements[i].share, 3);
		json_close_object(json);
	}
	json_close_array(json);
}

static void add_evidence(struct json *json, const struct hotspot *hotspot)
{
	json_key(json, "evidence");
	json_open_array(json);
	for (int i = 0; i < hotspot->evidence_count; i++) {
		json_open_object(json);
		json_member_text(json, "kind", hotspot->evidence[i].kind);
		json_member_text(json, "text", hotspot->evidence[i].text);
		json_member_decimal(json, "value", hotspot->evidence[i].value, 3);
		json_close_object(json);
	}
	json_close_array(json);
}

static void add_finding(struct json *json, const struct finding *finding)
{
	json_key(json, "finding");
	if (!*finding->rule) {
		json_add_null(json);
		return;
	}
	json_open_object(json);
	json_member_text(json, "rule", finding->rule);
	json_member_text(json, "summary", finding->summary);
	json_member_text(json, "expect", finding->expect);
	answer_member_text(json, "statement", finding->statement);
	json_close_object(json);
}

static bool add_hotspot(void *context, const struct hotspot *hotspot)
{
	struct json *const json = context;
	json_open_object(json);
	json_member_int(json, "id", hotspot->id);
	json_member_text(json, "kind", hotspot_kind_name(hotspot->kind));
	json_member_text(json, "state", hotspot->is_active ? "active" : "ended");
	json_member_text(json, "confidence", hotspot->is_confirmed ? "confirmed" : "probable");
	json_member_int(json, "first_seen", hotspot->first_seen_utc_ms);
	json_member_int(json, "last_seen", hotspot->last_seen_utc_ms);
	json_member_int(json, "database_id", hotspot->database_id);
	answer_member_text(json, "database", hotspot->database);
	answer_member_text(json, "object", hotspot->object);
	answer_member_text(json, "index", hotspot->index);
	if (hotspot->object_id != 0)
		json_member_int(json, "index_id", hotspot->index_id);
	else
		json_member_null(json, "index_id");
	add_page(json, hotspot);
	json_member_int(json, "pages_seen", hotspot->pages_seen);
	json_member_text(json, "wait_type", hotspot->wait_type);
	add_waiters(json, "waiters", hotspot->waiters_avg, hotspot->waiters_max);
	add_waiters(json, "flow_control_waiters", hotspot->flow_waiters_avg,
		    hotspot->flow_waiters_max);
	json_member_decimal(json, "ms_per_sec", hotspot->ms_per_sec, 3);
	add_inserters(json, hotspot);
	answer_member_text(json, "leading_column", hotspot->leading_column);
	add_statements(json, hotspot);
	add_evidence(json, hotspot);
	add_finding(json, &hotspot->finding);
	json_close_object(json);
	return true;
}

void api_hotspots(const struct web_context *context, const struct request *request,
		  struct response *response)
{
	struct live_target target;
	struct param_range range;
	struct problem problem = {0};
	if (!answer_find_target(context, request, &target, response))
		return;
	param_read_range(request, &range, &problem);
	if (problem.status) {
		problem_respond(&problem, response);
		return;
	}
	CLEANUP(reader_returnp)
	struct reader *reader = answer_borrow_reader(context, request, response);
	if (!reader)
		return;
	struct error err = ERROR_INIT;
	struct json json = json_begin(&response->body);
	json_open_object(&json);
	json_key(&json, "hotspots");
	json_open_array(&json);
	if (!query_hotspots(reader, target.id, range.start_utc_ms, range.end_utc_ms, add_hotspot,
			    &json, &err)) {
		problem_respond_error(response, &err);
		return;
	}
	json_close_array(&json);
	const struct answer_age age =
		answer_collector_age(&target, COLLECTOR_WAITING_TASKS, request->now.mono_ms);
	answer_add_age(&json, &age);
	json_close_object(&json);
}
