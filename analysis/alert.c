/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state machine of one alert. Pure but for the alert that is passed in; any thread.
 *
 * Time counts from evidence only: breach and clear begin where the first covered interval that
 * showed them begins, and time that no value covered is taken out again by moving that beginning
 * along. So neither an outage nor a skipped poll fires or resolves anything.
 */
#include "analysis/alert.h"

#include <stdio.h>
#include <string.h>

#include "daemon/base/json.h"

enum { TOLERANCE_MAX_MS = 1000 };

/*
 * Polls are some milliseconds early or late, and the server's clock is not ours: six intervals of
 * 10 s may add up to 59.99 s. A tenth of an interval is forgiven, so that they still count as 60 s.
 */
static int64_t tolerance_ms(const struct rule_value *value)
{
	const int64_t tenth = value->covered_ms / 10;
	return tenth < TOLERANCE_MAX_MS ? tenth : TOLERANCE_MAX_MS;
}

static bool has_lasted(const struct rule *rule, int64_t since_utc_ms,
		       const struct rule_value *value)
{
	return value->end_utc_ms - since_utc_ms + tolerance_ms(value) >= rule->for_ms;
}

static bool is_breach(const struct rule *rule, double value)
{
	return rule->is_inclusive ? value >= rule->threshold : value > rule->threshold;
}

static void enter(struct alert *alert, enum alert_state state, int64_t now_utc_ms)
{
	alert->state = state;
	alert->since_utc_ms = now_utc_ms;
	alert->clear_since_utc_ms = 0;
}

static bool is_open(const struct alert *alert)
{
	return alert->fired_utc_ms != 0 && alert->resolved_utc_ms == 0;
}

/* Takes the time that nobody covered out of what has lasted so far. */
static void skip_hole(struct alert *alert, const struct rule_value *value)
{
	const int64_t begin = value->end_utc_ms - value->covered_ms;
	const int64_t hole = begin - alert->value_end_utc_ms;
	if (alert->value_end_utc_ms == 0 || hole <= tolerance_ms(value))
		return;
	if (alert->state == ALERT_PENDING)
		alert->since_utc_ms += hole;
	if (alert->clear_since_utc_ms != 0)
		alert->clear_since_utc_ms += hole;
}

static enum alert_transition step_pending(struct alert *alert, const struct rule *rule,
					  const struct rule_value *value,
					  enum alert_transition otherwise)
{
	if (!has_lasted(rule, alert->since_utc_ms, value))
		return otherwise;
	enter(alert, ALERT_FIRING, value->end_utc_ms);
	alert->fired_utc_ms = value->end_utc_ms;
	return ALERT_FIRED;
}

static enum alert_transition step_inactive(struct alert *alert, const struct rule *rule,
					   const struct rule_value *value)
{
	if (!is_breach(rule, value->value))
		return ALERT_UNCHANGED;
	enter(alert, ALERT_PENDING, value->end_utc_ms - value->covered_ms);
	alert->fired_utc_ms = 0;
	alert->resolved_utc_ms = 0;
	return step_pending(alert, rule, value, ALERT_BECAME_PENDING);
}

static enum alert_transition step_firing(struct alert *alert, const struct rule *rule,
					 const struct rule_value *value)
{
	if (value->value > rule->clear || is_breach(rule, value->value)) {
		alert->clear_since_utc_ms = 0;
		return ALERT_UNCHANGED;
	}
	if (alert->clear_since_utc_ms == 0)
		alert->clear_since_utc_ms = value->end_utc_ms - value->covered_ms;
	if (!has_lasted(rule, alert->clear_since_utc_ms, value))
		return ALERT_UNCHANGED;
	enter(alert, ALERT_INACTIVE, value->end_utc_ms);
	alert->resolved_utc_ms = value->end_utc_ms;
	return ALERT_RESOLVED;
}

/* Data is back: an open episode goes on as it was, for silence resolves nothing. */
static enum alert_transition step_no_data(struct alert *alert, const struct rule *rule,
					  const struct rule_value *value)
{
	if (is_open(alert)) {
		enter(alert, ALERT_FIRING, alert->fired_utc_ms);
		return step_firing(alert, rule, value) == ALERT_RESOLVED ? ALERT_RESOLVED
									 : ALERT_FOUND_DATA;
	}
	enter(alert, ALERT_INACTIVE, value->end_utc_ms);
	return step_inactive(alert, rule, value) == ALERT_FIRED ? ALERT_FIRED : ALERT_FOUND_DATA;
}

static enum alert_transition step_state(struct alert *alert, const struct rule *rule,
					const struct rule_value *value)
{
	switch (alert->state) {
	case ALERT_INACTIVE:
		return step_inactive(alert, rule, value);
	case ALERT_PENDING:
		if (is_breach(rule, value->value))
			return step_pending(alert, rule, value, ALERT_UNCHANGED);
		enter(alert, ALERT_INACTIVE, value->end_utc_ms);
		return ALERT_CANCELLED;
	case ALERT_FIRING:
		return step_firing(alert, rule, value);
	case ALERT_NO_DATA:
		return step_no_data(alert, rule, value);
	}
	return ALERT_UNCHANGED;
}

static void write_labels(struct alert *alert, const struct rule *rule)
{
	CLEANUP(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct json json = json_begin(&text);
	json_open_object(&json);
	for (int i = 0; i < rule->label_count; i++)
		json_member_text(&json, rule->labels[i][0], rule->labels[i][1]);
	json_close_object(&json);
	const bool fits = text.size < sizeof(alert->labels);
	snprintf(alert->labels, sizeof(alert->labels), "%s", fits ? strbuf_text(&text) : "{}");
}

struct alert alert_initial(const struct rule *rule, int64_t target_id, int64_t now_utc_ms)
{
	struct alert alert = {
		.target_id = target_id,
		.state = ALERT_INACTIVE,
		.since_utc_ms = now_utc_ms,
		.threshold = rule->threshold,
		.unit = "ms/s",
		.evidence = "{}",
	};
	memcpy(alert.rule, rule->name, sizeof(alert.rule));
	memcpy(alert.severity, rule->severity, sizeof(alert.severity));
	write_labels(&alert, rule);
	return alert;
}

enum alert_transition alert_step(struct alert *alert, const struct rule *rule,
				 const struct rule_value *value)
{
	if (!value->is_known || value->end_utc_ms <= alert->value_end_utc_ms)
		return ALERT_UNCHANGED;
	memcpy(alert->severity, rule->severity, sizeof(alert->severity));
	alert->threshold = rule->threshold;
	skip_hole(alert, value);
	const enum alert_transition transition = step_state(alert, rule, value);
	alert->has_value = true;
	alert->value = value->value;
	alert->value_end_utc_ms = value->end_utc_ms;
	return transition;
}

static enum alert_transition lose_as_ok(struct alert *alert, int64_t now_utc_ms)
{
	const enum alert_state before = alert->state;
	if (before == ALERT_INACTIVE)
		return ALERT_UNCHANGED;
	enter(alert, ALERT_INACTIVE, now_utc_ms);
	if (!is_open(alert))
		return ALERT_CANCELLED;
	alert->resolved_utc_ms = now_utc_ms;
	return ALERT_RESOLVED;
}

enum alert_transition alert_lose_data(struct alert *alert, const struct rule *rule,
				      int64_t now_utc_ms)
{
	switch (rule->no_data) {
	case RULE_NO_DATA_KEEP:
		return ALERT_UNCHANGED;
	case RULE_NO_DATA_OK:
		alert->has_value = false;
		return lose_as_ok(alert, now_utc_ms);
	case RULE_NO_DATA_ALERT:
		alert->has_value = false;
		if (alert->state == ALERT_NO_DATA)
			return ALERT_UNCHANGED;
		enter(alert, ALERT_NO_DATA, now_utc_ms);
		return ALERT_LOST_DATA;
	}
	return ALERT_UNCHANGED;
}
