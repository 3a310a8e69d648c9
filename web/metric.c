/* SPDX-License-Identifier: Apache-2.0 */
/* The metrics of the three families, named as in the API. Any thread. */
#include "web/metric.h"

#include <math.h>

static const struct metric waits[] = {
	{"ms_per_sec", METRIC_RATE, WAITS_TIME_MS, 0},
	{"max_ms_per_sec", METRIC_MAX_RATE, WAITS_TIME_MS, 0},
	{"signal_ms_per_sec", METRIC_RATE, WAITS_SIGNAL_MS, 0},
	{"waits_per_sec", METRIC_RATE, WAITS_COUNT, 0},
	{"avg_wait_ms", METRIC_RATIO, WAITS_TIME_MS, WAITS_COUNT},
	{0},
};

static const struct metric latches[] = {
	{"ms_per_sec", METRIC_RATE, LATCHES_TIME_MS, 0},
	{"max_ms_per_sec", METRIC_MAX_RATE, LATCHES_TIME_MS, 0},
	{"waits_per_sec", METRIC_RATE, LATCHES_COUNT, 0},
	{"avg_wait_ms", METRIC_RATIO, LATCHES_TIME_MS, LATCHES_COUNT},
	{0},
};

static const struct metric spinlocks[] = {
	{"spins_per_sec", METRIC_RATE, SPINLOCKS_SPINS, 0},
	{"collisions_per_sec", METRIC_RATE, SPINLOCKS_COLLISIONS, 0},
	{"backoffs_per_sec", METRIC_RATE, SPINLOCKS_BACKOFFS, 0},
	{"sleep_ms_per_sec", METRIC_RATE, SPINLOCKS_SLEEP_MS, 0},
	{"spins_per_collision", METRIC_RATIO, SPINLOCKS_SPINS, SPINLOCKS_COLLISIONS},
	{0},
};

/* Spinlocks rank by spins: that is the CPU they burn; most of them never sleep. */
static const struct metric_table tables[FAMILY_COUNT] = {
	[FAMILY_WAITS] = {waits, {WAITS_TIME_MS, WAITS_SIGNAL_MS, WAITS_COUNT}, WAITS_TIME_MS},
	[FAMILY_LATCHES] = {latches, {LATCHES_TIME_MS, LATCHES_COUNT}, LATCHES_TIME_MS},
	[FAMILY_SPINLOCKS] = {spinlocks,
			      {SPINLOCKS_SPINS, SPINLOCKS_COLLISIONS, SPINLOCKS_BACKOFFS,
			       SPINLOCKS_SLEEP_MS},
			      SPINLOCKS_SPINS},
};

const struct metric_table *metric_table(enum family family)
{
	return &tables[family];
}

double metric_value(const struct metric *metric, const int64_t counters[FAMILY_COUNTERS_MAX],
		    double max_rate, int64_t covered_ms)
{
	if (covered_ms <= 0)
		return (double)NAN;
	const double counted = (double)counters[metric->counter];
	const double rate = counted * 1000 / (double)covered_ms;
	if (metric->kind == METRIC_RATE)
		return rate;
	/* Units are shared out whole, so that a small bucket may hold one more than its part. */
	if (metric->kind == METRIC_MAX_RATE)
		return isnan(max_rate) ? max_rate : fmax(max_rate, rate);
	const int64_t divisor = counters[metric->divisor];
	return divisor > 0 ? counted / (double)divisor : (double)NAN;
}
