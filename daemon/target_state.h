/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a target thread owns, shared by the files of its body: target.c (turns and connection),
 * target_ask.c (what is asked at once), target_poll.c (what an answer brings), target_event.c (what
 * is told of it). Nobody else includes this.
 */
#pragma once

#include "collectors/collect.h"
#include "collectors/right.h"
#include "daemon/back_off.h"
#include "daemon/base/log.h"
#include "daemon/base/stop.h"
#include "daemon/label_clock.h"
#include "daemon/lookup.h"
#include "daemon/target.h"
#include "daemon/thread.h"
#include "storage/batch.h"

/* What need not be told again. */
struct target_told {
	struct epoch epoch; /* of the last restart or failover, else of the last poll */
	int64_t gap_utc_ms; /* end of the last gap */
};

struct target {
	struct target_options options;
	struct config_target config;
	struct stop *stop;
	struct thread *thread;
	struct lookup *lookup;
	struct session *session; /* NULL while there is no connection */
	struct schedule schedule;
	unsigned alone; /* views to be asked by themselves: they were due when an answer hung */
	unsigned hung;	/* of those: did so again */
	struct label_clock label_clock;
	int64_t clock_step_ms;			 /* by which the UTC clock was set; not told yet */
	int64_t stored_end_utc_ms[FAMILY_COUNT]; /* the latest label in the store */
	bool is_redating[FAMILY_COUNT];		 /* the clock was set back to before it */
	struct baseline *baselines[FAMILY_COUNT];
	struct live_target live; /* copied out after each turn */
	struct complaint complaint;
	struct complaint push_complaint;
	int64_t retry_mono_ms; /* not to be tried before */
	struct back_off back_off;
	int64_t rest_ms;	   /* pause that has not begun yet; 0 none */
	struct instant down_since; /* utc_ms 0: it is not */
	bool is_down_told;	   /* the event reached the writer */
	struct target_told told;
	struct live_cost cost_closed; /* of connections that are no more */
	struct live_cost cost_middle; /* the next to become live.cost_from */
	int64_t session_cpu_ms;	      /* of this connection; -1 not read yet */
	int64_t cost_due_mono_ms;     /* when it is to be read again */
};

/*
 * Asks for what is due and takes in the answer. False when the connection is of no use any more.
 *
 * Errors:  those of session_collect.
 * Threads: the target's; blocks.
 */
MUST_CHECK bool target_poll(struct target *target, struct instant now, struct error *err);

/*
 * Takes in the answer of one round trip: samples become deltas, and one batch goes to the writer.
 *
 * Owns:    what it keeps of collected is taken out of it.
 * Threads: the target's.
 */
void target_take_in(struct target *target, struct collected *collected, unsigned due,
		    struct instant now);

/* Takes in that a round trip failed; a missing right gets its cure. Threads: the target's. */
void target_note_failure(struct target *target, unsigned due, struct error *err,
			 struct instant now);

/*
 * Adds to batch the events that one round trip's deltas show: restart, failover, gap, clear,
 * anomaly. The target's baselines are still those they were taken against.
 *
 * Threads: the target's.
 */
void target_add_events(const struct target *target, struct batch *batch);

/*
 * Where the server's ticks stood still while our own clock went on (a suspended machine), the time
 * since the earlier sample is longer than what is covered: puts that into the delta.
 *
 * Threads: the target's.
 */
void target_note_standstill(struct delta *delta, const struct baseline *before,
			    const struct sample *after);

/* True when target_note_standstill found one. Pure. */
bool target_stood_still(const struct delta *delta);

/* Adds the event that the UTC clock of this machine was set by step_ms until now. Threads: the
 * target's. */
void target_add_clock_event(const struct target *target, struct batch *batch, int64_t step_ms,
			    int64_t now_utc_ms);

/* What has been told once the writer has batch. Pure. */
struct target_told target_told_by(const struct target *target, const struct batch *batch);

/* Whether this session's CPU time is to be read with the next round trip: COLLECT_COST or 0.
 * Threads: the target's. */
unsigned target_cost_due(struct target *target, int64_t now_mono_ms);

/* Sums up what the target has cost until now, for live. Threads: the target's. */
void target_cost_sum(struct target *target, int64_t now_mono_ms);

/* Keeps what a connection has cost before it is closed; NULL sessions are fine. Threads: the
 * target's. */
void target_cost_keep(struct target *target);

/* Hands on that it went down or came back; what cannot be handed on is tried again. Threads: the
 * target's. */
void target_tell_down(struct target *target, struct instant now, const struct error *reason);
void target_tell_up(struct target *target, struct instant now);
