/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dates what was polled. Labels are UTC, yet must keep step with the clock that intervals come
 * from: a UTC clock that is set while latchd runs would else make an interval cover again what the
 * last one covered. So the distance of both clocks is held until the UTC clock was set by a second
 * or more; then the labels follow it at once, and the caller is told. Pure; each target has one.
 */
#pragma once

#include <stdbool.h>

#include "daemon/base/clock.h"

struct label_clock {
	bool is_set;
	int64_t offset_ms; /* UTC less monotonic */
};

/*
 * Takes note of both clocks as they stand now. Returns by how much the UTC clock was set since; 0
 * when it was not, or by under a second.
 *
 * Units:   milliseconds.
 * Threads: the owner.
 */
int64_t label_clock_follow(struct label_clock *clock, struct instant now);

/* Dates an instant by its monotonic time. Pure. */
void label_clock_date(const struct label_clock *clock, struct instant *instant);
