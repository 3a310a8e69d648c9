/* SPDX-License-Identifier: Apache-2.0 */
/* Targets: shape, states, ages, and what a server that was never reached shows. */
#include <string.h>

#include "tests/support.h"
#include "tests/web/web_fixture.h"

#define TARGET "/api/v1/targets/prod-01"

static int start(void **state)
{
	static struct web_fixture fixture;
	fixture_start(&fixture);
	*state = &fixture;
	return 0;
}

static int stop(void **state)
{
	fixture_stop(*state);
	return 0;
}

static void make_up(struct web_fixture *fixture, int64_t age_ms)
{
	struct live_target *const target = &fixture->target;
	target->state = TARGET_UP;
	target->has_server = true;
	target->server = (struct server){.version = "16.0.4085.2",
					 .major = 16,
					 .edition = "Developer Edition (64-bit)",
					 .engine_edition = 3,
					 .scheduler_count = 32,
					 .started_utc_ms = 1780000000000,
					 .is_encrypted = true};
	strcpy(target->epoch.server_name, "SQL01");
	strcpy(target->labels[0][0], "env");
	strcpy(target->labels[0][1], "prod");
	target->label_count = 1;
	target->last_poll_utc_ms = fixture_now_utc_ms - age_ms;
	target->cost_from = (struct live_cost){.mono_ms = 1000, .server_cpu_ms = 40};
	target->cost = (struct live_cost){.mono_ms = 101000,
					  .server_cpu_ms = 90,
					  .round_trip_count = 10,
					  .row_count = 5000,
					  .received_bytes = 250000,
					  .own_cpu_us = 20000};
	target->counters_since_utc_ms[FAMILY_WAITS] = 1780000000000;
	for (int i = 0; i < COLLECTOR_COUNT; i++) {
		target->collectors[i].last_ok_utc_ms = target->last_poll_utc_ms;
		target->collectors[i].last_ok_mono_ms = clock_now().mono_ms - age_ms;
		target->collectors[i].poll_count = 7;
	}
	fixture_show(fixture);
}

static const char members[] =
	"name host port state server_name version major edition engine_edition schedulers "
	"started_utc_ms counters_since_utc_ms last_poll_utc_ms age_ms stale encrypted last_error "
	"labels collectors longest_wait cost login database rights warnings";

static void a_target_that_is_up_has_every_member(void **state)
{
	struct web_fixture *const fixture = *state;
	make_up(fixture, 4000);
	json_t *const root = fixture_get(fixture, "/api/v1/targets", 200);
	json_t *const target = fixture_at(root, "targets.0");
	fixture_assert_members(target, members);
	fixture_assert_members(
		fixture_at(target, "collectors.0"),
		"name interval_ms last_duration_ms rows polls failures skipped state "
		"last_error");
	assert_string_equal(fixture_text(target, "state"), "up");
	assert_string_equal(fixture_text(target, "server_name"), "SQL01");
	assert_int_equal(fixture_int(target, "schedulers"), 32);
	assert_int_equal(fixture_int(target, "counters_since_utc_ms.waits"), 1780000000000);
	assert_true(json_is_null(fixture_at(target, "counters_since_utc_ms.latches")));
	assert_true(fixture_int(target, "age_ms") >= 4000);
	assert_true(json_is_false(fixture_at(target, "stale")));
	assert_true(json_is_true(fixture_at(target, "encrypted")));
	assert_true(json_is_null(fixture_at(target, "last_error")));
	assert_string_equal(fixture_text(target, "labels.env"), "prod");
	assert_int_equal(json_array_size(fixture_at(target, "collectors")), COLLECTOR_COUNT);
	assert_int_equal(fixture_int(target, "collectors.0.polls"), 7);
	assert_true(json_number_value(fixture_at(target, "cost.cpu_ms_per_s")) == 0.5);
	assert_true(json_number_value(fixture_at(target, "cost.round_trips_per_s")) == 0.1);
	assert_true(json_number_value(fixture_at(target, "cost.rows_per_s")) == 50);
	assert_true(json_number_value(fixture_at(target, "cost.bytes_per_s")) == 2500);
	assert_true(json_number_value(fixture_at(target, "cost.latchd_cpu_us_per_s")) == 200);
	assert_int_equal(fixture_int(target, "cost.cpu_ms"), 90);
	assert_int_equal(fixture_int(target, "cost.bytes"), 250000);
	json_decref(root);
}

/* B051: what a login may see is told part by part, with the GRANT to the login in use. */
static void a_missing_right_is_shown_with_its_cure(void **state)
{
	struct web_fixture *const fixture = *state;
	make_up(fixture, 0);
	strcpy(fixture->target.server.login, "monitor");
	fixture->target.server.is_encrypted = -1;
	fixture->target.probe.is_done = true;
	fixture->target.probe.parts[2].state = PROBE_DENIED;
	fixture->target.probe.parts[2].code = 300;
	fixture_show(fixture);
	json_t *const root = fixture_get(fixture, TARGET, 200);
	assert_int_equal(json_array_size(fixture_at(root, "rights")), PROBE_COUNT);
	assert_string_equal(fixture_text(root, "rights.1.state"), "ok");
	assert_true(json_is_null(fixture_at(root, "rights.1.cure")));
	assert_string_equal(fixture_text(root, "rights.2.name"), "latches");
	assert_string_equal(fixture_text(root, "rights.2.state"), "denied");
	assert_string_equal(fixture_text(root, "rights.2.cure"),
			    "GRANT VIEW SERVER PERFORMANCE STATE TO [monitor];");
	assert_true(json_is_null(fixture_at(root, "encrypted")));
	assert_int_equal(json_array_size(fixture_at(root, "warnings")), 0);
	json_decref(root);
}

static void one_target_is_the_same_object(void **state)
{
	struct web_fixture *const fixture = *state;
	make_up(fixture, 0);
	json_t *const root = fixture_get(fixture, TARGET, 200);
	fixture_assert_members(root, members);
	json_decref(root);
	json_t *const problem = fixture_get(fixture, "/api/v1/targets/prod-1", 404);
	assert_string_equal(fixture_text(problem, "detail"), "there is no target 'prod-1'");
	json_decref(problem);
}

static void a_target_never_reached_is_stale_and_unknown(void **state)
{
	json_t *const root = fixture_get(*state, TARGET, 200);
	fixture_assert_members(root, members);
	assert_string_equal(fixture_text(root, "state"), "connecting");
	assert_true(json_is_true(fixture_at(root, "stale")));
	static const char *const unknown[] = {
		"server_name",
		"version",
		"major",
		"edition",
		"engine_edition",
		"started_utc_ms",
		"last_poll_utc_ms",
		"age_ms",
		"encrypted",
		"last_error",
		"collectors.0.rows",
		"collectors.0.last_duration_ms",
	};
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		if (!json_is_null(fixture_at(root, unknown[i])))
			fail_msg("'%s' is not null", unknown[i]);
	json_decref(root);
}

/* B116: what is old says so. */
static void stale_is_older_than_two_and_a_half_intervals(void **state)
{
	struct web_fixture *const fixture = *state;
	make_up(fixture, 24000);
	json_t *root = fixture_get(fixture, TARGET, 200);
	assert_true(json_is_false(fixture_at(root, "stale")));
	json_decref(root);
	make_up(fixture, 25001);
	root = fixture_get(fixture, TARGET, 200);
	assert_true(json_is_true(fixture_at(root, "stale")));
	json_decref(root);
}

static void an_error_is_told_with_kind_and_code(void **state)
{
	struct web_fixture *const fixture = *state;
	fixture->target.state = TARGET_DENIED;
	fixture->target.last_error = (struct live_error){true, ERROR_DENIED, 18456, "no", 42};
	fixture_show(fixture);
	json_t *const root = fixture_get(fixture, TARGET, 200);
	assert_string_equal(fixture_text(root, "state"), "denied");
	fixture_assert_members(fixture_at(root, "last_error"), "kind code text at_utc_ms");
	assert_string_equal(fixture_text(root, "last_error.kind"), "denied");
	assert_int_equal(fixture_int(root, "last_error.code"), 18456);
	json_decref(root);
}

/* B140 */
static void a_hanging_login_says_stuck(void **state)
{
	struct web_fixture *const fixture = *state;
	fixture->target.is_stuck = true;
	fixture_show(fixture);
	json_t *const root = fixture_get(fixture, TARGET, 200);
	assert_string_equal(fixture_text(root, "state"), "connecting");
	assert_non_null(strstr(fixture_text(root, "last_error.text"), "stuck"));
	json_decref(root);
}

static void no_readable_view_is_denied(void **state)
{
	struct web_fixture *const fixture = *state;
	make_up(fixture, 0);
	for (int i = COLLECTOR_WAITS; i <= COLLECTOR_SPINLOCKS; i++)
		fixture->target.collectors[i].state = COLLECTOR_DENIED;
	fixture_show(fixture);
	json_t *root = fixture_get(fixture, TARGET, 200);
	assert_string_equal(fixture_text(root, "state"), "denied");
	json_decref(root);
	fixture->target.collectors[COLLECTOR_LATCHES].state = COLLECTOR_OK;
	fixture_show(fixture);
	root = fixture_get(fixture, TARGET, 200);
	assert_string_equal(fixture_text(root, "state"), "up");
	json_decref(root);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)
	const struct CMUnitTest tests[] = {
		TEST(a_target_that_is_up_has_every_member),
		TEST(a_missing_right_is_shown_with_its_cure),
		TEST(one_target_is_the_same_object),
		TEST(a_target_never_reached_is_stale_and_unknown),
		TEST(stale_is_older_than_two_and_a_half_intervals),
		TEST(an_error_is_told_with_kind_and_code),
		TEST(a_hanging_login_says_stuck),
		TEST(no_readable_view_is_denied),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
