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

/* The part of a piece inside the range, and the buckets it touches. */
struct span {
	int64_t begin_utc_ms; /* of the whole frame */
	int64_t length_ms;
	int64_t from_utc_ms; /* clipped to the range and the window */
	int64_t to_utc_ms;
	size_t first_bucket;
	size_t last_bucket;
	int64_t end_utc_ms; /* of the whole frame */
};

int64_t series_sum(int64_t left, int64_t right)
{
	int64_t sum = 0;
	return __builtin_add_overflow(left, right, &sum) ? INT64_MAX : sum;
}

static int64_t max_of(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t min_of(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static size_t bucket_of(const struct series *series, int64_t utc_ms)
{
	return (size_t)((utc_ms - series->start_utc_ms) / series->step_ms);
}

/* False when nothing of it is inside. */
static bool clip(const struct series *series, const struct series_piece *piece, struct span *span)
{
	span->end_utc_ms = piece->delta->end_utc_ms;
	span->length_ms = piece->span_ms;
	span->begin_utc_ms = span->end_utc_ms - span->length_ms;
	span->from_utc_ms =
		max_of(span->begin_utc_ms, max_of(series->range_start_utc_ms, piece->from_utc_ms));
	span->to_utc_ms =
		min_of(span->end_utc_ms, min_of(series->range_end_utc_ms, piece->to_utc_ms));
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

/* Shares a value out over the buckets; returns what fell inside. */
static int64_t share(const struct series *series, const struct span *span, int64_t value,
		     int64_t *sums)
{
	const int64_t first =
		units_after(value, span->from_utc_ms - span->begin_utc_ms, span->length_ms);
	int64_t before = first;
	for (size_t bucket = span->first_bucket; bucket <= span->last_bucket; bucket++) {
		const int64_t to = end_in_bucket(series, span, bucket);
		const int64_t after = units_after(value, to - span->begin_utc_ms, span->length_ms);
		sums[bucket] = series_sum(sums[bucket], after - before);
		before = after;
	}
	return before - first;
}

static void raise_max(const struct span *span, double rate, double *max_rate)
{
	for (size_t bucket = span->first_bucket; bucket <= span->last_bucket; bucket++)
		if (rate > max_rate[bucket])
			max_rate[bucket] = rate;
}

static void count_row(struct series_name *entry, const struct series_piece *piece, size_t row)
{
	const unsigned flags = piece->delta->rows[row].flags;
	entry->late_count += (flags & DELTA_LATE) != 0;
	entry->flags |= flags;
	entry->interval_count += piece->rolled ? piece->rolled[row].interval_count : 1;
}

static double rate_of(const struct series_piece *piece, size_t row, int time_counter)
{
	if (piece->rolled)
		return piece->rolled[row].max_rate;
	return (double)piece->delta->rows[row].counters[time_counter] * 1000.0 /
	       (double)piece->span_ms;
}

static void add_covered(struct series *series, const struct series_piece *piece,
			const struct span *span)
{
	const struct family_shape *shape = family_shape(series->family);
	const struct delta *const delta = piece->delta;
	(void)share(series, span, delta->interval_ms, series->covered_ms); /* no total is kept */
	for (size_t i = 0; i < delta->row_count; i++) {
		const struct delta_row *row = &delta->rows[i];
		struct series_name *entry = find_name(series, row->name);
		for (int c = 0; c < shape->counter_count; c++) {
			assert(entry->sums[c]);
			if (row->counters[c] != 0)
				entry->total[c] = series_sum(
					entry->total[c],
					share(series, span, row->counters[c], entry->sums[c]));
		}
		raise_max(span, rate_of(piece, i, shape->time_counter), entry->max_rate);
		if (span->to_utc_ms == span->end_utc_ms)
			count_row(entry, piece, i);
	}
}

/* What can not be dated belongs where it was found: to the bucket that its end closes. */
static void add_at_end(struct series *series, const struct series_piece *piece)
{
	const int counter_count = family_shape(series->family)->counter_count;
	const struct delta *const delta = piece->delta;
	const size_t bucket = bucket_of(series, delta->end_utc_ms - 1);
	for (size_t i = 0; i < delta->row_count; i++) {
		const struct delta_row *row = &delta->rows[i];
		struct series_name *entry = find_name(series, row->name);
		for (int c = 0; c < counter_count; c++) {
			assert(entry->sums[c]);
			entry->sums[c][bucket] =
				series_sum(entry->sums[c][bucket], row->counters[c]);
			entry->total[c] = series_sum(entry->total[c], row->counters[c]);
		}
		count_row(entry, piece, i);
	}
}

void series_add_piece(struct series *series, const struct series_piece *piece)
{
	const struct delta *const delta = piece->delta;
	if (delta->has_rate && delta->interval_ms > 0) {
		struct span span;
		if (clip(series, piece, &span))
			add_covered(series, piece, &span);
		return;
	}
	const int64_t end = delta->end_utc_ms;
	if (end > max_of(series->range_start_utc_ms, piece->from_utc_ms) &&
	    end <= min_of(series->range_end_utc_ms, piece->to_utc_ms))
		add_at_end(series, piece);
}

void series_add(struct series *series, const struct delta *delta)
{
	series_add_piece(series, &(struct series_piece){.delta = delta,
							.span_ms = delta->interval_ms,
							.from_utc_ms = INT64_MIN,
							.to_utc_ms = INT64_MAX});
}
