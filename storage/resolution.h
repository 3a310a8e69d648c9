/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The resolutions in which a view's history is kept, and which of them answers which part of a
 * range: the coarsest that answers exactly, else the finest that is still there. Pure; any thread.
 */
#pragma once

#include <stdint.h>

/* As the column frame.resolution holds them: never renumber. */
enum resolution { RESOLUTION_RAW, RESOLUTION_MINUTE, RESOLUTION_HOUR, RESOLUTION_COUNT };

/* Width of a frame in ms; 0 for raw, whose frames are as wide as a poll's interval. Pure. */
int64_t resolution_step_ms(enum resolution resolution);

/* Name as the API and the configuration write it: "raw", "1m", "1h". Pure. */
const char *resolution_name(enum resolution resolution);

/* What of a view's time a resolution holds. */
struct resolution_extent {
	int64_t begin_utc_ms; /* INT64_MAX: nothing */
	int64_t end_utc_ms;
};

/* A part of a range and what answers it. */
struct resolution_piece {
	enum resolution resolution;
	int64_t from_utc_ms;
	int64_t to_utc_ms;
};

/* Each of at most 12 cuts ends one piece. */
enum { RESOLUTION_PIECES_MAX = 13 };

struct resolution_plan {
	struct resolution_piece pieces[RESOLUTION_PIECES_MAX]; /* by time, without holes */
	int count;
};

/*
 * Plans who answers [start, end). A roll-up answers exactly where the edges of the buckets, and of
 * the piece itself, are edges of its frames; where the raw frames are gone it answers whatever the
 * edges, for nothing else is left.
 *
 * Units: UTC ms; step_ms is the width of a bucket, 0 when only totals are asked for.
 * Pure.
 */
void resolution_plan(const struct resolution_extent extents[RESOLUTION_COUNT], int64_t start_utc_ms,
		     int64_t end_utc_ms, int64_t step_ms, struct resolution_plan *plan);

/* All of [start, end) from the raw frames. Pure. */
struct resolution_plan resolution_plan_raw(int64_t start_utc_ms, int64_t end_utc_ms);
