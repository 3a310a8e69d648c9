/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The points of a range whose rows are chosen: the second walk. Private to range.c. Runs in the web
 * threads on a borrowed reader.
 */
#pragma once

#include "storage/query.h"
#include "web/range.h"

/* Walks what the range's plan says. Errors: those of query_range. Threads: the borrower. */
MUST_CHECK bool range_walk(struct reader *reader, const struct range *range, query_delta_fn *each,
			   void *context, int64_t *damaged_count, struct error *err);

/*
 * Fills t, covered_ms and the sums and rates of each row.
 *
 * Owns:    what it allocates belongs to the range.
 * Errors:  those of query_range.
 * Threads: the borrower.
 */
MUST_CHECK bool range_points_fill(struct reader *reader, struct range *range, struct error *err);
