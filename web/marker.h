/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a reader of a chart must know beside the values: clears, restarts, failovers, gaps (from the
 * events), jitter and late waits (from the deltas). Runs in the web threads on a borrowed reader.
 */
#pragma once

#include "daemon/base/json.h"
#include "web/range.h"

struct marker {
	int64_t t_utc_ms;
	int64_t end_utc_ms;
	char kind[24];
	int64_t row_count; /* of jitter and late: rows so far */
	char text[256];
};

struct marker_list {
	struct marker *markers; /* by time */
	size_t count, capacity;
};

/*
 * Collects the markers of a range that was read.
 *
 * Owns:    the caller ends list with marker_list_done, also on failure.
 * Errors:  those of query_events.
 * Threads: the borrower of reader.
 */
MUST_CHECK bool marker_list_read(struct reader *reader, const struct range *range,
				 struct marker_list *list, struct error *err);

/* Frees the list's contents. Owns: its contents. Threads: the owner. */
void marker_list_done(struct marker_list *list);

/* Writes the list as an array. Threads: the owner. */
void marker_list_add(struct json *json, const struct marker_list *list);
