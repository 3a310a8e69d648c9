/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the parameters that the routes share: times, durations, steps, filters. What is wrong goes
 * into a problem, all of it at once. Pure functions: `now` comes with the request; any thread.
 */
#pragma once

#include <stdint.h>

#include "web/problem.h"
#include "web/request.h"

enum {
	POINTS_MAX = 11000,
	POINTS_DEFAULT = 600,
	TOP_DEFAULT = 10,
	TOP_MAX = 1000,
	CELLS_MAX = 550000, /* series times points of one answer: bounds its memory */
	EVENTS_DEFAULT = 1000,
	EVENTS_MAX = 10000,
};

enum param_format { FORMAT_COLUMNS, FORMAT_ROWS, FORMAT_CSV };

struct param_range {
	int64_t start_utc_ms;
	int64_t end_utc_ms;
};

/* How a range is cut; step_ms is 0 for raw. */
struct param_step {
	bool is_raw;
	int64_t step_ms;
};

struct param_filter {
	const char *names[REQUEST_PARAMS_MAX]; /* borrowed from the request */
	size_t name_count;
	const char *category; /* NULL = all */
	bool with_benign;
	int64_t top;
};

/*
 * Reads a time: RFC 3339 (a space for T or for the + of the offset is taken, for URLs lose it),
 * Unix seconds with decimals, `now`, `-15m`, `now-15m`. Pure.
 */
MUST_CHECK bool param_parse_time(const char *text, int64_t now_utc_ms, int64_t *utc_ms);

/* Reads a duration such as 90s, 1h30m or 250ms (units ms s m h d w y). Pure. */
MUST_CHECK bool param_parse_duration(const char *text, int64_t *duration_ms);

/* Reads `start` and `end`. Pure but for problem. */
void param_read_range(const struct request *request, struct param_range *range,
		      struct problem *problem);

/* Reads `step` or `points`, given a range that is right. Pure but for problem. */
void param_read_step(const struct request *request, const struct param_range *range,
		     struct param_step *step, struct problem *problem);

/* Reads `top`, `name`, `category`, `benign`. Pure but for problem. */
void param_read_filter(const struct request *request, struct param_filter *filter,
		       struct problem *problem);

/* Reads `format`. Pure but for problem. */
void param_read_format(const struct request *request, enum param_format *format,
		       struct problem *problem);

/* Reads an integer parameter within bounds (422 above max). Pure but for problem. */
void param_read_integer(const struct request *request, const char *name, int64_t max,
			int64_t *value, struct problem *problem);

/* Number of buckets of a range: they are aligned to multiples of step. Pure. */
int64_t param_bucket_count(const struct param_range *range, int64_t step_ms);
