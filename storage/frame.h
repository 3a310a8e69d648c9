/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of one delta, packed. Knows neither SQLite nor who calls. Pure; any thread. The body:
 *
 *     version (1), row count, rows, CRC-32 of all before (4 bytes, lowest first)
 *     row = difference of the name's id to the row before (signed),
 *           one byte: bit i = counter i is there (is not 0), bit 4 + i = row flag 1 << i,
 *           the counters that are there
 *
 * Version 2, of roll-ups, adds to each row its largest rate in thousandths a second and the number
 * of intervals that brought it.
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

/* What a roll-up knows of a row beside its sums. */
struct rolled {
	double max_rate;	/* of the time counter, of any interval; per s */
	int64_t interval_count; /* that ended inside and brought something */
};

/* Room for the rows of a frame, reused from one to the next. Zero-initialise. */
struct frame_room {
	struct delta_row *rows;
	struct rolled *rolled;
	size_t capacity;
};

/* Frees the room. Owns: its contents. Threads: the owner. */
void frame_room_done(struct frame_room *room);

/*
 * Appends the packed rows of delta to out; ids[row] are the names' ids. rolled goes with the rows
 * of a roll-up and is NULL for a polled interval. Threads: the owner.
 */
void frame_pack(struct strbuf *out, const struct delta *delta, const struct rolled *rolled,
		const int64_t *ids);

/*
 * Unpacks a body into delta's rows and row_count, flags and counts of flagged rows; other fields
 * stay as they are. room is grown as needed; delta->rows and *rolled borrow it. *rolled is NULL for
 * a polled interval.
 *
 * Errors:  ERROR_CORRUPT wrong checksum or version, a name that is not there.
 * Threads: the owner.
 */
MUST_CHECK bool frame_unpack(const void *body, size_t size, const struct frame_names *names,
			     struct frame_room *room, struct delta *delta,
			     const struct rolled **rolled, struct error *err);
