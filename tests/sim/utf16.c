/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-16LE from and to UTF-8. Pure. */
#include "tests/sim/utf16.h"

#include <stdbool.h>

enum { UNICODE_REPLACEMENT = 0xFFFD };

/* Length of the sequence that a first byte announces; 0 when it cannot be one. */
static size_t sequence_size(uint8_t first)
{
	if (first < 0x80)
		return 1;
	if (first >= 0xC2 && first <= 0xDF)
		return 2;
	if (first >= 0xE0 && first <= 0xEF)
		return 3;
	return first >= 0xF0 && first <= 0xF4 ? 4 : 0;
}

/* Reads one code point and moves *text; broken bytes are taken one at a time. */
static uint32_t code_point_read(const uint8_t **text, const uint8_t *end)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const uint8_t *at = *text;
	size_t size = sequence_size(at[0]);
	*text = at + 1;
	if (size == 1)
		return at[0];
	if (size == 0 || (size_t)(end - at) < size)
		return UNICODE_REPLACEMENT;
	uint32_t code = at[0] & (0x7FU >> size);
	for (size_t i = 1; i < size; i++) {
		if ((at[i] & 0xC0) != 0x80)
			return UNICODE_REPLACEMENT;
		code = code << 6 | (at[i] & 0x3FU);
	}
	if (code < least[size] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
		return UNICODE_REPLACEMENT;
	*text = at + size;
	return code;
}

static void code_point_add(struct buffer *buffer, uint32_t code)
{
	if (code < 0x80) {
		buffer_add_u8(buffer, (uint8_t)code);
		return;
	}
	if (code < 0x800) {
		buffer_add_u8(buffer, (uint8_t)(0xC0 | code >> 6));
	} else if (code < 0x10000) {
		buffer_add_u8(buffer, (uint8_t)(0xE0 | code >> 12));
		buffer_add_u8(buffer, (uint8_t)(0x80 | (code >> 6 & 0x3F)));
	} else {
		buffer_add_u8(buffer, (uint8_t)(0xF0 | code >> 18));
		buffer_add_u8(buffer, (uint8_t)(0x80 | (code >> 12 & 0x3F)));
		buffer_add_u8(buffer, (uint8_t)(0x80 | (code >> 6 & 0x3F)));
	}
	buffer_add_u8(buffer, (uint8_t)(0x80 | (code & 0x3F)));
}

size_t utf16_add(struct buffer *buffer, const char *text, size_t size_bytes, size_t unit_limit)
{
	const uint8_t *at = (const uint8_t *)text;
	const uint8_t *end = at + size_bytes;
	size_t unit_count = 0;
	while (at < end) {
		uint32_t code = code_point_read(&at, end);
		size_t needed = code >= 0x10000 ? 2 : 1;
		if (unit_count + needed > unit_limit)
			break;
		if (needed == 2) {
			buffer_add_u16(buffer, (uint16_t)(0xD800 + ((code - 0x10000) >> 10)));
			code = 0xDC00 + ((code - 0x10000) & 0x3FF);
		}
		buffer_add_u16(buffer, (uint16_t)code);
		unit_count += needed;
	}
	return unit_count;
}

void utf16_read(struct buffer *buffer, const uint8_t *units, size_t unit_count)
{
	for (size_t i = 0; i < unit_count; i++) {
		uint32_t code = bytes_u16(units + 2 * i);
		bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
		uint32_t low =
			is_surrogate && i + 1 < unit_count ? bytes_u16(units + 2 * i + 2) : 0;
		if (is_surrogate && code <= 0xDBFF && low >= 0xDC00 && low <= 0xDFFF) {
			code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
			i++;
		} else if (is_surrogate) {
			code = UNICODE_REPLACEMENT;
		}
		code_point_add(buffer, code);
	}
}
