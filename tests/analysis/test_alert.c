/* SPDX-License-Identifier: Apache-2.0 */
/* The states of an alert, step by step. Seconds in the tests are seconds since the alert began. */
#include "analysis/alert.h"

#include <string.h>

#include "tests/support.h"

enum { START_MS = 1000000000, POLL_S = 10, U = ALERT_UNCHANGED };

static struct rule rule_of(int64_t for_s)
{
	return (struct rule){
		.name = "PageLatchExHigh",
		.threshold = 500,
		.clear = 250,
		.for_ms = for_s * 1000,
		.severity = "warning",
		.labels = {{"team", "dba"}},
		.label_count = 1,
	};
}

static int64_t at(double seconds)
{
	return START_MS + (int64_t)(seconds * 1000);
}

static enum alert_transition step_over(struct alert *alert, const struct rule *rule, double end_s,
				       double covered_s, double value)
{
	const struct rule_value seen = {
		.is_known = true,
		.value = value,
		.end_utc_ms = at(end_s),
		.covered_ms = (int64_t)(covered_s * 1000),
	};
	return alert_step(alert, rule, &seen);
}

static enum alert_transition step(struct alert *alert, const struct rule *rule, double end_s,
				  double value)
{
	return step_over(alert, rule, end_s, POLL_S, value);
}

/* Steps polls of 10 s from first_s on, all with the same value; none may change anything. */
static void hold(struct alert *alert, const struct rule *rule, int first_s, int last_s,
		 double value)
{
	for (int end_s = first_s; end_s <= last_s; end_s += POLL_S)
		assert_int_equal(step(alert, rule, end_s, value), ALERT_UNCHANGED);
}

static struct alert firing_alert(const struct rule *rule)
{
	struct alert alert = alert_initial(rule, 7, START_MS);
	(void)step_over(&alert, rule, 60, 60, 900);
	assert_int_equal(alert.state, ALERT_FIRING);
	return alert;
}

static void begins_inactive_with_the_rule_s_labels(void **state)
{
	(void)state;
	const struct rule rule = rule_of(60);
	const struct alert alert = alert_initial(&rule, 7, START_MS);
	assert_int_equal(alert.state, ALERT_INACTIVE);
	assert_string_equal(alert.rule, "PageLatchExHigh");
	assert_string_equal(alert.labels, "{\"team\":\"dba\"}");
	assert_string_equal(alert.unit, "ms/s");
	assert_int_equal(alert.target_id, 7);
	assert_false(alert.has_value);
}

static void a_minute_of_breach_fires_at_the_sixth_interval(void **state)
{
	(void)state;
	const struct rule rule = rule_of(60);
	struct alert alert = alert_initial(&rule, 7, START_MS);
	assert_int_equal(step(&alert, &rule, 10, 900), ALERT_BECAME_PENDING);
	assert_int_equal(alert.since_utc_ms, START_MS);
	hold(&alert, &rule, 20, 50, 900);
	assert_int_equal(step(&alert, &rule, 60, 900), ALERT_FIRED);
	assert_int_equal(alert.fired_utc_ms, at(60));
	assert_int_equal(alert.since_utc_ms, at(60));
	assert_true(alert.value == 900);
	hold(&alert, &rule, 70, 200, 900);
}

static void polls_that_are_not_quite_on_time_fire_at_the_sixth_too(void **state)
{
	(void)state;
	const struct rule rule = rule_of(60);
	struct alert alert = alert_initial(&rule, 7, START_MS);
	assert_int_equal(step_over(&alert, &rule, 10.004, 9.990, 900), ALERT_BECAME_PENDING);
	for (int i = 2; i <= 5; i++)
		assert_int_equal(step_over(&alert, &rule, i * 10 + i % 2 * 0.003, 9.997, 900), U);
	assert_int_equal(step_over(&alert, &rule, 60, 9.998, 900), ALERT_FIRED);
}

static void pending_that_drops_is_cancelled(void **state)
{
	(void)state;
	const struct rule rule = rule_of(60);
	struct alert alert = alert_initial(&rule, 7, START_MS);
	assert_int_equal(step(&alert, &rule, 10, 900), ALERT_BECAME_PENDING);
	assert_int_equal(step(&alert, &rule, 20, 400), ALERT_CANCELLED);
	assert_int_equal(alert.state, ALERT_INACTIVE);
	assert_int_equal(alert.fired_utc_ms, 0);
}

/* B092 */
static void alternating_values_never_fire_and_steady_ones_once(void **state)
{
	(void)state;
	const struct rule rule = rule_of(30);
	struct alert alert = alert_initial(&rule, 7, START_MS);
	for (int end_s = 10; end_s <= 400; end_s += 20) {
		assert_int_equal(step(&alert, &rule, end_s, 900), ALERT_BECAME_PENDING);
		assert_int_equal(step(&alert, &rule, end_s + 10, 100), ALERT_CANCELLED);
	}
	assert_int_equal(step(&alert, &rule, 410, 900), ALERT_BECAME_PENDING);
	assert_int_equal(step(&alert, &rule, 420, 900), ALERT_UNCHANGED);
	assert_int_equal(step(&alert, &rule, 430, 900), ALERT_FIRED);
	hold(&alert, &rule, 440, 500, 900);
}

/* B095 */
static void calm_resolves_after_for(void **state)
{
	(void)state;
	const struct rule rule = rule_of(60);
	struct alert alert = alert_initial(&rule, 7, START_MS);
	(void)step(&alert, &rule, 10, 900);
	hold(&alert, &rule, 20, 50, 900);
	assert_int_equal(step(&alert, &rule, 60, 900), ALERT_FIRED);
	hold(&alert, &rule, 70, 300, 900);
	hold(&alert, &rule, 310, 350, 0);
	assert_int_equal(step(&alert, &rule, 360, 0), ALERT_RESOLVED);
	assert_int_equal(alert.resolved_utc_ms, at(360));
	assert_int_equal(alert.fired_utc_ms, at(60));
	hold(&alert, &rule, 370, 3900, 0);
}

static void between_clear_and_threshold_it_fires_on(void **state)
{
	(void)state;
	const struct rule rule = rule_of(60);
	struct alert alert = firing_alert(&rule);
	hold(&alert, &rule, 70, 600, 300);
	hold(&alert, &rule, 610, 650, 250);
	hold(&alert, &rule, 660, 660, 251); /* the calm begins anew */
	hold(&alert, &rule, 670, 710, 250);
	assert_int_equal(step(&alert, &rule, 720, 250), ALERT_RESOLVED);
}

static void a_new_episode_forgets_the_last(void **state)
{
	(void)state;
	const struct rule rule = rule_of(10);
	struct alert alert = alert_initial(&rule, 7, START_MS);
	assert_int_equal(step(&alert, &rule, 10, 900), ALERT_FIRED);
	assert_int_equal(step(&alert, &rule, 20, 0), ALERT_RESOLVED);
	const struct rule slow = rule_of(60);
	assert_int_equal(step(&alert, &slow, 30, 900), ALERT_BECAME_PENDING);
	assert_int_equal(alert.fired_utc_ms, 0);
	assert_int_equal(alert.resolved_utc_ms, 0);
}

/* B087: an older row that is still in the query's answer decides nothing. */
static void only_what_is_newer_counts(void **state)
{
	(void)state;
	const struct rule rule = rule_of(0);
	struct alert alert = alert_initial(&rule, 7, START_MS);
	assert_int_equal(step(&alert, &rule, 20, 0), ALERT_UNCHANGED);
	assert_int_equal(step(&alert, &rule, 10, 900), ALERT_UNCHANGED);
	assert_int_equal(step(&alert, &rule, 20, 900), ALERT_UNCHANGED);
	assert_true(alert.value == 0);
	assert_int_equal(step(&alert, &rule, 30, 900), ALERT_FIRED);
}

/* S05 and S28: a lone sample is judged over its own interval. */
static void one_long_interval_is_evidence_enough(void **state)
{
	(void)state;
	const struct rule rule = rule_of(30);
	struct alert alert = alert_initial(&rule, 7, START_MS);
	assert_int_equal(step_over(&alert, &rule, 600, 600, 25000 / 600.0), ALERT_UNCHANGED);
	assert_int_equal(step_over(&alert, &rule, 630, 30, 25000 / 30.0), ALERT_FIRED);
}

/* S04: 30,000 ms a minute is 500 ms/s, which is not above 500. */
static void threshold_itself_is_a_breach_only_when_inclusive(void **state)
{
	(void)state;
	struct rule rule = rule_of(0);
	struct alert alert = alert_initial(&rule, 7, START_MS);
	for (int i = 1; i <= 5; i++)
		assert_int_equal(step_over(&alert, &rule, i * 60, 60, 500), ALERT_UNCHANGED);
	rule.is_inclusive = true;
	assert_int_equal(step_over(&alert, &rule, 360, 60, 500), ALERT_FIRED);
}

/* B094: what a restart brings back from the store goes on as if nothing had been. */
static void a_restart_tells_nothing_twice(void **state)
{
	(void)state;
	const struct rule rule = rule_of(60);
	const struct alert stored = firing_alert(&rule);
	struct alert alert = stored;
	assert_int_equal(step_over(&alert, &rule, 660, 600, 900), ALERT_UNCHANGED);
	assert_int_equal(alert.fired_utc_ms, stored.fired_utc_ms);
	hold(&alert, &rule, 670, 710, 0);
	assert_int_equal(step(&alert, &rule, 720, 0), ALERT_RESOLVED);
	hold(&alert, &rule, 730, 800, 0);
}

static void unknown_changes_nothing(void **state)
{
	(void)state;
	const struct rule rule = rule_of(60);
	struct alert alert = firing_alert(&rule);
	const struct alert before = alert;
	const struct rule_value unknown = {.end_utc_ms = at(4000)};
	assert_int_equal(alert_step(&alert, &rule, &unknown), ALERT_UNCHANGED);
	assert_memory_equal(&alert, &before, sizeof(alert));
}

static void time_that_nobody_saw_fires_nothing(void **state)
{
	(void)state;
	const struct rule rule = rule_of(60);
	struct alert alert = alert_initial(&rule, 7, START_MS);
	assert_int_equal(step(&alert, &rule, 10, 900), ALERT_BECAME_PENDING);
	hold(&alert, &rule, 1010, 1040, 900);
	/* 10 s before the outage, 50 s after it */
	assert_int_equal(step(&alert, &rule, 1050, 900), ALERT_FIRED);
}

static void time_that_nobody_saw_resolves_nothing(void **state)
{
	(void)state;
	const struct rule rule = rule_of(60);
	struct alert alert = firing_alert(&rule);
	hold(&alert, &rule, 70, 70, 0);
	hold(&alert, &rule, 1010, 1040, 0);
	assert_int_equal(alert.state, ALERT_FIRING);
	assert_int_equal(step(&alert, &rule, 1050, 0), ALERT_RESOLVED);
}

static void keep_leaves_everything_as_it_is(void **state)
{
	(void)state;
	const struct rule rule = rule_of(60);
	struct alert alert = firing_alert(&rule);
	assert_int_equal(alert_lose_data(&alert, &rule, at(500)), ALERT_UNCHANGED);
	assert_int_equal(alert.state, ALERT_FIRING);
}

static void ok_takes_silence_for_calm(void **state)
{
	(void)state;
	struct rule rule = rule_of(60);
	rule.no_data = RULE_NO_DATA_OK;
	struct alert alert = firing_alert(&rule);
	assert_int_equal(alert_lose_data(&alert, &rule, at(500)), ALERT_RESOLVED);
	assert_int_equal(alert.resolved_utc_ms, at(500));
	assert_int_equal(alert_lose_data(&alert, &rule, at(510)), ALERT_UNCHANGED);
	(void)step(&alert, &rule, 520, 900);
	assert_int_equal(alert_lose_data(&alert, &rule, at(600)), ALERT_CANCELLED);
}

/* B097 */
static void no_data_is_a_state_of_its_own_and_told_once(void **state)
{
	(void)state;
	struct rule rule = rule_of(60);
	rule.no_data = RULE_NO_DATA_ALERT;
	struct alert alert = alert_initial(&rule, 7, START_MS);
	assert_int_equal(alert_lose_data(&alert, &rule, at(50)), ALERT_LOST_DATA);
	assert_int_equal(alert.state, ALERT_NO_DATA);
	assert_int_equal(alert.since_utc_ms, at(50));
	assert_int_equal(alert_lose_data(&alert, &rule, at(60)), ALERT_UNCHANGED);
	assert_int_equal(step(&alert, &rule, 70, 0), ALERT_FOUND_DATA);
	assert_int_equal(alert.state, ALERT_INACTIVE);
}

static void an_open_episode_outlives_the_silence(void **state)
{
	(void)state;
	struct rule rule = rule_of(60);
	rule.no_data = RULE_NO_DATA_ALERT;
	struct alert alert = firing_alert(&rule);
	assert_int_equal(alert_lose_data(&alert, &rule, at(500)), ALERT_LOST_DATA);
	assert_int_equal(step(&alert, &rule, 1000, 900), ALERT_FOUND_DATA);
	assert_int_equal(alert.state, ALERT_FIRING);
	assert_int_equal(alert.fired_utc_ms, at(60));
	hold(&alert, &rule, 1010, 1050, 0);
	assert_int_equal(step(&alert, &rule, 1060, 0), ALERT_RESOLVED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(begins_inactive_with_the_rule_s_labels),
		cmocka_unit_test(a_minute_of_breach_fires_at_the_sixth_interval),
		cmocka_unit_test(polls_that_are_not_quite_on_time_fire_at_the_sixth_too),
		cmocka_unit_test(pending_that_drops_is_cancelled),
		cmocka_unit_test(alternating_values_never_fire_and_steady_ones_once),
		cmocka_unit_test(calm_resolves_after_for),
		cmocka_unit_test(between_clear_and_threshold_it_fires_on),
		cmocka_unit_test(a_new_episode_forgets_the_last),
		cmocka_unit_test(only_what_is_newer_counts),
		cmocka_unit_test(one_long_interval_is_evidence_enough),
		cmocka_unit_test(threshold_itself_is_a_breach_only_when_inclusive),
		cmocka_unit_test(a_restart_tells_nothing_twice),
		cmocka_unit_test(unknown_changes_nothing),
		cmocka_unit_test(time_that_nobody_saw_fires_nothing),
		cmocka_unit_test(time_that_nobody_saw_resolves_nothing),
		cmocka_unit_test(keep_leaves_everything_as_it_is),
		cmocka_unit_test(ok_takes_silence_for_calm),
		cmocka_unit_test(no_data_is_a_state_of_its_own_and_told_once),
		cmocka_unit_test(an_open_episode_outlives_the_silence),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
