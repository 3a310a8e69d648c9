/* SPDX-License-Identifier: Apache-2.0 */
/* Which resolution answers what: exact where it can be, something where anything is left. */
#include "storage/resolution.h"

#include <stdio.h>
#include <string.h>

#include "daemon/base/strbuf.h"
#include "tests/support.h"

#define MINUTE INT64_C(60000)
#define HOUR   (60 * MINUTE)
#define DAY    (24 * HOUR)
#define NONE   INT64_MAX

struct plan_case {
	const char *claim;
	int64_t begins[RESOLUTION_COUNT];
	int64_t minute_mark;
	int64_t hour_mark;
	int64_t start;
	int64_t end;
	int64_t step;
	const char *plan; /* resolution and its end in minutes */
};

static const struct plan_case cases[] = {
	{"nothing stored is asked of raw",
	 {NONE, NONE, NONE},
	 INT64_MIN,
	 INT64_MIN,
	 0,
	 HOUR,
	 MINUTE,
	 "raw 60;"},
	{"buckets finer than a minute come from raw",
	 {0, 0, 0},
	 DAY,
	 DAY,
	 0,
	 HOUR,
	 10000,
	 "raw 60;"},
	{"a step that is no multiple comes from raw",
	 {0, 0, 0},
	 DAY,
	 DAY,
	 0,
	 HOUR,
	 90000,
	 "raw 60;"},
	{"whole minutes come from minutes", {0, 0, 0}, DAY, DAY, 0, HOUR, 2 * MINUTE, "1m 60;"},
	{"edges come from raw",
	 {0, 0, 0},
	 DAY,
	 DAY,
	 30000,
	 HOUR + 30000,
	 2 * MINUTE,
	 "raw 1;1m 60;raw 60.5;"},
	{"whole hours come from hours, edges from minutes",
	 {0, 0, 0},
	 DAY,
	 DAY,
	 30 * MINUTE,
	 5 * HOUR + 30 * MINUTE,
	 HOUR,
	 "1m 60;1h 300;1m 330;"},
	{"totals take the coarsest anywhere",
	 {0, 0, 0},
	 DAY,
	 DAY,
	 30000,
	 3 * HOUR,
	 0,
	 "raw 1;1m 60;1h 180;"},
	{"what is not rolled up yet comes from raw",
	 {0, 0, 0},
	 50 * MINUTE,
	 0,
	 0,
	 HOUR,
	 MINUTE,
	 "1m 50;raw 60;"},
	{"what is not rolled up to hours comes from minutes",
	 {0, 0, 0},
	 110 * MINUTE,
	 HOUR,
	 0,
	 2 * HOUR,
	 HOUR,
	 "1h 60;1m 110;raw 120;"},
	{"where raw is gone minutes answer any step",
	 {90 * MINUTE, 0, 0},
	 DAY,
	 DAY,
	 HOUR,
	 2 * HOUR,
	 10000,
	 "1m 90;raw 120;"},
	{"a minute that lost its first frames answers whole",
	 {90 * MINUTE + 5000, 0, 0},
	 DAY,
	 DAY,
	 HOUR,
	 2 * HOUR,
	 10000,
	 "1m 91;raw 120;"},
	{"where minutes are gone hours answer",
	 {26 * HOUR, 25 * HOUR, 0},
	 2 * DAY,
	 2 * DAY,
	 24 * HOUR,
	 27 * HOUR,
	 10000,
	 "1h 1500;1m 1560;raw 1620;"},
	{"a history nobody cut begins within raw",
	 {95000, 60000, 0},
	 DAY,
	 DAY,
	 0,
	 HOUR,
	 10000,
	 "raw 60;"},
};

static void check(const struct plan_case *row)
{
	struct resolution_extent extents[RESOLUTION_COUNT] = {
		{row->begins[0], INT64_MAX},
		{row->begins[1], row->minute_mark},
		{row->begins[2], row->hour_mark},
	};
	struct resolution_plan plan;
	CLEANUP(strbuf_done) struct strbuf text = STRBUF_INIT;
	resolution_plan(extents, row->start, row->end, row->step, &plan);
	int64_t from = row->start;
	for (int i = 0; i < plan.count; i++) {
		const struct resolution_piece *piece = &plan.pieces[i];
		assert_true(piece->from_utc_ms == from && piece->to_utc_ms > from);
		from = piece->to_utc_ms;
		strbuf_addf(&text, "%s %g;", resolution_name(piece->resolution),
			    (double)piece->to_utc_ms / (double)MINUTE);
	}
	assert_true(from == row->end);
	if (strcmp(strbuf_text(&text), row->plan) != 0)
		fail_msg("%s: '%s' instead of '%s'", row->claim, strbuf_text(&text), row->plan);
}

static void every_case_has_its_plan(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check(&cases[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_case_has_its_plan),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
