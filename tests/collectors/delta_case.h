/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the cases of tests/data/delta; what their files mean is told in the README.md there. For
 * tests; a malformed case fails the test that reads it.
 */
#pragma once

#include "collectors/delta.h"

enum { CASE_SETTINGS_MAX = 24, CASE_ROWS_MAX = 64, CASE_CELLS_MAX = 8 };

/* One file: its settings and its rows of cells, all pointing into text. */
struct case_file {
	char *text;
	const char *keys[CASE_SETTINGS_MAX];
	const char *values[CASE_SETTINGS_MAX];
	int setting_count;
	const char *cells[CASE_ROWS_MAX][CASE_CELLS_MAX];
	int row_count;
};

/* One case, read and made into what delta_between takes. */
struct delta_case {
	enum family family;
	struct baseline *before; /* NULL when absent */
	struct sample *after;
	struct delta waits;
	struct delta_options options;
	struct case_file expected;
	struct case_file next;
	bool has_next;
};

/* Reads a folder. Owns: the caller ends it with delta_case_done. Threads: any. */
void delta_case_read(struct delta_case *delta_case, const char *folder);

/* Frees what a case holds. Owns: its contents. Threads: any. */
void delta_case_done(struct delta_case *delta_case);

/* A setting, or fallback when it is not there. Pure. */
const char *case_text(const struct case_file *file, const char *key, const char *fallback);
int64_t case_number(const struct case_file *file, const char *key, int64_t fallback);

/* A cell as a number; NULL stands for -1. Pure. */
int64_t cell_number(const char *cell);
