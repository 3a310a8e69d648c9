/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds samples: one array of rows and one block of names per sample, so that a poll of 1300 rows
 * costs a dozen allocations. Runs in the thread that polls. Knows no I/O.
 *
 * The block of names moves while it grows; every pointer into it is then moved along.
 */
#include "collectors/sample.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/base/alloc.h"

enum { NAMES_FIRST_CAPACITY = 4096 };

struct sample *sample_new(enum family family, const struct epoch *epoch, struct instant taken)
{
	struct sample *sample = xcalloc(1, sizeof(*sample));
	sample->family = family;
	sample->epoch = *epoch;
	sample->taken = taken;
	return sample;
}

void sample_free(struct sample *sample)
{
	if (!sample)
		return;
	free(sample->rows);
	free(sample->rejected);
	free(sample->names);
	free(sample);
}

static void move_names(struct sample *sample, size_t capacity)
{
	char *names = xmalloc(capacity);
	if (sample->names_size > 0)
		memcpy(names, sample->names, sample->names_size);
	for (size_t i = 0; i < sample->row_count; i++)
		sample->rows[i].name = names + (sample->rows[i].name - sample->names);
	for (size_t i = 0; i < sample->rejected_name_count; i++)
		sample->rejected[i] = names + (sample->rejected[i] - sample->names);
	free(sample->names);
	sample->names = names;
	sample->names_capacity = capacity;
}

static const char *keep_name(struct sample *sample, const char *name, size_t size)
{
	if (sample->names_size + size + 1 > sample->names_capacity) {
		size_t doubled = 2 * sample->names_capacity;
		move_names(sample, doubled > 0 ? doubled : (size_t)NAMES_FIRST_CAPACITY);
	}
	char *kept = sample->names + sample->names_size;
	memcpy(kept, name, size);
	kept[size] = '\0';
	sample->names_size += size + 1;
	return kept;
}

static bool is_usable(enum family family, const int64_t counters[FAMILY_COUNTERS_MAX],
		      int64_t max_ms)
{
	int count = family_shape(family)->counter_count;
	for (int i = 0; i < count; i++)
		if (counters[i] < 0)
			return false;
	return max_ms >= 0;
}

static struct sample_row *append_row(struct sample *sample, const char *name, size_t name_size)
{
	const char *kept = keep_name(sample, name, name_size);
	sample->rows = array_grow(sample->rows, sample->row_count, &sample->row_capacity,
				  sizeof(*sample->rows));
	struct sample_row *row = &sample->rows[sample->row_count++];
	*row = (struct sample_row){.name = kept};
	return row;
}

static void append_rejected(struct sample *sample, const char *name, size_t name_size)
{
	const char *kept = keep_name(sample, name, name_size);
	sample->rejected = array_grow(sample->rejected, sample->rejected_name_count,
				      &sample->rejected_capacity, sizeof(*sample->rejected));
	sample->rejected[sample->rejected_name_count++] = kept;
}

void sample_add_row(struct sample *sample, const char *name, size_t name_size,
		    const int64_t counters[FAMILY_COUNTERS_MAX], int64_t max_ms)
{
	if (sample->row_count + sample->rejected_name_count >= SAMPLE_ROWS_MAX) {
		sample->is_truncated = true;
		return;
	}
	while (name_size > 0 && name[name_size - 1] == ' ')
		name_size--;
	bool is_named = name_size > 0 && name_size <= SAMPLE_NAME_SIZE_MAX &&
			!memchr(name, '\0', name_size);
	if (!is_named || !is_usable(sample->family, counters, max_ms)) {
		sample->rejected_count++;
		if (is_named)
			append_rejected(sample, name, name_size);
		return;
	}
	struct sample_row *row = append_row(sample, name, name_size);
	row->max_ms = max_ms;
	int count = family_shape(sample->family)->counter_count;
	for (int i = 0; i < count; i++)
		row->counters[i] = counters[i];
}

void sample_reserve_like(struct sample *sample, const struct sample *other)
{
	if (other->row_count > sample->row_capacity) {
		sample->rows = xreallocarray(sample->rows, other->row_count, sizeof(*sample->rows));
		sample->row_capacity = other->row_count;
	}
	if (other->names_size > sample->names_capacity)
		move_names(sample, other->names_size);
}

void sample_take_row(struct sample *sample, const struct sample_row *row)
{
	struct sample_row *taken = append_row(sample, row->name, strlen(row->name));
	memcpy(taken->counters, row->counters, sizeof(taken->counters));
	taken->max_ms = row->max_ms;
}

void sample_take_rejected(struct sample *sample, const char *name)
{
	append_rejected(sample, name, strlen(name));
}

static int compare_rows(const void *left, const void *right)
{
	return strcmp(((const struct sample_row *)left)->name,
		      ((const struct sample_row *)right)->name);
}

static int compare_names(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static void seal_rejected(struct sample *sample)
{
	if (sample->rejected_name_count == 0)
		return;
	qsort(sample->rejected, sample->rejected_name_count, sizeof(*sample->rejected),
	      compare_names);
	size_t kept = 1;
	for (size_t i = 1; i < sample->rejected_name_count; i++)
		if (strcmp(sample->rejected[i], sample->rejected[kept - 1]) != 0)
			sample->rejected[kept++] = sample->rejected[i];
	sample->rejected_name_count = kept;
}

static int64_t add_saturated(int64_t left, int64_t right)
{
	return left > INT64_MAX - right ? INT64_MAX : left + right;
}

static void merge_row(struct sample_row *into, const struct sample_row *row)
{
	for (int i = 0; i < FAMILY_COUNTERS_MAX; i++)
		into->counters[i] = add_saturated(into->counters[i], row->counters[i]);
	if (row->max_ms > into->max_ms)
		into->max_ms = row->max_ms;
}

static void seal_rows(struct sample *sample)
{
	size_t kept = 0;
	for (size_t i = 0; i < sample->row_count; i++) {
		const struct sample_row *row = &sample->rows[i];
		if (kept > 0 && strcmp(sample->rows[kept - 1].name, row->name) == 0) {
			merge_row(&sample->rows[kept - 1], row);
			sample->duplicate_count++;
		} else {
			sample->rows[kept++] = *row;
		}
	}
	sample->row_count = kept;
}

static void drop_rejected_rows(struct sample *sample)
{
	size_t kept = 0;
	for (size_t i = 0; i < sample->row_count; i++) {
		if (sample_has_rejected(sample, sample->rows[i].name))
			sample->rejected_count++;
		else
			sample->rows[kept++] = sample->rows[i];
	}
	sample->row_count = kept;
}

bool sample_seal(struct sample *sample, struct error *err)
{
	const char *view = family_shape(sample->family)->view;
	if (sample->is_truncated)
		return error_set(err, ERROR_PROTOCOL, 0, "%s answered more than %d rows", view,
				 SAMPLE_ROWS_MAX);
	seal_rejected(sample);
	if (sample->row_count > 0)
		qsort(sample->rows, sample->row_count, sizeof(*sample->rows), compare_rows);
	seal_rows(sample);
	if (sample->rejected_name_count > 0)
		drop_rejected_rows(sample);
	if (sample->row_count > 0)
		return true;
	if (sample->rejected_count > 0)
		return error_set(err, ERROR_PROTOCOL, 0,
				 "%s answered no usable row, only %lld with NULL or negative cells",
				 view, (long long)sample->rejected_count);
	return error_set(err, ERROR_PROTOCOL, 0, "%s answered no rows, which cannot be", view);
}

const struct sample_row *sample_find(const struct sample *sample, const char *name)
{
	if (sample->row_count == 0)
		return NULL;
	struct sample_row key = {.name = name};
	return bsearch(&key, sample->rows, sample->row_count, sizeof(*sample->rows), compare_rows);
}

bool sample_has_rejected(const struct sample *sample, const char *name)
{
	return sample->rejected_name_count > 0 &&
	       bsearch(&name, sample->rejected, sample->rejected_name_count,
		       sizeof(*sample->rejected), compare_names);
}

struct sample *sample_copy(const struct sample *sample)
{
	struct sample *copy = sample_new(sample->family, &sample->epoch, sample->taken);
	sample_reserve_like(copy, sample);
	copy->duplicate_count = sample->duplicate_count;
	copy->rejected_count = sample->rejected_count;
	for (size_t i = 0; i < sample->row_count; i++)
		sample_take_row(copy, &sample->rows[i]);
	for (size_t i = 0; i < sample->rejected_name_count; i++)
		sample_take_rejected(copy, sample->rejected[i]);
	return copy;
}
