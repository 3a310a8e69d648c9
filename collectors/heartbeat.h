/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Heartbeats: background waits that grow at a steady rate for as long as their counters live. They
 * tell whether the waits view was cleared within an interval, and when. Pure functions; any thread.
 */
#pragma once

#include "collectors/delta.h"

enum heartbeat_say {
	HEARTBEAT_SILENT,    /* none is there, or they are too young, or they disagree */
	HEARTBEAT_DOUBTFUL,  /* a single one fell or stood still: names must bear it out */
	HEARTBEAT_CLEARED,   /* most of them fell, or advanced much less than the ticks */
	HEARTBEAT_CONTINUED, /* most of them read more than a clear would have left them */
};

/*
 * Asks all heartbeats whether the view was cleared between before and after; the majority of those
 * that can tell decides.
 *
 * Units: interval_ms is the time between the samples.
 * Pure.
 */
enum heartbeat_say heartbeat_judge(const struct baseline *before, const struct sample *after,
				   int64_t interval_ms);

/*
 * What the heartbeats that beat a second a second on every machine read: how long each has been
 * counting. Returns how many there are.
 *
 * Units: ages_ms in milliseconds.
 * Pure.
 */
int heartbeat_steady_ages(const struct sample *waits, int64_t ages_ms[HEARTBEAT_COUNT]);

/*
 * Milliseconds from the clear to after, between 0 and interval_ms; -1 when no heartbeat can tell.
 * Good to about one second where a heartbeat of short cycle is known, else to five.
 *
 * Pure.
 */
int64_t heartbeat_since_clear_ms(const struct baseline *before, const struct sample *after,
				 int64_t interval_ms);

/* Takes over what was learned on this server. Threads: the owner of next. */
void heartbeat_keep(struct baseline *next, const struct baseline *before);

/*
 * Learns the rates of next from an interval in which the counters went on; only from an exact one,
 * and where no clear can have gone unseen.
 *
 * Threads: the owner of next.
 */
void heartbeat_learn(struct baseline *next, const struct baseline *before,
		     const struct sample *after, int64_t interval_ms, bool is_exact);
