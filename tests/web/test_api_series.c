/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges of waits, latches and spinlocks: shapes, sums that stay true, what is unknown is null. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "storage/batch.h"
#include "tests/support.h"
#include "tests/web/web_fixture.h"
#include "web/route.h"

enum { NAME_COUNT = 24, DELTA_COUNT = 60 };

#define WAITS "/api/v1/targets/prod-01/waits"

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

static int64_t ago(int64_t seconds)
{
	return fixture_now_utc_ms - seconds * 1000;
}

/* Ten minutes of polls, 3 s off the minute, with counters that no step divides. */
static void commit_ten_minutes(struct web_fixture *fixture)
{
	static char names[NAME_COUNT][16];
	for (int number = 0; number < DELTA_COUNT; number++) {
		struct fixture_row rows[NAME_COUNT];
		for (int i = 0; i < NAME_COUNT; i++) {
			snprintf(names[i], sizeof(names[i]), "TEST_WAIT_%02d", i);
			const int64_t salt = (number * 31 + i * 17) % 97 + i * i;
			rows[i] = (struct fixture_row){names[i], {salt + 1, salt * 13 + 7, salt}};
		}
		fixture_commit_delta(fixture, fixture_delta(FAMILY_WAITS, ago(597 - number * 10),
							    10000, rows, NAME_COUNT));
	}
}

static void commit_wait(struct web_fixture *fixture, const char *name, int64_t end_utc_ms,
			int64_t interval_ms, int64_t waits, int64_t wait_ms)
{
	const struct fixture_row row = {name, {waits, wait_ms, wait_ms / 10}};
	fixture_commit_delta(fixture,
			     fixture_delta(FAMILY_WAITS, end_utc_ms, interval_ms, &row, 1));
}

/* Units of a metric over all points: value times covered time; whole, as the store keeps them. */
static json_int_t units_of(json_t *series, const char *metric, json_t *covered, json_int_t step_ms)
{
	double sum = 0;
	json_t *const values = fixture_at(series, metric);
	assert_int_equal(json_array_size(values), json_array_size(covered));
	for (size_t i = 0; i < json_array_size(values); i++) {
		/* What is covered comes in thousandths of a step: find the milliseconds again. */
		const double part = json_number_value(json_array_get(covered, i));
		const double seconds = round(part * (double)step_ms / 1000);
		sum += round(json_number_value(json_array_get(values, i)) * seconds);
	}
	return (json_int_t)sum;
}

static void every_member_of_a_range_is_there(void **state)
{
	struct web_fixture *const fixture = *state;
	commit_wait(fixture, "PAGELATCH_EX", ago(0), 10000, 100, 519000);
	json_t *const root = fixture_get(fixture, WAITS "?start=-30s&step=10s", 200);
	fixture_assert_members(root, "target family start end step_ms resolutions t covered series "
				     "markers "
				     "warnings age_ms stale");
	json_t *const series = fixture_at(root, "series.0");
	fixture_assert_members(series, "name category benign ms_per_sec max_ms_per_sec "
				       "signal_ms_per_sec waits_per_sec avg_wait_ms total");
	fixture_assert_members(fixture_at(series, "total"), "wait_ms signal_ms waits");
	assert_string_equal(fixture_text(root, "target"), "prod-01");
	assert_string_equal(fixture_text(root, "family"), "waits");
	assert_string_equal(fixture_text(series, "category"), "Buffer Latch");
	assert_int_equal(fixture_int(root, "start"), ago(30));
	assert_int_equal(fixture_int(root, "step_ms"), 10000);
	assert_int_equal(fixture_int(root, "t.2"), ago(10));
	assert_int_equal(fixture_int(series, "ms_per_sec.2"), 51900);
	assert_int_equal(fixture_int(series, "max_ms_per_sec.2"), 51900);
	assert_int_equal(fixture_int(series, "signal_ms_per_sec.2"), 5190);
	assert_int_equal(fixture_int(series, "waits_per_sec.2"), 10);
	assert_int_equal(fixture_int(series, "avg_wait_ms.2"), 5190);
	assert_int_equal(fixture_int(series, "total.wait_ms"), 519000);
	json_decref(root);
}

/* B128: where nobody looked stands no zero. */
static void an_uncovered_bucket_is_null(void **state)
{
	struct web_fixture *const fixture = *state;
	commit_wait(fixture, "PAGELATCH_EX", ago(0), 10000, 100, 519000);
	json_t *const root = fixture_get(fixture, WAITS "?start=-30s&step=10s", 200);
	json_t *const series = fixture_at(root, "series.0");
	static const char *const metrics[] = {"ms_per_sec", "max_ms_per_sec", "waits_per_sec",
					      "avg_wait_ms", "signal_ms_per_sec"};
	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++)
		assert_true(json_is_null(json_array_get(fixture_at(series, metrics[i]), 0)));
	assert_int_equal(fixture_int(root, "covered.0"), 0);
	assert_int_equal(fixture_int(root, "covered.2"), 1);
	json_decref(root);
}

/* B129: nothing waited, so there is no average wait. */
static void an_average_is_null_when_nothing_was_counted(void **state)
{
	struct web_fixture *const fixture = *state;
	commit_wait(fixture, "PAGELATCH_EX", ago(10), 10000, 100, 519000);
	commit_wait(fixture, "WRITELOG", ago(0), 10000, 5, 50);
	json_t *const root = fixture_get(fixture, WAITS "?start=-20s&step=10s", 200);
	json_t *const series = fixture_named(fixture_at(root, "series"), "PAGELATCH_EX");
	assert_int_equal(fixture_int(series, "ms_per_sec.1"), 0);
	assert_true(json_is_null(fixture_at(series, "avg_wait_ms.1")));
	json_decref(root);
}

/* For several steps and edges: names and (other) add up to what top says, to the unit. */
static void sums_are_true_whatever_the_cut(void **state)
{
	struct web_fixture *const fixture = *state;
	commit_ten_minutes(fixture);
	static const char *const cuts[] = {
		"start=-10m&step=10s&top=5",  "start=-10m&step=7s&top=5",
		"start=-251s&step=13s&top=3", "start=-251s&end=-32s&step=1m&top=1",
		"start=-10m&step=1s&top=5",   "start=-10m&step=7s&top=1000",
	};
	for (size_t i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++) {
		char url[160];
		snprintf(url, sizeof(url), WAITS "?%s", cuts[i]);
		json_t *const root = fixture_get(fixture, url, 200);
		snprintf(url, sizeof(url), WAITS "/top?%s", cuts[i]);
		json_t *const top = fixture_get(fixture, url, 200);
		json_t *const covered = fixture_at(root, "covered");
		const json_int_t step_ms = fixture_int(root, "step_ms");
		json_int_t wait_ms = 0;
		json_int_t waits = 0;
		for (size_t at = 0; at < json_array_size(fixture_at(root, "series")); at++) {
			json_t *const series = json_array_get(fixture_at(root, "series"), at);
			const json_int_t total = fixture_int(series, "total.wait_ms");
			json_t *const row = fixture_named(fixture_at(top, "rows"),
							  fixture_text(series, "name"));
			assert_non_null(row);
			assert_int_equal(fixture_int(row, "total.wait_ms"), total);
			assert_int_equal(units_of(series, "ms_per_sec", covered, step_ms), total);
			assert_int_equal(units_of(series, "waits_per_sec", covered, step_ms),
					 fixture_int(series, "total.waits"));
			wait_ms += total;
			waits += fixture_int(series, "total.waits");
		}
		assert_int_equal(fixture_int(top, "total.wait_ms"), wait_ms);
		assert_int_equal(fixture_int(top, "total.waits"), waits);
		json_decref(root);
		json_decref(top);
	}
}

/* B125: the largest, and one row for all others. */
static void the_largest_come_first_and_the_rest_is_other(void **state)
{
	struct web_fixture *const fixture = *state;
	commit_ten_minutes(fixture);
	json_t *const root = fixture_get(fixture, WAITS "?start=-10m&top=5", 200);
	json_t *const series = fixture_at(root, "series");
	assert_int_equal(json_array_size(series), 6);
	for (size_t i = 1; i < 5; i++)
		assert_true(fixture_int(json_array_get(series, i - 1), "total.wait_ms") >=
			    fixture_int(json_array_get(series, i), "total.wait_ms"));
	json_t *const other = json_array_get(series, 5);
	assert_string_equal(fixture_text(other, "name"), "(other)");
	assert_true(json_is_null(fixture_at(other, "category")));
	for (size_t i = 0; i < json_array_size(fixture_at(root, "t")); i++) {
		json_t *const max = json_array_get(fixture_at(other, "max_ms_per_sec"), i);
		json_t *const mean = json_array_get(fixture_at(other, "ms_per_sec"), i);
		assert_int_equal(json_is_null(max), json_is_null(mean));
		assert_true(json_number_value(max) >= json_number_value(mean));
	}
	json_decref(root);
}

/* B128: each point carries its interval. */
static void raw_gives_each_interval_whole(void **state)
{
	struct web_fixture *const fixture = *state;
	commit_ten_minutes(fixture);
	json_t *const root = fixture_get(fixture, WAITS "?start=-62s&end=-25s&step=raw&top=2", 200);
	assert_true(json_is_null(fixture_at(root, "step_ms")));
	/* Polls end 57, 47, 37, 27 and 17 s ago; the first and the last stick out. */
	assert_int_equal(json_array_size(fixture_at(root, "t")), 5);
	assert_int_equal(fixture_int(root, "t.0"), ago(57));
	assert_int_equal(fixture_int(root, "t.4"), ago(17));
	assert_int_equal(fixture_int(root, "interval_ms.4"), 10000);
	assert_string_equal(fixture_text(root, "quality.0"), "exact");
	assert_true(json_is_true(fixture_at(root, "clipped.0")));
	assert_true(json_is_false(fixture_at(root, "clipped.1")));
	assert_true(json_is_true(fixture_at(root, "clipped.4")));
	json_t *const bucket =
		fixture_get(fixture, WAITS "?start=-57s&end=-47s&step=raw&top=2", 200);
	assert_int_equal(json_array_size(fixture_at(bucket, "t")), 1);
	json_t *const series = fixture_at(bucket, "series.0");
	assert_int_equal(
		(json_int_t)round(10 * json_number_value(fixture_at(series, "ms_per_sec.0"))),
		fixture_int(series, "total.wait_ms"));
	json_decref(root);
	json_decref(bucket);
}

static void rows_and_csv_say_what_columns_say(void **state)
{
	struct web_fixture *const fixture = *state;
	commit_ten_minutes(fixture);
	const size_t row_count = 18; /* 6 buckets of 2 names and (other) */
	struct response csv;
	json_t *const columns = fixture_get(fixture, WAITS "?start=-1m&step=10s&top=2", 200);
	json_t *const rows =
		fixture_get(fixture, WAITS "?start=-1m&step=10s&top=2&format=rows", 200);
	fixture_send(fixture, "GET", WAITS "?start=-1m&step=10s&top=2&format=csv", &csv);
	assert_string_equal(csv.content_type, "text/csv; charset=utf-8");
	assert_int_equal(json_array_size(fixture_at(rows, "rows")), row_count);
	const char *line = strbuf_text(&csv.body);
	assert_memory_equal(line, "t,name,category,benign,covered,ms_per_sec,", 42);
	for (size_t i = 0; i < row_count; i++) {
		char want[160];
		json_t *const row = json_array_get(fixture_at(rows, "rows"), i);
		json_t *const series = json_array_get(fixture_at(columns, "series"), i % 3);
		json_t *const value = json_array_get(fixture_at(series, "ms_per_sec"), i / 3);
		assert_true(json_equal(fixture_at(row, "ms_per_sec"), value));
		snprintf(want, sizeof(want), "%lld,%s,", (long long)fixture_int(row, "t"),
			 fixture_text(row, "name"));
		line = strchr(line, '\n') + 1;
		assert_memory_equal(line, want, strlen(want));
		if (json_is_null(value))
			continue;
		snprintf(want, sizeof(want), ",%.12g,", json_number_value(value));
		assert_non_null(strstr(line, want));
	}
	json_decref(columns);
	json_decref(rows);
	response_done(&csv);
}

/* B130: as in the list of the top waits. */
static void idle_waits_hide_unless_they_are_asked_for(void **state)
{
	struct web_fixture *const fixture = *state;
	const struct fixture_row rows[] = {{"LAZYWRITER_SLEEP", {1, 1000000, 0}},
					   {"PAGELATCH_EX", {10, 100, 0}},
					   {"WRITELOG", {10, 200, 0}}};
	fixture_commit_delta(fixture, fixture_delta(FAMILY_WAITS, ago(0), 10000, rows, 3));
	json_t *root = fixture_get(fixture, WAITS "?top=1", 200);
	assert_string_equal(fixture_text(root, "series.0.name"), "WRITELOG");
	assert_int_equal(fixture_int(root, "series.1.total.wait_ms"), 100);
	json_decref(root);
	root = fixture_get(fixture, WAITS "?benign=true", 200);
	assert_string_equal(fixture_text(root, "series.0.name"), "LAZYWRITER_SLEEP");
	assert_true(json_is_true(fixture_at(root, "series.0.benign")));
	json_decref(root);
	root = fixture_get(fixture, WAITS "?category=buffer latch", 200);
	assert_int_equal(json_array_size(fixture_at(root, "series")), 1);
	assert_string_equal(fixture_text(root, "series.0.name"), "PAGELATCH_EX");
	json_decref(root);
}

/* S16: zero where the read was complete, unknown where there was none. */
static void an_asked_name_that_was_not_counted_is_zero_where_covered(void **state)
{
	struct web_fixture *const fixture = *state;
	commit_wait(fixture, "WRITELOG", ago(0), 10000, 5, 50);
	json_t *const root = fixture_get(
		fixture, WAITS "?start=-20s&step=10s&name=PAGELATCH_EX&name=WRITELOG", 200);
	json_t *const series = fixture_named(fixture_at(root, "series"), "PAGELATCH_EX");
	assert_non_null(series);
	assert_true(json_is_null(fixture_at(series, "ms_per_sec.0")));
	assert_int_equal(fixture_int(series, "ms_per_sec.1"), 0);
	assert_int_equal(json_array_size(fixture_at(root, "series")), 2);
	assert_int_equal(json_array_size(fixture_at(root, "warnings")), 1);
	json_decref(root);
}

static void latches_and_spinlocks_have_their_own_members(void **state)
{
	struct web_fixture *const fixture = *state;
	const struct fixture_row latch = {"BUFFER", {10, 500}};
	const struct fixture_row lock = {"LOCK_HASH",
					 {[SPINLOCKS_COLLISIONS] = 4,
					  [SPINLOCKS_SPINS] = 1000,
					  [SPINLOCKS_SLEEP_MS] = 30,
					  [SPINLOCKS_BACKOFFS] = 20}};
	fixture_commit_delta(fixture, fixture_delta(FAMILY_LATCHES, ago(0), 10000, &latch, 1));
	fixture_commit_delta(fixture, fixture_delta(FAMILY_SPINLOCKS, ago(0), 10000, &lock, 1));
	json_t *root =
		fixture_get(fixture, "/api/v1/targets/prod-01/latches?start=-10s&step=10s", 200);
	json_t *series = fixture_at(root, "series.0");
	fixture_assert_members(series, "name ms_per_sec max_ms_per_sec waits_per_sec avg_wait_ms "
				       "total");
	fixture_assert_members(fixture_at(series, "total"), "wait_ms waits");
	json_decref(root);
	root = fixture_get(fixture, "/api/v1/targets/prod-01/spinlocks?start=-10s&step=10s", 200);
	series = fixture_at(root, "series.0");
	fixture_assert_members(series, "name spins_per_sec collisions_per_sec backoffs_per_sec "
				       "sleep_ms_per_sec spins_per_collision total");
	fixture_assert_members(fixture_at(series, "total"), "spins collisions backoffs sleep_ms");
	assert_int_equal(fixture_int(series, "spins_per_sec.0"), 100);
	assert_int_equal(fixture_int(series, "backoffs_per_sec.0"), 2);
	assert_int_equal(fixture_int(series, "sleep_ms_per_sec.0"), 3);
	assert_int_equal(fixture_int(series, "spins_per_collision.0"), 250);
	json_decref(root);
}

/* B121: neither exponent nor rounding. */
static void integers_are_exact_up_to_the_last_digit(void **state)
{
	struct web_fixture *const fixture = *state;
	commit_wait(fixture, "PAGELATCH_EX", ago(0), 10000, 1, INT64_C(6157696645368));
	json_t *const root = fixture_get(fixture, WAITS "?start=-10s&step=10s", 200);
	assert_int_equal(fixture_int(root, "series.0.total.wait_ms"), INT64_C(6157696645368));
	json_decref(root);
}

static void clears_and_flags_are_markers(void **state)
{
	struct web_fixture *const fixture = *state;
	struct batch *const batch = batch_new(fixture->target.id);
	const struct event clear = {.target_id = fixture->target.id,
				    .begin_utc_ms = ago(25),
				    .end_utc_ms = ago(20),
				    .kind = "clear",
				    .family = FAMILY_WAITS,
				    .text = "the waits were cleared",
				    .details = "{}"};
	struct event other = clear;
	other.family = FAMILY_LATCHES;
	struct event up = clear;
	strcpy(up.kind, "up");
	up.family = NO_FAMILY;
	batch_add_event(batch, &clear);
	batch_add_event(batch, &other);
	batch_add_event(batch, &up);
	fixture_commit(fixture, batch);
	for (int i = 0; i < 2; i++) {
		const struct fixture_row row = {"PAGELATCH_EX", {1, 60000, 0}};
		struct delta *const delta =
			fixture_delta(FAMILY_WAITS, ago(10 - i * 10), 10000, &row, 1);
		delta->flags = DELTA_LATE;
		delta->late_count = 1;
		delta->rows[0].flags = DELTA_LATE;
		fixture_commit_delta(fixture, delta);
	}
	json_t *const root = fixture_get(fixture, WAITS "?start=-1m&step=10s", 200);
	assert_int_equal(json_array_size(fixture_at(root, "markers")), 2);
	fixture_assert_members(fixture_at(root, "markers.0"), "t t_end kind text");
	assert_string_equal(fixture_text(root, "markers.0.kind"), "clear");
	assert_int_equal(fixture_int(root, "markers.0.t"), ago(25));
	assert_int_equal(fixture_int(root, "markers.0.t_end"), ago(20));
	assert_string_equal(fixture_text(root, "markers.1.kind"), "late");
	assert_int_equal(fixture_int(root, "markers.1.t"), ago(20));
	assert_int_equal(fixture_int(root, "markers.1.t_end"), ago(0));
	json_decref(root);
}

static void an_undated_clear_counts_and_has_no_rate(void **state)
{
	struct web_fixture *const fixture = *state;
	const struct fixture_row row = {"PAGELATCH_EX", {7, 70, 0}};
	struct delta *const delta = fixture_delta(FAMILY_WAITS, ago(5), 0, &row, 1);
	delta->quality = QUALITY_AFTER_CLEAR;
	delta->has_rate = false;
	delta->elapsed_ms = 10000;
	fixture_commit_delta(fixture, delta);
	json_t *root = fixture_get(fixture, WAITS "?start=-10s&step=10s", 200);
	assert_int_equal(fixture_int(root, "series.0.total.wait_ms"), 70);
	assert_true(json_is_null(fixture_at(root, "series.0.ms_per_sec.0")));
	json_decref(root);
	root = fixture_get(fixture, WAITS "?start=-10s&step=raw", 200);
	assert_string_equal(fixture_text(root, "quality.0"), "after_clear");
	assert_true(json_is_null(fixture_at(root, "series.0.ms_per_sec.0")));
	json_decref(root);
}

static void an_empty_range_says_so(void **state)
{
	json_t *const root = fixture_get(*state, WAITS "?start=-20s&step=10s", 200);
	assert_int_equal(json_array_size(fixture_at(root, "series")), 0);
	assert_int_equal(json_array_size(fixture_at(root, "t")), 2);
	assert_int_equal(json_array_size(fixture_at(root, "warnings")), 1);
	assert_true(json_is_null(fixture_at(root, "age_ms")));
	assert_true(json_is_true(fixture_at(root, "stale")));
	json_decref(root);
}

static void faults_are_problems(void **state)
{
	static const struct {
		const char *url;
		int status;
		const char *param;
	} cases[] = {
		{"/api/v1/targets/prod-02/waits", 404, "target"},
		{WAITS "?start=soon", 400, "start"},
		{WAITS "?start=-1h&end=-2h", 400, "start"},
		{WAITS "?start=-30d&step=1s", 422, "step"},
		{WAITS "?points=20000", 422, "points"},
		{WAITS "?points=3000&top=1000", 422, "top"},
		{WAITS "?top=none", 400, "top"},
		{WAITS "?format=xml", 400, "format"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		json_t *const root = fixture_get(*state, cases[i].url, cases[i].status);
		fixture_assert_members(root, "type title status detail errors");
		assert_int_equal(fixture_int(root, "status"), cases[i].status);
		assert_string_equal(fixture_text(root, "errors.0.param"), cases[i].param);
		json_decref(root);
	}
}

static void a_closed_range_has_a_tag_and_a_live_one_is_not_stored(void **state)
{
	struct web_fixture *const fixture = *state;
	commit_ten_minutes(fixture);
	struct response first;
	struct response again;
	struct response live;
	fixture_send(fixture, "GET", WAITS "?start=-5m&end=-1m", &first);
	fixture_send(fixture, "GET", WAITS "?start=-5m&end=-1m", &again);
	fixture_send(fixture, "GET", WAITS "?start=-5m", &live);
	assert_non_null(response_header(&first, "ETag"));
	assert_string_equal(response_header(&first, "ETag"), response_header(&again, "ETag"));
	assert_null(response_header(&live, "ETag"));
	assert_string_equal(response_header(&live, "Cache-Control"), "no-store");
	struct request known = {.method = "GET",
				.path = WAITS,
				.params = {{"start", "-5m"}, {"end", "-1m"}},
				.param_count = 2,
				.if_none_match = response_header(&first, "ETag"),
				.now = {clock_now().mono_ms, fixture_now_utc_ms}};
	struct response unchanged = {0};
	route_dispatch(&fixture->context, &known, &unchanged);
	assert_int_equal(unchanged.status, 304);
	assert_int_equal(unchanged.body.size, 0);
	response_done(&unchanged);
	response_done(&first);
	response_done(&again);
	response_done(&live);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)
	const struct CMUnitTest tests[] = {
		TEST(every_member_of_a_range_is_there),
		TEST(an_uncovered_bucket_is_null),
		TEST(an_average_is_null_when_nothing_was_counted),
		TEST(sums_are_true_whatever_the_cut),
		TEST(the_largest_come_first_and_the_rest_is_other),
		TEST(raw_gives_each_interval_whole),
		TEST(rows_and_csv_say_what_columns_say),
		TEST(idle_waits_hide_unless_they_are_asked_for),
		TEST(an_asked_name_that_was_not_counted_is_zero_where_covered),
		TEST(latches_and_spinlocks_have_their_own_members),
		TEST(integers_are_exact_up_to_the_last_digit),
		TEST(clears_and_flags_are_markers),
		TEST(an_undated_clear_counts_and_has_no_rate),
		TEST(an_empty_range_says_so),
		TEST(faults_are_problems),
		TEST(a_closed_range_has_a_tag_and_a_live_one_is_not_stored),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
