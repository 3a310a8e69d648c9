/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A row of the table frame, read and written: what the queries and the roll-up share. Threads: the
 * owner of the connection. Private to storage/.
 */
#pragma once

#include "storage/database.h"
#include "storage/frame.h"
#include "storage/stored_delta.h"

/*
 * Reads the columns commit_id, t, interval_ms, elapsed_ms, quality, flags, body. The piece has no
 * window yet.
 *
 * Errors: ERROR_CORRUPT.
 */
MUST_CHECK bool frame_row_read(struct cursor *cursor, enum family family,
			       enum resolution resolution, const struct frame_names *names,
			       struct frame_room *room, struct stored_delta *stored,
			       struct error *err);

/* Reads when the last polled frame of a view ended; 0 when there is none. Errors: as
 * database_error. */
MUST_CHECK bool frame_row_last_end(struct database *database, int64_t target_id, enum family family,
				   int64_t *end_utc_ms, struct error *err);

/* Where a frame goes. */
struct frame_place {
	int64_t target_id;
	enum resolution resolution;
	int64_t commit_id;
	unsigned qualities;
};

/*
 * Writes a packed frame at the first free millisecond from its end on.
 *
 * Errors: as database_error.
 */
MUST_CHECK bool frame_row_put(struct database *database, const struct frame_place *place,
			      const struct delta *delta, const struct strbuf *body,
			      struct error *err);
