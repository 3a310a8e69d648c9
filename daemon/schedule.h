/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which collectors of a target are due, and when the next ones are. Every collector keeps its
 * phase: a late run does not shift the following ones, and what was missed is counted, not caught
 * up. Listing waiting tasks holds up the server's deadlock monitor, so that its interval stretches
 * by itself when it gets dear. Pure; the target's thread owns it.
 *
 * The phase comes from the target's name and lies on the grid of UTC, so that it survives a restart
 * of latchd, and thousands of targets are spread over their interval. All collectors of a target
 * share it: those whose intervals divide each other meet in one round trip.
 */
#pragma once

#include "collectors/collect.h"
#include "daemon/base/clock.h"

struct schedule_row {
	int64_t configured_ms; /* 0: off */
	int64_t interval_ms;   /* at present; equal to configured_ms unless stretched */
	int64_t due_mono_ms;
	int64_t grid_mono_ms;  /* an instant of its phase; all others are whole intervals away */
	int64_t skipped_count; /* instants of its phase that passed without a run */
};

struct schedule {
	struct schedule_row rows[COLLECTOR_COUNT];
};

/* The phase of a target of this name. Units: milliseconds. Pure. */
int64_t schedule_phase(const char *target_name);

/* How long it is until UTC is at phase_ms of an interval: 0 to interval_ms - 1. Units:
 * milliseconds. Pure. */
int64_t schedule_wait(int64_t phase_ms, int64_t interval_ms, int64_t now_utc_ms);

/*
 * Fills a schedule on which each collector is due when UTC is at phase_ms of its interval: first
 * at the first such instant from now on. Nobody waits for it longer than a minute, and those in
 * fresh (a bit each), which have nothing to subtract from yet, no longer than a second: then they
 * run once beside their phase.
 *
 * Units:   milliseconds; intervals 0 for off.
 * Threads: the owner.
 */
void schedule_init(struct schedule *schedule, const int64_t interval_ms[COLLECTOR_COUNT],
		   int64_t phase_ms, unsigned fresh, struct instant now);

/* The collectors due at now, a bit (1u << enum collector) each. Pure. */
unsigned schedule_due(const struct schedule *schedule, int64_t now_mono_ms);

/* When the next collector is due; INT64_MAX when all are off. Units: monotonic ms. Pure. */
int64_t schedule_next(const struct schedule *schedule);

/*
 * Takes note that the collectors in ran were run: each is due next at the first instant of its
 * phase after now; instants passed over are counted as skipped.
 *
 * Threads: the owner.
 */
void schedule_ran(struct schedule *schedule, unsigned ran, int64_t now_mono_ms);

/*
 * Takes note of what the round trip cost, and stretches or relaxes the interval of waiting tasks
 * between the configured one and 5 s (dear: over a tenth of the interval, when they were asked for
 * alone).
 *
 * Units:   milliseconds.
 * Threads: the owner.
 */
void schedule_weigh(struct schedule *schedule, unsigned ran, int64_t duration_ms);
