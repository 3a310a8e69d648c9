/* SPDX-License-Identifier: Apache-2.0 */
/* Alerts: shape, labels and their precedence, what is unknown is null. */
#include <string.h>

#include "analysis/rule.h"
#include "storage/batch.h"
#include "tests/support.h"
#include "tests/web/web_fixture.h"

static int start(void **state)
{
	static struct web_fixture fixture;
	fixture_start(&fixture);
	struct batch *const batch = batch_new(fixture.target.id);
	const struct alert firing = {
		.rule = "PageLatchExHigh",
		.target_id = fixture.target.id,
		.state = ALERT_FIRING,
		.severity = "warning",
		.labels = "{\"team\":\"dba\",\"severity\":\"lie\",\"env\":\"prod\"}",
		.since_utc_ms = fixture_now_utc_ms - 60000,
		.fired_utc_ms = fixture_now_utc_ms - 60000,
		.has_value = true,
		.value = 51900.12345,
		.threshold = 1000,
		.unit = "ms/s",
		.evidence = "{\"PAGELATCH_EX\":51900}",
	};
	const struct alert own = {
		.rule = "StoreFull",
		.state = ALERT_NO_DATA,
		.severity = "critical",
		.labels = "{}",
		.since_utc_ms = fixture_now_utc_ms,
		.unit = "bytes",
		.evidence = "{}",
	};
	static const struct rule today = {.name = "PageLatchExHigh"};
	fixture.context.options.rules = &today;
	fixture.context.options.rule_count = 1;
	batch_add_alert(batch, &firing);
	batch_add_alert(batch, &own);
	fixture_commit(&fixture, batch);
	*state = &fixture;
	return 0;
}

static int stop(void **state)
{
	fixture_stop(*state);
	return 0;
}

static json_t *alert_of(json_t *root, const char *rule)
{
	json_t *const alerts = fixture_at(root, "alerts");
	for (size_t i = 0; i < json_array_size(alerts); i++)
		if (strcmp(fixture_text(json_array_get(alerts, i), "rule"), rule) == 0)
			return json_array_get(alerts, i);
	fail_msg("no alert '%s'", rule);
	return NULL;
}

static const char members[] = "rule target state silenced_by severity labels since fired_at "
			      "resolved_at value threshold unit evidence";

static void a_firing_alert_has_every_member(void **state)
{
	json_t *const root = fixture_get(*state, "/api/v1/alerts", 200);
	json_t *const alert = alert_of(root, "PageLatchExHigh");
	fixture_assert_members(alert, members);
	assert_string_equal(fixture_text(alert, "target"), "prod-01");
	assert_string_equal(fixture_text(alert, "state"), "firing");
	assert_int_equal(json_array_size(fixture_at(alert, "silenced_by")), 0);
	assert_int_equal(fixture_int(alert, "since"), fixture_now_utc_ms - 60000);
	assert_true(json_is_null(fixture_at(alert, "resolved_at")));
	assert_true(json_real_value(fixture_at(alert, "value")) == 51900.123);
	assert_int_equal(fixture_int(alert, "evidence.PAGELATCH_EX"), 51900);
	json_decref(root);
}

static void reserved_labels_come_first_and_win(void **state)
{
	json_t *const root = fixture_get(*state, "/api/v1/alerts", 200);
	json_t *const labels = fixture_at(alert_of(root, "PageLatchExHigh"), "labels");
	static const char *const order[] = {"alertname", "target", "severity", "team", "env"};
	void *at = json_object_iter(labels);
	for (size_t i = 0; i < 5; i++, at = json_object_iter_next(labels, at))
		assert_string_equal(json_object_iter_key(at), order[i]);
	assert_null(at);
	assert_string_equal(fixture_text(labels, "severity"), "warning");
	json_decref(root);
}

static void an_alert_on_latchd_itself_has_no_target(void **state)
{
	json_t *const root = fixture_get(*state, "/api/v1/alerts", 200);
	json_t *const alert = alert_of(root, "StoreFull");
	fixture_assert_members(alert, members);
	assert_true(json_is_null(fixture_at(alert, "target")));
	assert_string_equal(fixture_text(alert, "state"), "no_data");
	assert_true(json_is_null(fixture_at(alert, "value")));
	assert_true(json_is_null(fixture_at(alert, "fired_at")));
	fixture_assert_members(fixture_at(alert, "labels"), "alertname severity");
	json_decref(root);
}

static void alerts_of_a_rule_that_is_no_more_are_not_shown(void **state)
{
	struct web_fixture *const fixture = *state;
	fixture->context.options.rule_count = 0;
	json_t *const root = fixture_get(fixture, "/api/v1/alerts", 200);
	fixture->context.options.rule_count = 1;
	assert_int_equal(json_array_size(fixture_at(root, "alerts")), 1);
	assert_string_equal(fixture_text(root, "alerts.0.rule"), "StoreFull");
	json_decref(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_firing_alert_has_every_member),
		cmocka_unit_test(reserved_labels_come_first_and_win),
		cmocka_unit_test(an_alert_on_latchd_itself_has_no_target),
		cmocka_unit_test(alerts_of_a_rule_that_is_no_more_are_not_shown),
	};
	return cmocka_run_group_tests(tests, start, stop);
}
