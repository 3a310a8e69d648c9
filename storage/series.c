/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deltas into buckets. Pure; any thread.
 *
 * Of an interval of length L that brought V units, floor(V * x / L) units have come after x
 * milliseconds; a piece [a, b) of it gets the difference of two such floors. Pieces then add up to
 * V exactly, whatever the cuts, and whoever cuts at the same places gets the same whole numbers.
 */
#include "storage/series.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/alloc.h"

struct series *series_new(enum family family, int64_t start_utc_ms, int64_t end_utc_ms,
			  int64_t step_ms)
{
	struct series *series = xcalloc(1, sizeof(*series));
	series->family = family;
	series->step_ms = step_ms;
	series->start_utc_ms = start_utc_ms - start_utc_ms % step_ms;
	series->range_start_utc_ms = start_utc_ms;
	series->range_end_utc_ms = end_utc_ms;
	if (end_utc_ms > start_utc_ms)
		series->bucket_count =
			(size_t)((end_utc_ms - series->start_utc_ms + step_ms - 1) / step_ms);
	series->covered_ms = xcalloc(series->bucket_count + 1, sizeof(*series->covered_ms));
	return series;
}

void series_free(struct series *series)
{
	if (!series)
		return;
	for (size_t i = 0; i < series->name_count; i++) {
		free(series->names[i].sums[0]); /* one block holds the sums of all counters */
		free(series->names[i].max_rate);
		free(series->names[i].name);
	}
	free(series->names);
	free(series->covered_ms);
	free(series);
}

/* floor(value * part / whole) for 0 <= part <= whole, without a product that overflows. */
static int64_t units_after(int64_t value, int64_t part, int64_t whole)
{
	enum { EXACT_MAX = INT32_MAX }; /* ms, 24 days: its square fits */
	if (part <= 0)
		return 0;
	if (part >= whole)
		return value;
	const int64_t rest = value % whole;
	const int64_t of_rest =
		whole <= EXACT_MAX
			? rest * part / whole
			: (int64_t)((long double)rest * (long double)part / (long double)whole);
	return value / whole * part + of_rest;
}

/* Where a name is or belongs; names are sorted. */
static size_t lower_bound(const struct series *series, const char *name)
{
	size_t low = 0;
	size_t high = series->name_count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (strcmp(series->names[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_at(const struct series *series, size_t at, const char *name)
{
	return at < series->name_count && strcmp(series->names[at].name, name) == 0;
}

static struct series_name *insert_name(struct series *series, size_t at, const char *name)
{
	series->names = array_grow(series->names, series->name_count, &series->name_capacity,
				   sizeof(*series->names));
	struct series_name *entry = &series->names[at];
	memmove(entry + 1, entry, (series->name_count - at) * sizeof(*entry));
	series->name_count++;
	*entry = (struct series_name){.name = xstrdup(name)};
	const int counter_count = family_shape(series->family)->counter_count;
	const size_t sum_count = (size_t)counter_count * series->bucket_count;
	int64_t *sums = xcalloc(sum_count, sizeof(*sums));
	for (int c = 0; c < counter_count; c++)
		entry->sums[c] = sums + (size_t)c * series->bucket_count;
	entry->max_rate = xcalloc(series->bucket_count, sizeof(*entry->max_rate));
	return entry;
}

/*
 * The series of a name. Deltas out of one reader have the same names at the same addresses, so the
 * address is a hint where the name was last time; a wrong hint costs a search and nothing else.
 */
static struct series_name *find_name(struct series *series, const char *name)
{
	uint32_t *hint = &series->hints[((uintptr_t)name >> 4) % SERIES_HINT_COUNT];
	if (!is_at(series, *hint, name))
		*hint = (uint32_t)lower_bound(series, name);
	if (is_at(series, *hint, name))
		return &series->names[*hint];
	return insert_name(series, *hint, name);
}

/* The part of a delta inside the range, and the buckets it touches. */
struct span {
	int64_t begin_utc_ms; /* of the whole interval */
	int64_t length_ms;
	int64_t from_utc_ms; /* clipped to the range */
	int64_t to_utc_ms;
	size_t first_bucket;
	size_t last_bucket;
};

static size_t bucket_of(const struct series *series, int64_t utc_ms)
{
	return (size_t)((utc_ms - series->start_utc_ms) / series->step_ms);
}

/* False when nothing of it is inside. */
static bool clip(const struct series *series, const struct delta *delta, struct span *span)
{
	span->begin_utc_ms = delta->end_utc_ms - delta->interval_ms;
	span->length_ms = delta->interval_ms;
	span->from_utc_ms = span->begin_utc_ms > series->range_start_utc_ms
				    ? span->begin_utc_ms
				    : series->range_start_utc_ms;
	span->to_utc_ms = delta->end_utc_ms < series->range_end_utc_ms ? delta->end_utc_ms
								       : series->range_end_utc_ms;
	if (span->from_utc_ms >= span->to_utc_ms)
		return false;
	span->first_bucket = bucket_of(series, span->from_utc_ms);
	span->last_bucket = bucket_of(series, span->to_utc_ms - 1);
	return true;
}

/* Where the part of the span in a bucket ends. */
static int64_t end_in_bucket(const struct series *series, const struct span *span, size_t bucket)
{
	const int64_t end = series->start_utc_ms + ((int64_t)bucket + 1) * series->step_ms;
	return end < span->to_utc_ms ? end : span->to_utc_ms;
}

static void cover(struct series *series, const struct span *span)
{
	int64_t from = span->from_utc_ms;
	for (size_t bucket = span->first_bucket; bucket <= span->last_bucket; bucket++) {
		const int64_t to = end_in_bucket(series, span, bucket);
		series->covered_ms[bucket] += to - from;
		from = to;
	}
}

static void share_counter(const struct series *series, const struct span *span, int64_t value,
			  int64_t *sums, int64_t *total)
{
	assert(sums);
	int64_t before =
		units_after(value, span->from_utc_ms - span->begin_utc_ms, span->length_ms);
	for (size_t bucket = span->first_bucket; bucket <= span->last_bucket; bucket++) {
		const int64_t to = end_in_bucket(series, span, bucket);
		const int64_t after = units_after(value, to - span->begin_utc_ms, span->length_ms);
		sums[bucket] += after - before;
		*total += after - before;
		before = after;
	}
}

static void raise_max(const struct span *span, int64_t time_ms, double *max_rate)
{
	const double rate = (double)time_ms * 1000.0 / (double)span->length_ms;
	for (size_t bucket = span->first_bucket; bucket <= span->last_bucket; bucket++)
		if (rate > max_rate[bucket])
			max_rate[bucket] = rate;
}

static void add_covered(struct series *series, const struct delta *delta, const struct span *span)
{
	const struct family_shape *shape = family_shape(series->family);
	cover(series, span);
	for (size_t i = 0; i < delta->row_count; i++) {
		const struct delta_row *row = &delta->rows[i];
		struct series_name *entry = find_name(series, row->name);
		for (int c = 0; c < shape->counter_count; c++)
			if (row->counters[c] != 0)
				share_counter(series, span, row->counters[c], entry->sums[c],
					      &entry->total[c]);
		raise_max(span, row->counters[shape->time_counter], entry->max_rate);
		entry->late_count += (row->flags & DELTA_LATE) != 0;
	}
}

/* What can not be dated belongs where it was found: to the bucket that its end closes. */
static void add_at_end(struct series *series, const struct delta *delta)
{
	const int counter_count = family_shape(series->family)->counter_count;
	const size_t bucket = bucket_of(series, delta->end_utc_ms - 1);
	for (size_t i = 0; i < delta->row_count; i++) {
		const struct delta_row *row = &delta->rows[i];
		struct series_name *entry = find_name(series, row->name);
		for (int c = 0; c < counter_count; c++) {
			assert(entry->sums[c]);
			entry->sums[c][bucket] += row->counters[c];
			entry->total[c] += row->counters[c];
		}
		entry->late_count += (row->flags & DELTA_LATE) != 0;
	}
}

void series_add(struct series *series, const struct delta *delta)
{
	if (delta->has_rate && delta->interval_ms > 0) {
		struct span span;
		if (clip(series, delta, &span))
			add_covered(series, delta, &span);
		return;
	}
	if (delta->end_utc_ms > series->range_start_utc_ms &&
	    delta->end_utc_ms <= series->range_end_utc_ms)
		add_at_end(series, delta);
}
