/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What truly happens on the SQL Server instances of a history: work, background tasks that book
 * their cycles when they end, clears, falls, restarts, failovers. Keeps what was ever done beside
 * what the counters show, so that a stored delta can be compared with the truth. Knows nothing of
 * the rules that it tests and shares no code with them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tests/model/dice.h"

enum { TRUTH_WAITS, TRUTH_LATCHES, TRUTH_SPINLOCKS, TRUTH_VIEWS };
enum { TRUTH_COUNTERS = 4, TRUTH_NAMES_MAX = 16, TRUTH_BEATS = 5, TRUTH_TASKS_MAX = 8 };
enum { TRUTH_INSTANCES = 2 };

/* What a history is about; drawn once, before its first step. */
struct truth_setup {
	int64_t configured_ms; /* poll interval of all views */
	int64_t age_ms;	       /* of the first instance when latchd first comes */
	int64_t work_names[TRUTH_VIEWS];
	int64_t numa_nodes;
	unsigned beat_mask;	/* heartbeats that are there */
	int64_t stretch_tenths; /* how much longer cycles may get, in tenths of a per cent */
	bool credits_whole;	/* the cycle in progress at a clear is booked whole */
	bool has_int_backoffs;	/* 32 bits: they wrap */
	bool has_ticks;		/* false: as Azure SQL Database, no epoch and no heartbeats */
	bool has_huge_values;	/* some counters begin near the end of 63 bits */
};

struct truth_name {
	const char *text;
	bool is_there;
	int busy;		      /* 0 idle to 4 */
	int64_t done[TRUTH_COUNTERS]; /* ever since the instance was made; never falls */
	int64_t gone[TRUTH_COUNTERS]; /* the part that the counters no longer show */
	int64_t max_ms;
	int64_t before_clear[TRUTH_COUNTERS];
	int64_t max_before_clear_ms;
	int64_t wait_began_ms;	  /* a long wait in progress; -1 none */
	int64_t longest_ms;	  /* long wait that ended last: its length, */
	int64_t longest_began_ms; /* when it began */
	int64_t longest_ended_ms; /* and when it ended; -1 none yet */
	int64_t fall_count;	  /* falls that were no clear, and vanishings */
};

struct truth_view {
	int name_count;
	struct truth_name names[TRUTH_NAMES_MAX];
	int64_t cleared_ms; /* or when the life began */
	int64_t clear_count;
};

struct truth_task {
	int name; /* in the waits view */
	int beat;
	int64_t begun_ms;
	int64_t due_ms;
};

struct truth_instance {
	int server;
	int node;
	int64_t process_id;
	int64_t booted_ms;
	int64_t started_ms;
	int64_t life;
	struct truth_view views[TRUTH_VIEWS];
	struct truth_task tasks[TRUTH_TASKS_MAX];
	int task_count;
};

struct truth {
	struct truth_setup setup;
	int64_t now_ms;
	struct truth_instance instances[TRUTH_INSTANCES];
	int serving; /* the instance that a connection reaches */
};

/* Nominal cycle of a heartbeat. Pure. */
int64_t truth_beat_cycle_ms(int beat);

/* Makes both instances as they are when the history begins. Owns: nothing. Threads: the owner. */
void truth_init(struct truth *truth, const struct truth_setup *setup, struct dice dice);

/* Lets so much time pass on all instances. Units: ms. Threads: the owner, as all below. */
void truth_advance(struct truth *truth, int64_t ms, struct dice dice);

/* Clears a view of the instance that serves. */
void truth_clear(struct truth *truth, int view);

/* All work names of a view do again what they had done before the last clear, and more. */
void truth_regrow(struct truth *truth, int view, struct dice dice);

/* Ends the life of the serving instance and begins another; with the machine, ms_ticks begins anew.
 */
void truth_restart(struct truth *truth, int64_t down_ms, bool with_machine, bool keeps_process_id,
		   struct dice dice);

/* The serving instance goes on on another node of its cluster. */
void truth_fail_over(struct truth *truth, int64_t down_ms, struct dice dice);

/* One counter of one name loses a part by itself. */
void truth_fall(struct truth *truth, int view, int name, int64_t percent);

/* The row of a name disappears with what it counted, or comes back and counts from 0. */
void truth_toggle(struct truth *truth, int view, int name);

/* A long wait begins, or the one in progress ends and is booked. */
void truth_long_wait(struct truth *truth, int view, int name);

/* What the view shows of a name. Pure. */
int64_t truth_shown(const struct truth_name *name, int counter);
