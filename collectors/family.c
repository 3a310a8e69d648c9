/* SPDX-License-Identifier: Apache-2.0 */
/* The shapes of the three families, after sqlserver-facts: dm_os_wait_stats, latch and spinlock
 * stats. */
#include "collectors/family.h"

#include <string.h>

static const struct family_shape shapes[FAMILY_COUNT] = {
	[FAMILY_WAITS] =
		{
			.name = "waits",
			.view = "sys.dm_os_wait_stats",
			.counter_count = 3,
			.counters = {"waits", "wait_ms", "signal_ms"},
			.time_counter = WAITS_TIME_MS,
			.has_max = true,
		},
	[FAMILY_LATCHES] =
		{
			.name = "latches",
			.view = "sys.dm_os_latch_stats",
			.counter_count = 2,
			.counters = {"waits", "wait_ms"},
			.time_counter = LATCHES_TIME_MS,
			.has_max = true,
		},
	[FAMILY_SPINLOCKS] =
		{
			.name = "spinlocks",
			.view = "sys.dm_os_spinlock_stats",
			.counter_count = 4,
			.counters = {"collisions", "spins", "sleep_ms", "backoffs"},
			.time_counter = SPINLOCKS_SLEEP_MS,
			.has_max = false,
		},
};

const struct family_shape *family_shape(enum family family)
{
	return &shapes[family];
}

bool family_from_name(const char *name, enum family *family)
{
	for (int i = 0; i < FAMILY_COUNT; i++) {
		if (strcmp(shapes[i].name, name) != 0)
			continue;
		*family = (enum family)i;
		return true;
	}
	return false;
}
