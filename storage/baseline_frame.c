/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a baseline, packed; the header describes the form. Pure. */
#include "storage/baseline_frame.h"

#include <string.h>

#include "storage/varint.h"

enum { BASELINE_FRAME_VERSION = 2, MAX_BIT = 1 << FAMILY_COUNTERS_MAX };

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

static void put_id(struct strbuf *out, int64_t id, int64_t *last_id)
{
	varint_put_signed(out, id - *last_id);
	*last_id = id;
}

void baseline_frame_pack(struct strbuf *out, const struct baseline *baseline, const int64_t *ids,
			 const char *boot_id)
{
	const struct sample *sample = baseline->sample;
	int64_t last_id = 0;
	strbuf_addc(out, BASELINE_FRAME_VERSION);
	varint_put(out, strlen(boot_id));
	strbuf_add(out, boot_id, strlen(boot_id));
	for (int i = 0; i < HEARTBEAT_COUNT; i++) {
		put_double(out, baseline->heartbeat_ms_per_s[i]);
		put_double(out, baseline->heartbeat_learned_ms[i]);
		put_double(out, baseline->heartbeat_unread_ms[i]);
	}
	varint_put(out, sample->row_count);
	for (size_t i = 0; i < sample->row_count; i++) {
		put_id(out, ids[i], &last_id);
		pack_row(out, &sample->rows[i]);
	}
	varint_put(out, sample->rejected_name_count);
	for (size_t i = 0; i < sample->rejected_name_count; i++)
		put_id(out, ids[sample->row_count + i], &last_id);
	varint_seal(out);
}

static const char *get_name(struct varint_source *source, const struct frame_names *names,
			    uint64_t *last_id)
{
	*last_id += (uint64_t)varint_get_signed(source);
	return *last_id < names->count ? names->by_id[*last_id] : NULL;
}

static bool unpack_row(struct varint_source *source, const struct frame_names *names,
		       uint64_t *last_id, struct sample *sample)
{
	const char *name = get_name(source, names, last_id);
	const unsigned mask = varint_byte(source);
	int64_t counters[FAMILY_COUNTERS_MAX] = {0};
	for (unsigned c = 0; c < FAMILY_COUNTERS_MAX; c++)
		if (mask & 1U << c)
			counters[c] = (int64_t)varint_get(source);
	const int64_t max_ms = mask & MAX_BIT ? (int64_t)varint_get(source) : 0;
	if (source->is_broken || !name)
		return false;
	sample_add_row(sample, name, strlen(name), counters, max_ms);
	return true;
}

static bool unpack_rejected(struct varint_source *source, const struct frame_names *names,
			    uint64_t *last_id, struct sample *sample)
{
	const char *name = get_name(source, names, last_id);
	if (source->is_broken || !name)
		return false;
	sample_take_rejected(sample, name);
	return true;
}

/* True when the body was packed in this start of the machine. */
static bool unpack_boot_id(struct varint_source *source, const char *boot_id)
{
	const uint64_t size = varint_get(source);
	bool is_same = size == strlen(boot_id) && size > 0;
	for (uint64_t i = 0; i < size && !source->is_broken; i++) {
		const char byte = (char)varint_byte(source);
		is_same = is_same && byte == boot_id[i];
	}
	return is_same;
}

bool baseline_frame_unpack(const void *body, size_t size, const struct frame_names *names,
			   const char *boot_id, struct baseline *baseline, struct error *err)
{
	struct varint_source source = varint_open(body, size);
	bool is_whole = varint_byte(&source) == BASELINE_FRAME_VERSION;
	if (!unpack_boot_id(&source, boot_id))
		baseline->sample->taken.mono_ms = CLOCK_MONO_UNKNOWN;
	for (int i = 0; i < HEARTBEAT_COUNT; i++) {
		baseline->heartbeat_ms_per_s[i] = get_double(&source);
		baseline->heartbeat_learned_ms[i] = get_double(&source);
		baseline->heartbeat_unread_ms[i] = get_double(&source);
	}
	uint64_t last_id = 0;
	const uint64_t row_count = varint_get(&source);
	for (uint64_t i = 0; is_whole && i < row_count; i++)
		is_whole = unpack_row(&source, names, &last_id, baseline->sample);
	const uint64_t rejected_count = is_whole ? varint_get(&source) : 0;
	for (uint64_t i = 0; is_whole && i < rejected_count; i++)
		is_whole = unpack_rejected(&source, names, &last_id, baseline->sample);
	if (!is_whole || !varint_is_done(&source))
		return error_set(err, ERROR_CORRUPT, 0, "a baseline of %zu bytes is damaged", size);
	return true;
}
