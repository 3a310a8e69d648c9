/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rolls frames up to minutes and hours, a few at a time, so that the writer is never held up. What
 * is rolled up is exact to the unit: it is made by the arithmetic that answers queries. Runs in the
 * writer. Private to storage/.
 */
#pragma once

#include "storage/frame_row.h"
#include "storage/store_private.h"

/* Where the round over all views is. Zero-initialise; belongs to the writer. */
struct rollup {
	bool is_in_round;
	int64_t target_id;
	int family;
	int64_t round_mono_ms; /* when the next round is due */
	struct frame_room room;
	int64_t frame_count; /* made, ever */
};

/*
 * Does the next small piece of work, if any is due; *is_busy says that more is waiting. Each piece
 * is a transaction of its own: frames and the mark up to which they reach.
 *
 * Errors:  as database_error; the piece is tried again by the next call.
 */
MUST_CHECK bool rollup_step(struct rollup *rollup, struct store *store, struct instant now,
			    bool *is_busy, struct error *err);

/*
 * Has the roll-ups of a view made anew from begin_utc_ms on, as far back as there are raw frames.
 * Inside the caller's transaction. Errors: as database_error.
 */
MUST_CHECK bool rollup_reopen(struct store *store, int64_t target_id, enum family family,
			      int64_t begin_utc_ms, struct error *err);

/* Frees what it holds. Owns: its contents. */
void rollup_done(struct rollup *rollup);
