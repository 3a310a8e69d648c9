/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of one delta, packed; the header describes the form. Pure. */
#include "storage/frame.h"

#include <assert.h>

#include "daemon/base/alloc.h"
#include "storage/varint.h"

enum { FRAME_VERSION = 1, FLAGS_SHIFT = FAMILY_COUNTERS_MAX, COUNTERS_MASK = 15 };

static unsigned presence_of(const struct delta_row *row)
{
	unsigned mask = 0;
	for (unsigned i = 0; i < FAMILY_COUNTERS_MAX; i++)
		if (row->counters[i] != 0)
			mask |= 1U << i;
	return mask;
}

void frame_pack(struct strbuf *out, const struct delta *delta, const int64_t *ids)
{
	strbuf_addc(out, FRAME_VERSION);
	varint_put(out, delta->row_count);
	int64_t last_id = 0;
	for (size_t i = 0; i < delta->row_count; i++) {
		const struct delta_row *row = &delta->rows[i];
		const unsigned mask = presence_of(row);
		assert(row->flags <= COUNTERS_MASK);
		varint_put_signed(out, ids[i] - last_id);
		strbuf_addc(out, (char)(mask | row->flags << FLAGS_SHIFT));
		for (unsigned c = 0; c < FAMILY_COUNTERS_MAX; c++)
			if (mask & 1U << c)
				varint_put(out, (uint64_t)row->counters[c]);
		last_id = ids[i];
	}
	varint_seal(out);
}

static void count_flags(struct delta *delta, unsigned flags)
{
	delta->flags |= flags;
	delta->jitter_count += (flags & DELTA_JITTER) != 0;
	delta->anomaly_count += (flags & DELTA_ANOMALY) != 0;
	delta->late_count += (flags & DELTA_LATE) != 0;
	delta->clamped_count += (flags & DELTA_CLAMPED) != 0;
}

static void unpack_row(struct varint_source *source, const struct frame_names *names,
		       uint64_t *last_id, struct delta_row *row)
{
	*last_id += (uint64_t)varint_get_signed(source);
	const unsigned byte = varint_byte(source);
	*row = (struct delta_row){.flags = byte >> FLAGS_SHIFT};
	for (unsigned c = 0; c < FAMILY_COUNTERS_MAX; c++)
		if (byte & 1U << c)
			row->counters[c] = (int64_t)varint_get(source);
	if (*last_id < names->count)
		row->name = names->by_id[*last_id];
	if (!row->name)
		source->is_broken = true;
}

bool frame_unpack(const void *body, size_t size, const struct frame_names *names,
		  struct delta_row **rows, size_t *row_capacity, struct delta *delta,
		  struct error *err)
{
	struct varint_source source = varint_open(body, size);
	if (varint_byte(&source) != FRAME_VERSION)
		return error_set(err, ERROR_CORRUPT, 0, "a frame of %zu bytes is damaged", size);
	const uint64_t row_count = varint_get(&source);
	/* A row takes two bytes at least: a count beyond that is damage, not a reason to allocate.
	 */
	if (row_count > size / 2)
		return error_set(err, ERROR_CORRUPT, 0, "a frame of %zu bytes is damaged", size);
	if (row_count > *row_capacity) {
		*rows = xreallocarray(*rows, row_count, sizeof(**rows));
		*row_capacity = row_count;
	}
	struct delta unpacked = *delta;
	unpacked.rows = *rows;
	unpacked.row_count = row_count;
	unpacked.flags = 0;
	uint64_t last_id = 0;
	for (size_t i = 0; i < row_count && !source.is_broken; i++) {
		unpack_row(&source, names, &last_id, &(*rows)[i]);
		count_flags(&unpacked, (*rows)[i].flags);
	}
	if (!varint_is_done(&source))
		return error_set(err, ERROR_CORRUPT, 0, "a frame of %zu bytes is damaged", size);
	*delta = unpacked;
	return true;
}
