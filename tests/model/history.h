/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A history: a server as it is when latchd first comes, and the steps of what happens to it, to the
 * machine that watches it and to the reads. Everything follows from a seed and a number, and a step
 * keeps its own dice when others are dropped, so that a history that fails can be shrunk.
 */
#pragma once

#include "tests/model/truth.h"

enum step_kind {
	STEP_ADVANCE,	      /* ms pass */
	STEP_POLL,	      /* of the views in mask */
	STEP_LOST_POLL,	      /* the same, but the writer's queue is full: nothing is stored */
	STEP_CLEAR,	      /* of one view */
	STEP_CLEAR_ALL,	      /* of all three at once */
	STEP_REGROW,	      /* the names of a view do again what they did before the clear */
	STEP_RESTART,	      /* of the instance, down for ms */
	STEP_MACHINE_RESTART, /* with its machine */
	STEP_CLUSTER_FAILOVER,
	STEP_GROUP_FAILOVER, /* the listener leads to the other instance */
	STEP_CLOCK,	     /* our UTC clock steps by amount ms */
	STEP_LATCHD_RESTART, /* the baselines travel through the store */
	STEP_MONITOR_REBOOT, /* so do they, and the monotonic clock begins anew */
	STEP_FALL,	     /* a counter falls alone by amount per cent */
	STEP_TOGGLE,	     /* a name vanishes or appears */
	STEP_LONG_WAIT,	     /* begins or ends */
	STEP_NULL,	     /* from here on faults of the next read: a NULL cell */
	STEP_NEGATIVE,
	STEP_DUPLICATE, /* the name comes in two rows */
	STEP_DIP,	/* a counter is read a little too low */
	STEP_SIGNAL_DIP,
	STEP_PADDED, /* the name comes with blanks */
	STEP_KINDS,
};

struct step {
	enum step_kind kind;
	int64_t ms;
	int view;
	int name;
	int64_t amount;
	unsigned mask;
	uint64_t salt;
};

enum { HISTORY_STEPS_MAX = 200 };

struct history {
	uint64_t seed;
	uint64_t number;
	struct truth_setup setup;
	struct step steps[HISTORY_STEPS_MAX];
	int step_count;
};

/* Draws history number number of a seed. Threads: the owner. */
void history_draw(struct history *history, uint64_t seed, uint64_t number);

/* The dice of one step. Pure. */
struct dice history_dice(const struct history *history, const struct step *step);

/* Writes a step in words. Threads: the owner of text. */
void step_describe(const struct step *step, char *text, int size);

/* Prints a history so that it can be understood, and how it is run again. Threads: any. */
void history_print(const struct history *history);

/* Makes a failing history small: drops steps, then lessens values, as long as fails() says so. */
void history_shrink(struct history *history, bool (*fails)(const struct history *history));
