/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cumulative counters of one view (waits, latches or spinlocks). A counter moves by itself: it
 * has a flow of events per second, and every value is computed from the elapsed time when it is
 * read, in whole events, exactly. Nothing ticks. The instance's lock guards all of it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COUNTER_COLUMNS 4

/* The column of a counter that counts events in all three views. */
#define COUNTER_EVENTS 0

enum counter_view {
	COUNTER_WAITS,	 /* waiting_tasks_count, wait_time_ms, max_wait_time_ms, signal_wait_time_ms
			  */
	COUNTER_LATCHES, /* waiting_requests_count, wait_time_ms, max_wait_time_ms */
	COUNTER_SPINLOCKS, /* collisions, spins, sleep_time, backoffs */
	COUNTER_VIEWS
};

/* What a counter gains in a period, spread over it evenly. period_us 0: nothing. */
struct counter_flow {
	int64_t gain[COUNTER_COLUMNS]; /* that of a maximum is not used */
	int64_t period_us;
	int64_t max_ms; /* the longest single wait */
};

struct counter {
	char *name;
	int64_t base[COUNTER_COLUMNS];
	struct counter_flow flow;
	int64_t anchor_us;  /* the flow runs since then */
	int64_t max_from;   /* events of the flow that the maximum does not count any more */
	unsigned null_mask; /* columns shown as NULL */
	bool is_heartbeat;
};

struct counters {
	enum counter_view view;
	struct counter *items;
	size_t count;
	size_t capacity;
};

/* The column names in order; NULL behind the last. Pure. */
const char *const *counter_column_names(enum counter_view view);

/* The position of a column, or -1. Pure. */
int counter_column(enum counter_view view, const char *name);

/* "waits", "latches", "spinlocks", or the view's own name with or without "sys."; false otherwise.
 * Pure. */
bool counter_view_parse(const char *name, enum counter_view *view);

/* The value of a column at that moment. Pure. */
int64_t counter_value(const struct counter *counter, enum counter_view view, int column,
		      int64_t now_us);

/* Gives a column a value without disturbing the flow. */
void counter_set(struct counter *counter, enum counter_view view, int column, int64_t value,
		 int64_t now_us);

/* Settles what has been gained and lets another flow run from now on. */
void counter_set_flow(struct counter *counter, enum counter_view view,
		      const struct counter_flow *flow, int64_t now_us);

/* The first counter of that name, or NULL. Borrowed until the next addition or removal. */
struct counter *counters_find(const struct counters *counters, const char *name);

/* Adds a row, also when the name is there already. Borrowed as above. */
struct counter *counters_add(struct counters *counters, const char *name, int64_t now_us);

/* Removes all rows of that name; says how many. */
size_t counters_remove(struct counters *counters, const char *name);

/* What DBCC SQLPERF(..., CLEAR) does: every value to 0; waits in progress are booked whole at their
 * end. */
void counters_clear(struct counters *counters, int64_t now_us);

/* What a restart does: every value to 0 and every flow from its beginning. */
void counters_restart(struct counters *counters, int64_t now_us);

/* Reads the first field of each line of a CSV file into rows of zero; false when it cannot be read.
 */
bool counters_load(struct counters *counters, const char *directory, const char *file,
		   int64_t now_us);

void counters_done(struct counters *counters);
