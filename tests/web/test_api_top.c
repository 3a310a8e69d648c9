/* SPDX-License-Identifier: Apache-2.0 */
/* One row per name: shares, averages, trend; what is left is one row more. */
#include <math.h>

#include "tests/support.h"
#include "tests/web/web_fixture.h"

#define TOP "/api/v1/targets/prod-01/waits/top"

static int start(void **state)
{
	static struct web_fixture fixture;
	fixture_start(&fixture);
	/* 20 s to 10 s ago, and the last 10 s: PAGELATCH_EX doubles, WRITELOG ends. */
	const struct fixture_row before[] = {{"CXPACKET", {1, 100, 10}},
					     {"LAZYWRITER_SLEEP", {5, 99999, 0}},
					     {"PAGELATCH_EX", {10, 1000, 100}},
					     {"WRITELOG", {20, 600, 0}}};
	const struct fixture_row after[] = {{"CXPACKET", {1, 100, 10}},
					    {"PAGELATCH_EX", {10, 2000, 200}}};
	const int64_t now = fixture_now_utc_ms;
	fixture_commit_delta(&fixture, fixture_delta(FAMILY_WAITS, now - 10000, 10000, before, 4));
	fixture_commit_delta(&fixture, fixture_delta(FAMILY_WAITS, now, 10000, after, 2));
	*state = &fixture;
	return 0;
}

static int stop(void **state)
{
	fixture_stop(*state);
	return 0;
}

static double real(json_t *root, const char *path)
{
	return json_number_value(fixture_at(root, path));
}

static void rows_carry_totals_shares_and_trend(void **state)
{
	json_t *const root = fixture_get(*state, TOP "?start=-20s", 200);
	fixture_assert_members(
		root, "target family start end covered rows total resolutions warnings age_ms "
		      "stale");
	json_t *const row = fixture_at(root, "rows.0");
	fixture_assert_members(row, "name category benign ms_per_sec signal_ms_per_sec "
				    "waits_per_sec avg_wait_ms share signal_share trend total");
	assert_string_equal(fixture_text(row, "name"), "PAGELATCH_EX");
	assert_int_equal(fixture_int(row, "total.wait_ms"), 3000);
	assert_int_equal(fixture_int(row, "ms_per_sec"), 150);
	assert_int_equal(fixture_int(row, "avg_wait_ms"), 150);
	assert_true(fabs(real(row, "share") - 3000.0 / 3800) < 1e-6);
	assert_true(fabs(real(row, "signal_share") - 0.1) < 1e-6);
	assert_int_equal(fixture_int(row, "trend"), 100);
	assert_int_equal(fixture_int(root, "rows.1.trend"), -60);
	assert_int_equal(fixture_int(root, "total.wait_ms"), 3800);
	assert_int_equal(fixture_int(root, "covered"), 1);
	json_decref(root);
}

static void what_is_left_is_other(void **state)
{
	json_t *const root = fixture_get(*state, TOP "?start=-20s&top=1", 200);
	assert_int_equal(json_array_size(fixture_at(root, "rows")), 2);
	assert_string_equal(fixture_text(root, "rows.1.name"), "(other)");
	assert_int_equal(fixture_int(root, "rows.1.total.wait_ms"), 800);
	assert_int_equal(fixture_int(root, "rows.1.total.waits"), 22);
	json_decref(root);
}

/* B024: half of the range is covered; rates divide by that half, and it is said. */
static void a_trend_needs_both_halves(void **state)
{
	json_t *const root = fixture_get(*state, TOP "?start=-40s", 200);
	assert_true(json_is_null(fixture_at(root, "rows.0.trend")));
	assert_true(fabs(real(root, "covered") - 0.5) < 1e-6);
	assert_int_equal(fixture_int(root, "rows.0.ms_per_sec"), 150);
	json_decref(root);
}

/* B130: as in the series. */
static void idle_waits_take_no_share_unless_asked_for(void **state)
{
	json_t *const root = fixture_get(*state, TOP "?start=-20s&benign=true", 200);
	assert_string_equal(fixture_text(root, "rows.0.name"), "LAZYWRITER_SLEEP");
	assert_int_equal(fixture_int(root, "total.wait_ms"), 103799);
	json_decref(root);
}

static void other_families_answer_in_their_shape(void **state)
{
	struct web_fixture *const fixture = *state;
	const struct fixture_row locks[] = {{"LOCK_HASH", {[SPINLOCKS_SPINS] = 10}},
					    {"SOS_RW", {[SPINLOCKS_SPINS] = 30}}};
	fixture_commit_delta(fixture,
			     fixture_delta(FAMILY_SPINLOCKS, fixture_now_utc_ms, 10000, locks, 2));
	json_t *const root =
		fixture_get(fixture, "/api/v1/targets/prod-01/spinlocks/top?start=-10s", 200);
	assert_string_equal(fixture_text(root, "rows.0.name"), "SOS_RW");
	assert_true(fabs(real(root, "rows.0.share") - 0.75) < 1e-6);
	fixture_assert_members(fixture_at(root, "rows.0"),
			       "name spins_per_sec collisions_per_sec backoffs_per_sec "
			       "sleep_ms_per_sec spins_per_collision share trend total");
	json_decref(root);
	json_t *const latches = fixture_get(fixture, "/api/v1/targets/prod-01/latches/top", 200);
	assert_int_equal(json_array_size(fixture_at(latches, "rows")), 0);
	json_decref(latches);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)
	const struct CMUnitTest tests[] = {
		TEST(rows_carry_totals_shares_and_trend),
		TEST(what_is_left_is_other),
		TEST(a_trend_needs_both_halves),
		TEST(idle_waits_take_no_share_unless_asked_for),
		TEST(other_families_answer_in_their_shape),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
