/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns deltas into buckets: an interval that spans buckets is shared out by time in whole units (a
 * running floor, so that the shares add up exactly); what no interval covers stays unknown. Pure;
 * any thread.
 */
#pragma once

#include "collectors/delta.h"
#include "storage/frame.h"

struct series_name {
	char *name;
	int64_t *sums[FAMILY_COUNTERS_MAX]; /* per bucket, of the whole units that fell into it */
	double *max_rate; /* per bucket: largest rate of the time counter of any interval that
			     touches it; per s */
	int64_t total[FAMILY_COUNTERS_MAX]; /* over the asked range */
	int64_t late_count;
	int64_t interval_count; /* that ended in the range and brought something */
	unsigned flags;		/* of all its rows */
};

/*
 * A stored frame, or the part of it that lies in a window: a range may be answered by roll-ups in
 * its middle and by raw frames at its edges.
 */
struct series_piece {
	const struct delta *delta;
	const struct rolled *rolled; /* per row; NULL where the delta was polled */
	int64_t span_ms;     /* it stands for [end - span, end]; interval_ms of it is covered */
	int64_t from_utc_ms; /* the window */
	int64_t to_utc_ms;
};

enum { SERIES_HINT_COUNT = 2048 };

struct series {
	enum family family;
	int64_t start_utc_ms; /* of the first bucket: a multiple of step */
	int64_t step_ms;
	size_t bucket_count;
	int64_t range_start_utc_ms; /* what was asked; totals are clipped to it */
	int64_t range_end_utc_ms;
	int64_t *covered_ms;	   /* per bucket, with a rate: the divisor */
	struct series_name *names; /* sorted by name */
	size_t name_count;
	size_t name_capacity;
	uint32_t hints[SERIES_HINT_COUNT]; /* of series.c: where a name was found last */
};

/* Adds two counts; what is more than can be counted stays at INT64_MAX. Pure. */
int64_t series_sum(int64_t left, int64_t right);

/* Makes an empty series over [start, end). Owns: the caller frees. Threads: any. */
struct series *series_new(enum family family, int64_t start_utc_ms, int64_t end_utc_ms,
			  int64_t step_ms);

/* Frees it; NULL is fine. Owns: series. Threads: the owner. */
void series_free(struct series *series);
DEFINE_CLEANUP(struct series *, series_free);

/*
 * Adds one delta. A delta without a rate adds to the totals of the bucket of its end only when it
 * is inside the range, and covers nothing.
 *
 * Owns:    copies the names.
 * Threads: the owner.
 */
void series_add(struct series *series, const struct delta *delta);

/* Adds what of a frame lies in its window. Owns, Threads: as series_add. */
void series_add_piece(struct series *series, const struct series_piece *piece);
