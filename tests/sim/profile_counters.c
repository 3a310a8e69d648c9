/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the rows of the counter views as many, and as old, as a version has. Instance locked. */
#include "tests/sim/instance_state.h"

#include "tests/sim/text.h"

#include <stdio.h>
#include <string.h>

/* What a load may set going stays, whether it moves now or not. */
static bool is_common(const char *name)
{
	static const char *const prefixes[] = {
		"PAGELATCH", "PAGEIOLATCH", "LATCH_", "WRITELOG", "LCK_", "SOS_",
		"BTREE_",    "CX",	    "MEMORY", "RESERVED", "LOG",  "LOCK",
	};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

static bool is_quiet(const struct counter *counter)
{
	return !is_common(counter->name) && counter->flow.period_us == 0 &&
	       counter->base[COUNTER_EVENTS] == 0;
}

static void remove_later_waits(const struct profile *profile, struct counters *waits)
{
	for (size_t i = waits->count; i-- > 0;) {
		char name[NAME_SIZE];
		snprintf(name, sizeof(name), "%s", waits->items[i].name);
		if (!profile_has_wait(profile, name))
			counters_remove(waits, name);
		if (i > waits->count)
			i = waits->count;
	}
}

/* From the end, and every other one: so the names left are from all over the alphabet. */
static void remove_quiet(struct counters *counters, size_t count)
{
	for (size_t i = counters->count; i-- > 0 && counters->count > count;) {
		char name[NAME_SIZE];
		snprintf(name, sizeof(name), "%s", counters->items[i].name);
		if (is_quiet(&counters->items[i]))
			counters_remove(counters, name);
		i -= i > 0;
	}
}

/* Later versions have names that are in no document; latchd must live with them. */
static void add_unknown(const struct profile *profile, struct counters *counters, size_t count,
			int64_t now_us)
{
	for (int i = 1; counters->count < count; i++) {
		char name[NAME_SIZE];
		snprintf(name, sizeof(name), "UNDOCUMENTED_%s_%04d", profile->name, i);
		counters_add(counters, name, now_us);
	}
}

void profile_fit_counters(const struct profile *profile, struct counters *counters, int64_t now_us)
{
	size_t count = counters->view == COUNTER_WAITS	     ? profile->wait_count
		       : counters->view == COUNTER_SPINLOCKS ? profile->spinlock_count
							     : counters->count;

	if (counters->view == COUNTER_WAITS)
		remove_later_waits(profile, counters);
	for (int pass = 0; pass < 12 && counters->count > count; pass++)
		remove_quiet(counters, count);
	add_unknown(profile, counters, count, now_us);
}
