/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of one delta, packed; the header describes the form. Pure. */
#include "storage/frame.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "daemon/base/alloc.h"
#include "storage/varint.h"

enum {
	VERSION_POLLED = 1,
	VERSION_ROLLED = 2,
	FLAGS_SHIFT = FAMILY_COUNTERS_MAX,
	COUNTERS_MASK = 15,
};

static const double RATE_UNITS = 1000;
static const double RATE_MAX = 9e15; /* thousandths that a double holds exactly */

void frame_room_done(struct frame_room *room)
{
	free(room->rows);
	free(room->rolled);
	*room = (struct frame_room){0};
}

static unsigned presence_of(const struct delta_row *row)
{
	unsigned mask = 0;
	for (unsigned i = 0; i < FAMILY_COUNTERS_MAX; i++)
		if (row->counters[i] != 0)
			mask |= 1U << i;
	return mask;
}

static void put_rolled(struct strbuf *out, const struct rolled *rolled)
{
	varint_put(out, (uint64_t)llround(fmin(rolled->max_rate * RATE_UNITS, RATE_MAX)));
	varint_put(out, (uint64_t)rolled->interval_count);
}

void frame_pack(struct strbuf *out, const struct delta *delta, const struct rolled *rolled,
		const int64_t *ids)
{
	strbuf_addc(out, rolled ? VERSION_ROLLED : VERSION_POLLED);
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
		if (rolled)
			put_rolled(out, &rolled[i]);
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

static void unpack_rolled(struct varint_source *source, struct rolled *rolled)
{
	rolled->max_rate = (double)varint_get(source) / RATE_UNITS;
	rolled->interval_count = (int64_t)varint_get(source);
}

static void make_room(struct frame_room *room, size_t row_count)
{
	if (row_count <= room->capacity)
		return;
	room->rows = xreallocarray(room->rows, row_count, sizeof(*room->rows));
	room->rolled = xreallocarray(room->rolled, row_count, sizeof(*room->rolled));
	room->capacity = row_count;
}

static bool say_damaged(size_t size, struct error *err)
{
	return error_set(err, ERROR_CORRUPT, 0, "a frame of %zu bytes is damaged", size);
}

bool frame_unpack(const void *body, size_t size, const struct frame_names *names,
		  struct frame_room *room, struct delta *delta, const struct rolled **rolled,
		  struct error *err)
{
	struct varint_source source = varint_open(body, size);
	const unsigned version = varint_byte(&source);
	if (version != VERSION_POLLED && version != VERSION_ROLLED)
		return say_damaged(size, err);
	const uint64_t row_count = varint_get(&source);
	/* A row takes two bytes at least: a count beyond that is damage, not a reason to allocate.
	 */
	if (row_count > size / 2)
		return say_damaged(size, err);
	make_room(room, row_count);
	struct delta unpacked = *delta;
	unpacked.rows = room->rows;
	unpacked.row_count = row_count;
	unpacked.flags = 0;
	uint64_t last_id = 0;
	for (size_t i = 0; i < row_count && !source.is_broken; i++) {
		unpack_row(&source, names, &last_id, &room->rows[i]);
		if (version == VERSION_ROLLED)
			unpack_rolled(&source, &room->rolled[i]);
		count_flags(&unpacked, room->rows[i].flags);
	}
	if (!varint_is_done(&source))
		return say_damaged(size, err);
	*delta = unpacked;
	*rolled = version == VERSION_ROLLED ? room->rolled : NULL;
	return true;
}
