/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The three families of cumulative statistics and the shape of each: one table that sampling,
 * deltas, frames, JSON and metrics are made from. Any thread; nothing changes.
 */
#pragma once

#include <stdbool.h>

#include "daemon/base/cleanup.h"

enum family {
	FAMILY_WAITS,	  /* sys.dm_os_wait_stats */
	FAMILY_LATCHES,	  /* sys.dm_os_latch_stats */
	FAMILY_SPINLOCKS, /* sys.dm_os_spinlock_stats */
};

enum { FAMILY_COUNT = 3, FAMILY_COUNTERS_MAX = 4 };

/* Places of the counters in a row. WAITS and LATCHES share the first two. */
enum { WAITS_COUNT, WAITS_TIME_MS, WAITS_SIGNAL_MS };
enum { LATCHES_COUNT, LATCHES_TIME_MS };
enum { SPINLOCKS_COLLISIONS, SPINLOCKS_SPINS, SPINLOCKS_SLEEP_MS, SPINLOCKS_BACKOFFS };

struct family_shape {
	const char *name; /* "waits": in the API, the configuration and the store */
	const char *view; /* "sys.dm_os_wait_stats" */
	int counter_count;
	const char *counters[FAMILY_COUNTERS_MAX]; /* names as in the API's `total` */
	int time_counter; /* the counter in ms of wait; for spinlocks the ms of sleep */
	bool has_max;	  /* the view has max_wait_time_ms */
};

/* The shape of a family. Pure. */
const struct family_shape *family_shape(enum family family);

/* Finds a family by its name; false when there is none of that name. Pure. */
MUST_CHECK bool family_from_name(const char *name, enum family *family);
