/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The samples the detector looks back on, reduced to what it counts. Part of hot_page; owned by one
 * detector. Knows no pages' owners and no hotspots; no clock, no I/O.
 */
#pragma once

#include "collectors/task_sample.h"

enum { OBSERVATIONS_MAX = 128, GAPS_REMEMBERED = 16 };

/* What a task waits for, as far as the detector cares. */
enum wait_role {
	WAIT_ELSEWHERE, /* or not at all: it counts only as a session of its statement */
	WAIT_PAGE,
	WAIT_NAMELESS_PAGE, /* a page latch whose page the server did not keep: 0:0:0 */
	WAIT_FLOW,
	WAIT_LOG,
};

enum { LATCH_MODE_EX, LATCH_MODE_SH, LATCH_MODE_UP, LATCH_MODE_OTHER, LATCH_MODE_COUNT };

struct waiter {
	uint64_t address;
	uint64_t query_hash;
	int64_t page_id;
	int32_t session_id;
	int32_t database_id; /* of the page, or where the request runs when it names none */
	int32_t file_id;
	uint8_t role;
	uint8_t mode;
	bool is_insert;
};

/* One sample: its tasks by session, each task once. */
struct observation {
	int64_t taken_utc_ms;
	int32_t scheduler_count;
	struct waiter *waiters;
	size_t waiter_count;
};

struct hot_page_window {
	int64_t window_ms;	/* at one sample a second; as many samples when they are rarer */
	int64_t interval_ms;	/* as configured */
	int64_t known_since_ms; /* UTC: since then no gap; 0 nothing yet */
	int64_t gap_until_ms;
	struct observation observations[OBSERVATIONS_MAX]; /* oldest first */
	size_t count;
	int64_t gaps_ms[GAPS_REMEMBERED]; /* between neighbouring samples, a ring */
	size_t gap_count;
};

/* The part of the window that is judged. */
struct window_range {
	size_t first; /* observations [first, end) */
	size_t end;
	int64_t begin_utc_ms; /* the span is (begin, end] */
	int64_t end_utc_ms;
	int64_t interval_ms; /* between samples as they really come */
	double sample_count; /* of samples taken, those too that saw nothing and were not kept */
	bool is_known_whole; /* no gap and no start inside */
};

/* Begins an empty window. Owns: the caller ends it with hot_page_window_done. Pure. */
struct hot_page_window hot_page_window_init(int64_t window_ms, int64_t interval_ms);

/* Frees what the window holds. Owns: its contents. Threads: the owner. */
void hot_page_window_done(struct hot_page_window *window);

/* Adds a sample unless it is not newer than the last. Owns: copies. Threads: the owner. */
void hot_page_window_add(struct hot_page_window *window, const struct task_sample *sample);

/* Says that nothing was sampled from begin to end; may be told again as a gap grows. Returns by
 * how many ms it is longer than was known. Threads: the owner. */
int64_t hot_page_window_gap(struct hot_page_window *window, int64_t begin_utc_ms,
			    int64_t end_utc_ms);

/*
 * The part of the window that ends at the newest sample, or at now when that is long ago: samples
 * come through the store a little late, and what is on its way must not count as calm. Pure.
 */
struct window_range hot_page_window_range(const struct hot_page_window *window, int64_t now_utc_ms);

/* "PAGELATCH_EX" for LATCH_MODE_EX; LATCH_MODE_OTHER has no name of its own. Pure. */
const char *hot_page_window_wait_type(int mode);
