/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verdict on an interval between two samples of one view: one quality, found before a single
 * number is subtracted. Pure functions; any thread.
 */
#pragma once

#include "collectors/delta.h"

struct verdict {
	enum quality quality;
	bool has_rows;	     /* false: the new sample is a baseline and no more */
	bool has_rate;	     /* see struct delta */
	int64_t interval_ms; /* covered time */
	int64_t elapsed_ms;  /* since the earlier sample */
};

/* How the value of one name moved between two samples. */
enum row_motion {
	ROW_ROSE,   /* or stayed, but for the counter that falls alone */
	ROW_DIPPED, /* fell a little, as an unlocked read may */
	ROW_FELL,   /* fell by more than that */
};

/*
 * The counter of a family that falls by itself and proves nothing; -1 where there is none. Signal
 * time is summed from other clocks than the wait; backoffs are an int on older servers and wrap.
 *
 * Pure.
 */
int counter_that_falls_alone(enum family family);

/* Tells how a row moved; a row that is gone has counters of 0. Pure. */
enum row_motion row_motion_of(enum family family, const struct sample_row *old,
			      const struct sample_row *now);

/* True when a counter that was old fell so little that an unlocked read explains it. Pure. */
bool counter_is_dip(int64_t old, int64_t fall);

/* Judges an interval; before may be NULL (never sampled). Pure. */
struct verdict verdict_of(const struct baseline *before, const struct sample *after,
			  const struct delta_options *options);

/*
 * The next pair of rows of one name, in the order of names: the name is the lesser of the two
 * places, and the sample that lacks it gives a row of zeros. false at the end. A name whose row was
 * rejected in after is not among the pairs.
 */
struct row_pairs {
	const struct sample *before;
	const struct sample *after;
	size_t before_row;
	size_t after_row;
	struct sample_row old; /* the pair */
	struct sample_row now;
	bool was_there;
	bool is_there;
};
bool row_pairs_next(struct row_pairs *pairs);
