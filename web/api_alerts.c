/* SPDX-License-Identifier: Apache-2.0 */
/* The state of every rule on every target. Runs in the web threads. */
#include <string.h>

#include "analysis/rule.h"
#include "storage/query.h"
#include "web/answer.h"
#include "web/api.h"
#include "web/problem.h"
#include "web/stored_json.h"

struct alert_walk {
	struct json json;
	const struct web_options *options;
};

/* Name of a target by its id in the store; false for latchd itself and what is gone. */
static bool name_of_target(struct live *live, int64_t id, char name[TARGET_NAME_SIZE])
{
	for (size_t i = 0; id != 0 && i < live_target_count(live); i++) {
		struct live_target target;
		live_get_target(live, i, &target);
		if (target.id != id)
			continue;
		memcpy(name, target.name, TARGET_NAME_SIZE);
		return true;
	}
	return false;
}

static bool is_rule(const struct web_options *options, const char *name)
{
	for (size_t i = 0; i < options->rule_count; i++)
		if (strcmp(options->rules[i].name, name) == 0)
			return true;
	return false;
}

/* Reserved names win over the rule's and the target's, which the store keeps merged. */
static void add_labels(struct json *json, const struct alert *alert, const char *target)
{
	static const char *const reserved[] = {"alertname", "target", "severity", NULL};
	json_key(json, "labels");
	json_open_object(json);
	json_member_text(json, "alertname", alert->rule);
	if (target)
		json_member_text(json, "target", target);
	json_member_text(json, "severity", alert->severity);
	stored_json_add_members(json, alert->labels, reserved);
	json_close_object(json);
}

static void add_value(struct json *json, const struct alert *alert)
{
	if (alert->has_value)
		json_member_decimal(json, "value", alert->value, 3);
	else
		json_member_null(json, "value");
	json_member_decimal(json, "threshold", alert->threshold, 3);
	json_member_text(json, "unit", alert->unit);
	json_key(json, "evidence");
	stored_json_add(json, alert->evidence);
}

static bool add_alert(void *context, const struct alert *alert)
{
	struct alert_walk *const walk = context;
	struct json *const json = &walk->json;
	char name[TARGET_NAME_SIZE];
	const bool has_target = name_of_target(walk->options->live, alert->target_id, name);
	if (alert->target_id != 0 && (!has_target || !is_rule(walk->options, alert->rule)))
		return true; /* of a target that is no longer watched, or a rule that is no more */
	json_open_object(json);
	json_member_text(json, "rule", alert->rule);
	json_member_text(json, "target", has_target ? name : NULL);
	json_member_text(json, "state", alert_state_name(alert->state));
	json_key(json, "silenced_by");
	json_open_array(json);
	json_close_array(json);
	json_member_text(json, "severity", alert->severity);
	add_labels(json, alert, has_target ? name : NULL);
	answer_member_int(json, "since", alert->since_utc_ms);
	answer_member_int(json, "fired_at", alert->fired_utc_ms);
	answer_member_int(json, "resolved_at", alert->resolved_utc_ms);
	add_value(json, alert);
	json_close_object(json);
	return true;
}

void api_alerts(const struct web_context *context, const struct request *request,
		struct response *response)
{
	CLEANUP(reader_returnp)
	struct reader *reader = answer_borrow_reader(context, request, response);
	if (!reader)
		return;
	struct error err = ERROR_INIT;
	struct alert_walk walk = {.json = json_begin(&response->body),
				  .options = &context->options};
	json_open_object(&walk.json);
	json_key(&walk.json, "alerts");
	json_open_array(&walk.json);
	if (!query_alerts(reader, add_alert, &walk, &err)) {
		problem_respond_error(response, &err);
		return;
	}
	json_close_array(&walk.json);
	json_close_object(&walk.json);
}
