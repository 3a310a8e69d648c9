/* SPDX-License-Identifier: Apache-2.0 */
/* Reads cells of an answer. Pure; apart from session.c because it needs no library. */
#include <string.h>

#include "collectors/session.h"

void session_cell_copy(const struct session_cell *cell, char *text, size_t text_size)
{
	text[0] = '\0';
	if (cell->is_null || !cell->text)
		return;
	size_t size = cell->size;
	if (size >= text_size) {
		size = text_size - 1;
		while (size > 0 && ((unsigned char)cell->text[size] & 0xC0) == 0x80)
			size--;
	}
	memcpy(text, cell->text, size);
	text[size] = '\0';
}

uint64_t session_cell_uint64(const struct session_cell *cell)
{
	uint64_t value = 0;
	if (cell->is_null || !cell->text)
		return 0;
	for (size_t i = 0; i < cell->size && i < 8; i++)
		value = value << 8 | (unsigned char)cell->text[i];
	return value;
}
