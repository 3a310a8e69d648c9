/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters: every form that is taken, every form that is refused, and with which status. */
#include "web/param.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tests/support.h"

static const int64_t now_utc_ms = INT64_C(1790000000123);

static void times_are_read(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int64_t utc_ms; /* -1 refused */
	} cases[] = {
		{"now", 1790000000123},
		{"-15m", 1790000000123 - 900000},
		{"now-15m", 1790000000123 - 900000},
		{"-7d", 1790000000123 - 604800000},
		{"-1h30m", 1790000000123 - 5400000},
		{"-250ms", 1790000000123 - 250},
		{"1790000000", 1790000000000},
		{"1790000000.123", 1790000000123},
		{"1790000000.5", 1790000000500},
		{"1790000000.123999", 1790000000123},
		{"0", 0},
		{"1970-01-01T00:00:00Z", 0},
		{"2026-09-21T14:13:20Z", 1790000000000},
		{"2026-09-21t14:13:20z", 1790000000000},
		{"2026-09-21 14:13:20Z", 1790000000000},
		{"2026-09-21T14:13:20.123Z", 1790000000123},
		{"2026-09-21T16:13:20+02:00", 1790000000000},
		{"2026-09-21T16:13:20 02:00", 1790000000000},
		{"2026-09-21T10:43:20-0330", 1790000000000},
		{"2024-02-29T00:00:00Z", 1709164800000},
		{"2023-02-29T00:00:00Z", -1},
		{"2026-13-01T00:00:00Z", -1},
		{"2026-00-01T00:00:00Z", -1},
		{"2026-09-21T24:00:00Z", -1},
		{"2026-09-21T14:13:20", -1},
		{"2026-09-21", -1},
		{"2026-9-21T14:13:20Z", -1},
		{"1790000000123", -1},
		{"1790000000.", -1},
		{"1e9", -1},
		{"", -1},
		{"-", -1},
		{"-15", -1},
		{"-15 m", -1},
		{"-9999y", -1},
		{"-99999999999999999999d", -1},
		{"yesterday", -1},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int64_t utc_ms = -1;
		const bool is_read = param_parse_time(cases[i].text, now_utc_ms, &utc_ms);
		if (utc_ms != cases[i].utc_ms || is_read != (cases[i].utc_ms >= 0))
			fail_msg("'%s': got %lld, want %lld", cases[i].text, (long long)utc_ms,
				 (long long)cases[i].utc_ms);
	}
}

static void durations_are_read(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int64_t ms; /* -1 refused */
	} cases[] = {
		{"10s", 10000},	   {"1m", 60000}, {"1h30m", 5400000}, {"250ms", 250},
		{"1w", 604800000}, {"0s", 0},	  {"10", -1},	      {"s", -1},
		{"10x", -1},	   {"", -1},	  {"1.5h", -1},	      {"99999999999999d", -1},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int64_t ms = -1;
		const bool is_read = param_parse_duration(cases[i].text, &ms);
		if (ms != cases[i].ms || is_read != (cases[i].ms >= 0))
			fail_msg("'%s': got %lld, want %lld", cases[i].text, (long long)ms,
				 (long long)cases[i].ms);
	}
}

/* A request of "a=b&c=d"; the text must live as long. */
static struct request request_of(char *query)
{
	struct request request = {.method = "GET", .now = {1000, now_utc_ms}};
	char *rest = NULL;
	for (char *pair = strtok_r(query, "&", &rest); pair; pair = strtok_r(NULL, "&", &rest)) {
		char *const equals = strchr(pair, '=');
		if (equals)
			*equals = '\0';
		request.params[request.param_count++] =
			(struct request_param){pair, equals ? equals + 1 : ""};
	}
	return request;
}

static void steps_are_read_or_refused_with_a_status(void **state)
{
	(void)state;
	static const struct {
		const char *query;
		int status; /* 0 fine */
		int64_t step_ms;
		const char *param;
	} cases[] = {
		{"", 0, 6000, ""},
		{"start=-30s", 0, 1000, ""},
		{"start=-7d", 0, 1020000, ""},
		{"start=-1h&points=59", 0, 120000, ""},
		{"start=-30d", 0, INT64_C(2) * 3600000, ""},
		{"start=-1h&step=10s", 0, 10000, ""},
		{"start=-1h&step=15", 0, 15000, ""},
		{"start=-1h&step=raw", 0, 0, ""},
		{"start=-1h&points=60", 0, 60000, ""},
		{"start=-10000s&points=11000", 0, 1000, ""},
		{"start=-7d&step=1s", 422, 0, "step"},
		{"points=11001", 422, 0, "points"},
		{"points=0", 400, 0, "points"},
		{"points=many", 400, 0, "points"},
		{"points=10&step=10s", 400, 0, "points"},
		{"step=0s", 400, 0, "step"},
		{"step=-1s", 400, 0, "step"},
		{"step=ten", 400, 0, "step"},
		{"step=10s&step=20s", 400, 0, "step"},
		{"start=now&end=-1h", 400, 0, "start"},
		{"start=now", 400, 0, "start"},
		{"start=soon", 400, 0, "start"},
		{"end=1790000000123", 400, 0, "end"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char query[128];
		(void)snprintf(query, sizeof(query), "%s", cases[i].query);
		const struct request request = request_of(query);
		struct param_range range;
		struct param_step step = {0};
		struct problem problem = {0};
		param_read_range(&request, &range, &problem);
		if (!problem.status)
			param_read_step(&request, &range, &step, &problem);
		if (problem.status != cases[i].status ||
		    strcmp(problem.errors[0].param, cases[i].param) != 0 ||
		    (!problem.status && step.step_ms != cases[i].step_ms))
			fail_msg("'%s': got %d '%s' %lld", cases[i].query, problem.status,
				 problem.errors[0].param, (long long)step.step_ms);
	}
}

static void the_smallest_legal_step_that_is_told_is_legal(void **state)
{
	(void)state;
	char query[] = "start=-7d&step=1s";
	const struct request request = request_of(query);
	struct param_range range;
	struct param_step step;
	struct problem problem = {0};
	param_read_range(&request, &range, &problem);
	param_read_step(&request, &range, &step, &problem);
	const char *const told = strrchr(problem.errors[0].hint, ' ') + 1;
	int64_t told_ms = 0;
	assert_true(param_parse_duration(told, &told_ms));
	assert_true(param_bucket_count(&range, told_ms) <= POINTS_MAX);
	assert_true(param_bucket_count(&range, told_ms - 1000) > POINTS_MAX);
}

static void milliseconds_are_recognised_and_shown_as_seconds(void **state)
{
	(void)state;
	char query[] = "start=1790000000123";
	const struct request request = request_of(query);
	struct param_range range;
	struct problem problem = {0};
	param_read_range(&request, &range, &problem);
	assert_int_equal(problem.status, 400);
	assert_non_null(strstr(problem.errors[0].hint, "1790000000.123"));
}

static void all_faults_are_told_at_once(void **state)
{
	(void)state;
	char query[] = "start=soon&top=0&benign=perhaps&format=xml&name=";
	const struct request request = request_of(query);
	struct param_range range;
	struct param_filter filter;
	enum param_format format;
	struct problem problem = {0};
	param_read_range(&request, &range, &problem);
	param_read_filter(&request, &filter, &problem);
	param_read_format(&request, &format, &problem);
	assert_int_equal(problem.error_count, 5);
	assert_int_equal(problem.status, 400);
}

static void names_repeat_and_are_as_many_as_asked(void **state)
{
	(void)state;
	char query[] = "name=WRITELOG&name=PAGELATCH_EX&benign=true&category=Network%20IO";
	const struct request request = request_of(query);
	struct param_filter filter;
	struct problem problem = {0};
	param_read_filter(&request, &filter, &problem);
	assert_int_equal(problem.status, 0);
	assert_int_equal(filter.name_count, 2);
	assert_int_equal(filter.top, 2);
	assert_string_equal(filter.names[1], "PAGELATCH_EX");
	assert_true(filter.with_benign);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_read),
		cmocka_unit_test(durations_are_read),
		cmocka_unit_test(steps_are_read_or_refused_with_a_status),
		cmocka_unit_test(the_smallest_legal_step_that_is_told_is_legal),
		cmocka_unit_test(milliseconds_are_recognised_and_shown_as_seconds),
		cmocka_unit_test(all_faults_are_told_at_once),
		cmocka_unit_test(names_repeat_and_are_as_many_as_asked),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
