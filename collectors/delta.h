/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A delta is what happened between two samples of one view, and the verdict on how far it can be
 * believed. Each rule is one case in tests/data/delta. Pure functions: no clock, no I/O, any
 * thread.
 */
#pragma once

#include "collectors/sample.h"

/* One per view and interval; the strongest witness wins: identity > epoch > clear > gap. */
enum quality {
	QUALITY_BASELINE,
	QUALITY_EXACT,
	QUALITY_AFTER_GAP,
	QUALITY_AFTER_RESTART,
	QUALITY_AFTER_FAILOVER,
	QUALITY_AFTER_CLEAR,
};

/*
 * Flags of a row, and together those of a delta. Jitter and anomaly zero the row, or only its
 * signal time (its backoffs) where that alone fell. DELTA_LATE of an idle wait stays with its row:
 * it sleeps through intervals by nature, which is no news about the delta.
 */
enum delta_flag {
	DELTA_JITTER = 1,  /* fell a little: 0 now, the old value stays the baseline */
	DELTA_ANOMALY = 2, /* fell alone: 0 now, the new value is the baseline */
	DELTA_LATE = 4,	   /* a wait longer than the interval was booked when it ended */
	DELTA_CLAMPED = 8, /* signal was above wait */
};

struct delta_row {
	const char *name;
	int64_t counters[FAMILY_COUNTERS_MAX]; /* never negative */
	unsigned flags;
};

struct delta {
	enum family family;
	enum quality quality;
	unsigned flags; /* all rows' flags */
	/*
	 * False where no rate may be computed: nothing is covered, or after a clear that was dated
	 * under 5 s ago (interval_ms then still tells when) or not at all (interval_ms is 0). The
	 * counters are true all the same; for buckets the interval is not covered.
	 */
	bool has_rate;
	int64_t end_utc_ms; /* when the later sample was taken */
	/*
	 * Covered time: [end - interval, end]. 0 when nothing is: a baseline; a failover; a restart
	 * whose uptime does not fit the time since the last sample (quality AFTER_RESTART, no
	 * rows); two samples in one tick (no rows, the earlier sample stays the baseline).
	 */
	int64_t interval_ms;
	int64_t elapsed_ms; /* since the earlier sample, covered or not; 0 for a baseline */
	struct delta_row
		*rows; /* sorted by name; only rows with a counter or a flag that is not 0 */
	size_t row_count;
	int64_t jitter_count;
	int64_t anomaly_count;
	int64_t late_count;
	int64_t clamped_count;
	char *names; /* backing of the rows' names */
};

/* The heartbeat waits whose learned rates travel with the baseline; see heartbeat.c for the table.
 */
enum { HEARTBEAT_COUNT = 8 };

/* What the next delta is taken against; kept in the store between runs. */
struct baseline {
	struct sample *sample; /* counters as high-water marks where jitter was found */
	double heartbeat_ms_per_s[HEARTBEAT_COUNT];   /* mean rates seen on this server, */
	double heartbeat_learned_ms[HEARTBEAT_COUNT]; /* and over how long; 0 = not yet */
	double heartbeat_unread_ms[HEARTBEAT_COUNT];  /* time since its row could be read last */
};

struct delta_options {
	int64_t configured_ms; /* poll interval of this view */
	const struct delta
		*waits; /* delta of the waits view over the same interval, for latches and
				   spinlocks; NULL for the waits themselves or when not polled */
};

/* Frees a delta; NULL is fine. Owns: delta. Threads: the owner. */
void delta_free(struct delta *delta);
DEFINE_CLEANUP(struct delta *, delta_free);

/* Frees a baseline and its sample; NULL is fine. Owns: baseline. Threads: the owner. */
void baseline_free(struct baseline *baseline);
DEFINE_CLEANUP(struct baseline *, baseline_free);

/*
 * Subtracts two samples of one view and judges the interval.
 *
 * before is NULL when there is no earlier sample (QUALITY_BASELINE). *next receives the baseline
 * for the following delta; the caller makes it current only once the delta is safely handed on, so
 * that a full queue costs resolution and nothing else.
 *
 * Units:   see the fields; intervals from the server's ms_ticks, where unknown from taken.mono_ms.
 * Owns:    the caller frees the delta and *next; before and after stay the caller's.
 * Threads: any.
 */
struct delta *delta_between(const struct baseline *before, const struct sample *after,
			    const struct delta_options *options, struct baseline **next);

/* Name of a quality as the API and the store show it: "exact", "after_gap" ... Pure. */
const char *quality_name(enum quality quality);

/* Finds a quality by its name; false when there is none. Pure. */
MUST_CHECK bool quality_from_name(const char *name, enum quality *quality);
