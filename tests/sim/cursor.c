/* SPDX-License-Identifier: Apache-2.0 */
/* A place in bytes that came from outside. Pure. */
#include "tests/sim/cursor.h"

#include <assert.h>
#include <string.h>

#include "tests/sim/utf16.h"

const uint8_t *cursor_take(struct cursor *cursor, size_t size_bytes)
{
	if (cursor->is_broken || cursor->left_bytes < size_bytes) {
		cursor->is_broken = true;
		return NULL;
	}
	const uint8_t *taken = cursor->at;
	cursor->at += size_bytes;
	cursor->left_bytes -= size_bytes;
	return taken;
}

uint64_t cursor_unsigned(struct cursor *cursor, size_t width)
{
	assert(width <= 8);
	const uint8_t *bytes = cursor_take(cursor, width);
	uint64_t value = 0;
	for (size_t i = 0; bytes && i < width; i++)
		value |= (uint64_t)bytes[i] << (8 * i);
	return value;
}

uint8_t cursor_u8(struct cursor *cursor)
{
	return (uint8_t)cursor_unsigned(cursor, 1);
}

uint16_t cursor_u16(struct cursor *cursor)
{
	return (uint16_t)cursor_unsigned(cursor, 2);
}

uint32_t cursor_u32(struct cursor *cursor)
{
	return (uint32_t)cursor_unsigned(cursor, 4);
}

void cursor_text(struct cursor *cursor, size_t unit_count, char *text, size_t text_size)
{
	const uint8_t *units = cursor_take(cursor, 2 * unit_count);
	struct buffer read = {0};
	if (units)
		utf16_read(&read, units, unit_count);
	if (read.size >= text_size) {
		cursor->is_broken = true;
		read.size = 0;
	}
	if (read.size != 0)
		memcpy(text, read.bytes, read.size);
	text[read.size] = '\0';
	buffer_done(&read);
}
