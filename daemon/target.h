/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The target thread: one per server. Keeps the session, asks for what is due, turns samples into
 * deltas against its baselines and hands them on as batches. What it knows of the server it copies
 * into storage/live. Nobody waits for it, and it waits for its server alone.
 */
#pragma once

#include "collectors/delta.h"
#include "daemon/config.h"
#include "daemon/deadline.h"
#include "daemon/login.h"
#include "daemon/schedule.h"
#include "storage/live.h"
#include "storage/writer.h"

struct target;

struct target_options {
	const struct config_target *config; /* copied */
	size_t index;			    /* in live */
	int64_t id;			    /* in the store */
	int32_t min_waiters;		    /* a page with so many is worth a look-up */
	struct live *live;		    /* borrowed, as all below */
	struct writer *writer;
	struct login_route route; /* copied */
	struct deadline_slot *slot;
	struct deadline_slot *lookup_slot;
	struct baseline *baselines[FAMILY_COUNT]; /* taken over; what the store kept, or NULL */
	int64_t stored_end_utc_ms[FAMILY_COUNT];  /* of the last delta in the store; 0 none */
	struct instant start;
};

/*
 * Makes a target that has not begun yet, and shows it in live as connecting.
 *
 * Owns:    the caller stops it; takes the baselines.
 * Threads: main.
 */
struct target *target_new(const struct target_options *options);

/*
 * Does one turn: connects when it is time, collects what is due, hands it on. Returns when the next
 * turn is due.
 *
 * Units:   both clocks of now; the result is in monotonic ms.
 * Threads: the target's; blocks.
 */
int64_t target_step(struct target *target, struct instant now);

/* Gives it the writer, which starts after the targets were made. Threads: main, before
 * target_start. */
void target_set_writer(struct target *target, struct writer *writer);

/* Starts its thread. Errors: ERROR_IO. Threads: main. */
MUST_CHECK bool target_start(struct target *target, struct error *err);

/* Asks it to end; returns at once. NULL is fine. Threads: main. */
void target_request_stop(struct target *target);

/*
 * Waits until its threads have ended, and frees it. False when they hang beyond the deadline: then
 * it is left as it is, for ever, and touches nothing shared any more.
 *
 * Units:   monotonic ms.
 * Owns:    target, on success.
 * Threads: main; blocks.
 */
bool target_stop_until(struct target *target, int64_t deadline_mono_ms);
