/* SPDX-License-Identifier: Apache-2.0 */
/* A stored delta as it comes back: polled, or rolled up. */
#pragma once

#include "storage/resolution.h"
#include "storage/series.h"

struct stored_delta {
	int64_t commit_id;
	struct delta delta; /* rows borrowed until the callback returns; names live as long as the
			       reader is borrowed */
	enum resolution resolution;
	struct series_piece piece; /* of this delta, and the window in which it answers */
	unsigned qualities;	   /* of a roll-up: bit i = quality i was seen */
};
