/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forgets what is older than its retention, a few rows at a time, so that the writer is never held
 * up: rounds over all targets, each round one cutoff. When the store is larger than allowed the
 * cutoff of a round lies later than asked for. Runs in the writer. Private to storage/.
 */
#pragma once

#include "storage/resolution.h"
#include "storage/store_private.h"

/* Where the round is. Zero-initialise; belongs to the writer. */
struct retention {
	bool is_in_round;
	int64_t target_id;			  /* next to be looked at; 0 is latchd itself */
	int64_t cutoffs_utc_ms[RESOLUTION_COUNT]; /* of this round: what ended before goes */
	int64_t round_mono_ms;			  /* when the next round is due */
	int64_t deleted_count;			  /* rows, ever */
};

struct retention_options {
	int64_t keep_ms[RESOLUTION_COUNT]; /* events and hotspots stay as long as the last */
	int64_t max_size_bytes;		   /* 0 no bound */
};

/*
 * Does the next small piece of work, if any is due; *is_busy says that more is waiting.
 *
 * Errors:  as database_error; the piece is tried again by the next call.
 */
MUST_CHECK bool retention_step(struct retention *retention, struct store *store,
			       const struct retention_options *options, struct instant now,
			       bool *is_busy, struct error *err);
