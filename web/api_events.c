/* SPDX-License-Identifier: Apache-2.0 */
/* The events of a target that overlap a range, newest first. Runs in the web threads. */
#include "storage/query.h"
#include "web/answer.h"
#include "web/api.h"
#include "web/param.h"
#include "web/stored_json.h"

static bool add_event(void *context, const struct event *event)
{
	struct json *const json = context;
	json_open_object(json);
	json_member_int(json, "t", event->begin_utc_ms);
	json_member_int(json, "t_end", event->end_utc_ms);
	json_member_text(json, "kind", event->kind);
	json_member_text(
		json, "family",
		event->family == NO_FAMILY ? NULL : family_shape((enum family)event->family)->name);
	json_member_text(json, "text", event->text);
	json_key(json, "details");
	stored_json_add(json, event->details);
	json_close_object(json);
	return true;
}

void api_events(const struct web_context *context, const struct request *request,
		struct response *response)
{
	struct live_target target;
	struct param_range range;
	struct problem problem = {0};
	int64_t limit = EVENTS_DEFAULT;
	if (!answer_find_target(context, request, &target, response))
		return;
	param_read_range(request, &range, &problem);
	param_read_integer(request, "limit", EVENTS_MAX, &limit, &problem);
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
	json_key(&json, "events");
	json_open_array(&json);
	if (!query_events(reader, target.id, range.start_utc_ms, range.end_utc_ms, limit, add_event,
			  &json, &err)) {
		problem_respond_error(response, &err);
		return;
	}
	json_close_array(&json);
	const struct answer_age age = answer_target_age(&target, request->now.mono_ms);
	answer_add_age(&json, &age);
	json_close_object(&json);
}
