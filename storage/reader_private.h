/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a reader, shared by the queries. Threads: the borrower. */
#pragma once

#include "storage/database.h"
#include "storage/frame.h"
#include "storage/names.h"
#include "storage/reader.h"

struct reader {
	struct database database;
	struct names names; /* only grows: names live as long as the pool */
	struct reader_pool *pool;
	bool is_lent;
	struct frame_room room; /* reused from frame to frame */
};

/* The names by id; loads those that came since the reader was lent. Errors: as database_error. */
MUST_CHECK bool reader_load_names(struct reader *reader, struct error *err);
