/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each family shows: its rates and averages and the counters they come from. One table that
 * range, rows, CSV and top are made of. Pure; any thread.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "collectors/family.h"

enum metric_kind {
	METRIC_RATE,	 /* of counter, per second that is covered */
	METRIC_MAX_RATE, /* the largest rate of the time counter of any interval */
	METRIC_RATIO,	 /* counter over divisor */
};

struct metric {
	const char *name; /* "ms_per_sec"; NULL ends the table */
	enum metric_kind kind;
	int counter;
	int divisor;
};

struct metric_table {
	const struct metric *metrics;
	int total_order[FAMILY_COUNTERS_MAX]; /* counters as `total` lists them */
	int rank_counter;		      /* what top sorts and shares by */
};

/* The table of a family. Pure. */
const struct metric_table *metric_table(enum family family);

/*
 * Value of a metric over counters of covered_ms; NaN when nothing was covered or counted. Pure.
 */
double metric_value(const struct metric *metric, const int64_t counters[FAMILY_COUNTERS_MAX],
		    double max_rate, int64_t covered_ms);
