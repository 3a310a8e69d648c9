/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the cases of tests/data/hot_page; see the README there. Knows the format and no rule. */
#pragma once

#include "analysis/hot_page.h"

enum { CASE_LINES_MAX = 32, CASE_CELLS_MAX = 14, CASE_SECONDS_MAX = 1024 };

struct case_table {
	char *text;
	char *cells[CASE_LINES_MAX][CASE_CELLS_MAX];
	size_t row_count;
};

struct hot_page_case {
	struct case_table samples;
	struct case_table owners;
	struct case_table expected;
};

/* Reads a case; fails the test when it cannot be read. Owns: hot_page_case_done frees. */
struct hot_page_case hot_page_case_read(const char *folder);
void hot_page_case_done(struct hot_page_case *read);

/* The sample of a second; NULL when the case has none. Owns: the caller frees. */
struct task_sample *hot_page_case_sample(const struct hot_page_case *read, int second);

/* True when the second is in a row of that wait type: (gap) or (restart). */
bool hot_page_case_has(const struct hot_page_case *read, int second, const char *wait_type);

/* Row number row as what a look-up brings; true when it came in that second. */
bool hot_page_case_owner(const struct hot_page_case *read, size_t row, int second,
			 struct page_owner *owner);

/* Seconds as the case counts them, on the clock of the samples. */
int64_t hot_page_case_utc_ms(int second);
