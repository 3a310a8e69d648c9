/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A single background wait may have begun late or have stopped (that of the default trace does when
 * the trace is switched off), so the one in the middle speaks, and only when another bears it out.
 * Pure functions; any thread.
 */
#include "collectors/view_age.h"

#include <stdlib.h>

#include "collectors/heartbeat.h"

enum {
	CYCLE_MS = 5000, /* what is unfinished does not count yet */
	SLACK_PERCENT = 1,
};

static int compare(const void *left, const void *right)
{
	const int64_t a = *(const int64_t *)left;
	const int64_t b = *(const int64_t *)right;
	return (a > b) - (a < b);
}

static bool is_near(int64_t a_ms, int64_t b_ms)
{
	const int64_t more = a_ms > b_ms ? a_ms : b_ms;
	return llabs(a_ms - b_ms) <= CYCLE_MS + more / 100 * SLACK_PERCENT;
}

int64_t view_age_ms(const struct sample *waits)
{
	int64_t ages[HEARTBEAT_COUNT];
	const int count = heartbeat_steady_ages(waits, ages);
	if (count < 2 || waits->epoch.ms_ticks < 0 || waits->epoch.start_ticks < 0)
		return -1;
	qsort(ages, (size_t)count, sizeof(ages[0]), compare);
	const int64_t middle = ages[count / 2];
	if (!is_near(middle, ages[count / 2 - 1]) && !(count > 2 && is_near(middle, ages[2])))
		return -1;
	const int64_t uptime_ms = waits->epoch.ms_ticks - waits->epoch.start_ticks;
	return middle > uptime_ms || is_near(middle, uptime_ms) ? uptime_ms : middle;
}
