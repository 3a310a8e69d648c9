/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of one delta, packed. Knows neither SQLite nor who calls. Pure; any thread. The body:
 *
 *     version (1), row count, rows, CRC-32 of all before (4 bytes, lowest first)
 *     row = difference of the name's id to the row before (signed),
 *           one byte: bit i = counter i is there (is not 0), bit 4 + i = row flag 1 << i,
 *           the counters that are there
 *
 * Integers are varints. Rows stand in the order of their names, so that no reader sorts; ids are
 * handed out in that order when a view is first seen, so that the differences are small.
 */
#pragma once

#include "collectors/delta.h"
#include "daemon/base/strbuf.h"

/* The interned names by id. Ids from outside the array or NULL are names that are not there. */
struct frame_names {
	const char *const *by_id;
	size_t count;
};

/* Appends the packed rows of delta to out; ids[row] are the names' ids. Threads: the owner. */
void frame_pack(struct strbuf *out, const struct delta *delta, const int64_t *ids);

/*
 * Unpacks a body into delta's rows and row_count, flags and counts of flagged rows; other fields
 * stay as they are. *rows is the caller's memory, grown as needed; delta->rows borrows it.
 *
 * Owns:    the caller frees *rows.
 * Errors:  ERROR_CORRUPT wrong checksum or version, a name that is not there.
 * Threads: the owner.
 */
MUST_CHECK bool frame_unpack(const void *body, size_t size, const struct frame_names *names,
			     struct delta_row **rows, size_t *row_capacity, struct delta *delta,
			     struct error *err);
