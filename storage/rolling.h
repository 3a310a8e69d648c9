/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rolling one view up to one resolution: where it stands, what comes next, and the making of one
 * bucket. Runs in the writer, inside the caller's transaction. Private to the roll-up.
 */
#pragma once

#include "storage/rollup.h"

/* One view and the resolution it is rolled up to. */
struct rolling {
	struct rollup *rollup;
	struct store *store;
	int64_t target_id;
	enum family family;
	enum resolution resolution;
	enum resolution source;
	int64_t step_ms;
	int64_t mark_utc_ms;
	int64_t limit_utc_ms; /* buckets that end by then are complete */
};

/* The edge at or before a time. Pure. */
int64_t rolling_floor(int64_t utc_ms, int64_t step_ms);

/* Reads up to where a resolution of the view is made. Errors: as database_error. */
MUST_CHECK bool rolling_find_mark(struct rolling *rolling, enum resolution resolution,
				  int64_t *mark_utc_ms, bool *is_there, struct error *err);

/* Writes the mark of rolling. Errors: as database_error. */
MUST_CHECK bool rolling_put_mark(struct rolling *rolling, struct error *err);

/* Finds the first frame of the source that ended after a time. Errors: as database_error. */
MUST_CHECK bool rolling_find_next(struct rolling *rolling, int64_t after_utc_ms,
				  int64_t *end_utc_ms, int64_t *begin_utc_ms, bool *is_there,
				  struct error *err);

/* Makes the bucket at the mark and moves the mark on. Errors: as database_error. */
MUST_CHECK bool rolling_roll_bucket(struct rolling *rolling, struct error *err);
