/* SPDX-License-Identifier: Apache-2.0 */
/* Integers in as few bytes as they need; see the header. Pure. */
#include "storage/varint.h"

#include <zlib.h>

enum { CRC_SIZE = 4, VARINT_SIZE_MAX = 10 };

void varint_put(struct strbuf *out, uint64_t value)
{
	char *bytes = strbuf_reserve(out, VARINT_SIZE_MAX);
	size_t size = 0;
	while (value >= 0x80) {
		bytes[size++] = (char)(value | 0x80);
		value >>= 7;
	}
	bytes[size++] = (char)value;
	strbuf_grew(out, size);
}

void varint_put_signed(struct strbuf *out, int64_t value)
{
	const uint64_t doubled = (uint64_t)value << 1;
	varint_put(out, value < 0 ? ~doubled : doubled);
}

static uint32_t checksum(const void *bytes, size_t size)
{
	return (uint32_t)crc32_z(crc32_z(0, NULL, 0), bytes, size);
}

void varint_seal(struct strbuf *out)
{
	const uint32_t crc = checksum(out->data, out->size);
	for (int i = 0; i < CRC_SIZE; i++)
		strbuf_addc(out, (char)(crc >> (8 * i)));
}

struct varint_source varint_open(const void *body, size_t size)
{
	struct varint_source source = {.is_broken = true};
	if (size < CRC_SIZE)
		return source;
	source.next = body;
	source.end = source.next + (size - CRC_SIZE);
	uint32_t crc = 0;
	for (int i = 0; i < CRC_SIZE; i++)
		crc |= (uint32_t)source.end[i] << (8 * i);
	source.is_broken = crc != checksum(body, size - CRC_SIZE);
	return source;
}

uint8_t varint_byte(struct varint_source *source)
{
	if (source->is_broken || source->next == source->end) {
		source->is_broken = true;
		return 0;
	}
	return *source->next++;
}

uint64_t varint_get(struct varint_source *source)
{
	uint64_t value = 0;
	for (int shift = 0; shift < 64; shift += 7) {
		const uint8_t byte = varint_byte(source);
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return value;
	}
	source->is_broken = true;
	return 0;
}

int64_t varint_get_signed(struct varint_source *source)
{
	const uint64_t folded = varint_get(source);
	return (int64_t)((folded >> 1) ^ (~(folded & 1) + 1));
}

bool varint_is_done(const struct varint_source *source)
{
	return !source->is_broken && source->next == source->end;
}
