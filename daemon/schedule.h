/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which collectors of a target are due, and when the next ones are. Every collector keeps its
 * phase: a late run does not shift the following ones, and what was missed is counted, not caught
 * up. Listing waiting tasks holds up the server's deadlock monitor, so that its interval stretches
 * by itself when it gets dear. Pure; the target's thread owns it.
 */
#pragma once

#include "collectors/collect.h"

struct schedule_row {
	int64_t configured_ms; /* 0: off */
	int64_t interval_ms;   /* at present; equal to configured_ms unless stretched */
	int64_t due_mono_ms;
	int64_t skipped_count; /* runs whose time passed while another one lasted */
};

struct schedule {
	struct schedule_row rows[COLLECTOR_COUNT];
};

/*
 * Fills a schedule in which all collectors are due at start_mono_ms, and in step from then on.
 *
 * Units:   intervals in milliseconds, 0 for off.
 * Threads: the owner.
 */
void schedule_init(struct schedule *schedule, const int64_t interval_ms[COLLECTOR_COUNT],
		   int64_t start_mono_ms);

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
