/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The least that any client in C can do: libsybdb hands out the rows of the three views, each cell
 * is copied, and one prepared statement puts one blob into SQLite. What latchd costs is measured
 * against it. Runs in a benchmark, in one thread; knows nothing of the product.
 */
#pragma once

#include <stddef.h>

struct bare;

/* One row as it was read. */
struct bare_row {
	char name[128];
	long long counters[4];
};

/*
 * Logs in to a section of the FreeTDS configuration and makes the SQLite file. The program ends
 * when either fails.
 *
 * Owns:    the caller closes.
 * Threads: the benchmark's.
 */
struct bare *bare_open(const char *section, const char *store_path);

/* Closes both; NULL is fine. Owns: bare. Threads: the benchmark's. */
void bare_close(struct bare *bare);

/* Runs a batch, copies all its rows and stores one blob; how many rows came. Threads: the
 * benchmark's. */
size_t bare_poll(struct bare *bare, const char *sql);

/* The rows of the last poll. Owns: they live until the next. Threads: the benchmark's. */
const struct bare_row *bare_rows(const struct bare *bare);
