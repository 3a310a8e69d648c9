/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state machine of one alert: inactive, pending, firing, no_data; `resolved` is a transition,
 * told once. Unknown never resolves and never fires. Pure; any thread.
 */
#pragma once

#include "analysis/rule.h"

enum alert_transition {
	ALERT_UNCHANGED,
	ALERT_BECAME_PENDING,
	ALERT_FIRED,
	ALERT_RESOLVED,
	ALERT_CANCELLED,
	ALERT_LOST_DATA,
	ALERT_FOUND_DATA
};

/* The state before the first evaluation, with the rule's labels; the target's are for the caller to
 * merge in. Pure. */
struct alert alert_initial(const struct rule *rule, int64_t target_id, int64_t now_utc_ms);

/*
 * Takes one value in and says what changed. value->end_utc_ms is the label of the moment; breach
 * and clear are counted from the beginning of the first interval that showed them (one fence-post
 * right), without the time in between that no value covered, and with a tenth of an interval (at
 * most 1 s) forgiven for polls that are not quite on time. A value whose end is not after the last
 * one taken in is ignored. Pure but for *alert.
 */
enum alert_transition alert_step(struct alert *alert, const struct rule *rule,
				 const struct rule_value *value);

/*
 * Says that nothing has been heard for so long that the rule has no data. What follows is the
 * rule's no_data: keep leaves the state as it is, ok resolves, alert goes to ALERT_NO_DATA. When
 * data comes back, an alert that was firing before fires on (ALERT_FOUND_DATA) until it is clear.
 * Pure but for *alert.
 */
enum alert_transition alert_lose_data(struct alert *alert, const struct rule *rule,
				      int64_t now_utc_ms);
