/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads one view of one target over a range: which names lead, their values per point, what is left
 * as "(other)", so that the sums stay true. Two walks over the stored deltas: the first finds
 * totals, the second fills points for the names that are shown, which bounds memory by what was
 * asked and not by what the server has. Runs in the web threads on a borrowed reader.
 */
#pragma once

#include "collectors/delta.h"
#include "storage/reader.h"
#include "storage/resolution.h"
#include "storage/series.h"
#include "web/param.h"

extern const char range_other_name[]; /* "(other)" */
extern const char range_saturated_warning[];

/* One stored interval that touches the range. */
struct range_interval {
	int64_t end_utc_ms;
	int64_t interval_ms; /* covered; 0 none */
	int64_t elapsed_ms;
	enum quality quality;
	bool has_rate;
	bool is_clipped; /* sticks out of the range */
	int64_t jitter_count;
	int64_t late_count;
};

struct range_row {
	char *name;
	bool is_other;
	int64_t total[FAMILY_COUNTERS_MAX];
	int64_t *sums[FAMILY_COUNTERS_MAX]; /* per point */
	double *max_rate;		    /* per point, of the time counter; per s */
};

struct range_query {
	int64_t target_id;
	enum family family;
	struct param_range range;
	struct param_step step;
	const struct param_filter *filter;
};

struct range {
	struct range_query query; /* as asked */
	struct range_interval *intervals;
	size_t interval_count, interval_capacity;
	size_t point_count;
	int64_t *t; /* start of a bucket; end of a raw interval */
	int64_t *covered_ms;
	struct range_row *rows; /* the largest first, "(other)" last */
	size_t row_count;
	struct resolution_plan plan; /* what it was read from */
	int64_t damaged_count;	     /* frames left out because their checksum is wrong */
	bool has_too_many_points; /* raw: more intervals than an answer may have; rows are unset */
};

/*
 * Reads a range.
 *
 * Owns:    the caller frees; query is copied, its filter borrowed.
 * Errors:  those of query_deltas.
 * Threads: the borrower of reader.
 */
MUST_CHECK struct range *range_read(struct reader *reader, const struct range_query *query,
				    struct error *err);

/* Frees it; NULL is fine. Owns: range. Threads: the owner. */
void range_free(struct range *range);
DEFINE_CLEANUP(struct range *, range_free);

/* True when the filter lets a name through: idle waits only on demand or by their exact name. Pure.
 */
bool range_shows(const struct param_filter *filter, enum family family, const char *name);

/*
 * Makes a series of one bucket that holds all of a range, for totals. Owns: the caller frees.
 * Threads: any.
 */
struct series *range_total_series(enum family family, const struct param_range *range);
