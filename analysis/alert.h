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

/* The state before the first evaluation. Pure. */
struct alert alert_initial(const struct rule *rule, int64_t target_id, int64_t now_utc_ms);

/*
 * Takes one value in and says what changed. value->end_utc_ms is the label of the moment; breach
 * and clear are counted from the beginning of the first interval that showed them (one fence-post
 * right). Pure but for *alert.
 */
enum alert_transition alert_step(struct alert *alert, const struct rule *rule,
				 const struct rule_value *value);

/*
 * Says that nothing has been heard for so long that the rule has no data. What follows is the
 * rule's no_data: keep leaves a firing alert firing. Pure but for *alert.
 */
enum alert_transition alert_lose_data(struct alert *alert, const struct rule *rule,
				      int64_t now_utc_ms);
