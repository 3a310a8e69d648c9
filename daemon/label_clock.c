/* SPDX-License-Identifier: Apache-2.0 */
/* Labels that keep step with the intervals. Pure; the target's thread owns the clock. */
#include "daemon/label_clock.h"

enum { STEP_MIN_MS = 1000 };

int64_t label_clock_follow(struct label_clock *clock, struct instant now)
{
	const int64_t offset_ms = now.utc_ms - now.mono_ms;
	const int64_t step_ms = clock->is_set ? offset_ms - clock->offset_ms : 0;
	const bool is_step = step_ms >= STEP_MIN_MS || step_ms <= -STEP_MIN_MS;

	if (clock->is_set && !is_step)
		return 0;
	*clock = (struct label_clock){.is_set = true, .offset_ms = offset_ms};
	return step_ms;
}

void label_clock_date(const struct label_clock *clock, struct instant *instant)
{
	instant->utc_ms = instant->mono_ms + clock->offset_ms;
}
