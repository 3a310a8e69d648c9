/* SPDX-License-Identifier: Apache-2.0 */
/* A place in bytes that came from outside. Reading past the end yields zeroes and marks it broken.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cursor {
	const uint8_t *at;
	size_t left_bytes;
	bool is_broken;
};

/* The next bytes, borrowed; NULL when there are fewer. */
const uint8_t *cursor_take(struct cursor *cursor, size_t size_bytes);

/* Little-endian, of 1 to 8 bytes. */
uint64_t cursor_unsigned(struct cursor *cursor, size_t width);
uint8_t cursor_u8(struct cursor *cursor);
uint16_t cursor_u16(struct cursor *cursor);
uint32_t cursor_u32(struct cursor *cursor);

/* unit_count UTF-16 units as UTF-8 with a zero behind; what has no room is broken and left empty.
 */
void cursor_text(struct cursor *cursor, size_t unit_count, char *text, size_t text_size);
