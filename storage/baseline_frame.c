/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a baseline, packed; the header describes the form. Pure. */
#include "storage/baseline_frame.h"

#include <string.h>

#include "storage/varint.h"

enum { BASELINE_FRAME_VERSION = 1, MAX_BIT = 1 << FAMILY_COUNTERS_MAX };

static void put_double(struct strbuf *out, double value)
{
	uint64_t bits = 0;
	memcpy(&bits, &value, sizeof(bits));
	for (int i = 0; i < 8; i++)
		strbuf_addc(out, (char)(bits >> (8 * i)));
}

static double get_double(struct varint_source *source)
{
	uint64_t bits = 0;
	for (int i = 0; i < 8; i++)
		bits |= (uint64_t)varint_byte(source) << (8 * i);
	double value = 0;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

static void pack_row(struct strbuf *out, const struct sample_row *row)
{
	unsigned mask = row->max_ms != 0 ? MAX_BIT : 0;
	for (unsigned c = 0; c < FAMILY_COUNTERS_MAX; c++)
		if (row->counters[c] != 0)
			mask |= 1U << c;
	strbuf_addc(out, (char)mask);
	for (unsigned c = 0; c < FAMILY_COUNTERS_MAX; c++)
		if (row->counters[c] != 0)
			varint_put(out, (uint64_t)row->counters[c]);
	if (row->max_ms != 0)
		varint_put(out, (uint64_t)row->max_ms);
}

void baseline_frame_pack(struct strbuf *out, const struct baseline *baseline, const int64_t *ids)
{
	strbuf_addc(out, BASELINE_FRAME_VERSION);
	for (int i = 0; i < HEARTBEAT_COUNT; i++)
		put_double(out, baseline->heartbeat_ms_per_s[i]);
	varint_put(out, baseline->sample->row_count);
	int64_t last_id = 0;
	for (size_t i = 0; i < baseline->sample->row_count; i++) {
		varint_put_signed(out, ids[i] - last_id);
		pack_row(out, &baseline->sample->rows[i]);
		last_id = ids[i];
	}
	varint_seal(out);
}

static bool unpack_row(struct varint_source *source, const struct frame_names *names,
		       uint64_t *last_id, struct sample *sample)
{
	*last_id += (uint64_t)varint_get_signed(source);
	const unsigned mask = varint_byte(source);
	int64_t counters[FAMILY_COUNTERS_MAX] = {0};
	for (unsigned c = 0; c < FAMILY_COUNTERS_MAX; c++)
		if (mask & 1U << c)
			counters[c] = (int64_t)varint_get(source);
	const int64_t max_ms = mask & MAX_BIT ? (int64_t)varint_get(source) : 0;
	const char *name = *last_id < names->count ? names->by_id[*last_id] : NULL;
	if (source->is_broken || !name)
		return false;
	sample_add_row(sample, name, strlen(name), counters, max_ms);
	return true;
}

bool baseline_frame_unpack(const void *body, size_t size, const struct frame_names *names,
			   struct baseline *baseline, struct error *err)
{
	struct varint_source source = varint_open(body, size);
	bool is_whole = varint_byte(&source) == BASELINE_FRAME_VERSION;
	for (int i = 0; i < HEARTBEAT_COUNT; i++)
		baseline->heartbeat_ms_per_s[i] = get_double(&source);
	const uint64_t row_count = varint_get(&source);
	uint64_t last_id = 0;
	for (uint64_t i = 0; is_whole && i < row_count; i++)
		is_whole = unpack_row(&source, names, &last_id, baseline->sample);
	if (!is_whole || !varint_is_done(&source))
		return error_set(err, ERROR_CORRUPT, 0, "a baseline of %zu bytes is damaged", size);
	return true;
}
