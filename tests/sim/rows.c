/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of untyped cells. One thread at a time; knows neither SQLite nor the wire. */
#include "tests/sim/rows.h"

#include "tests/sim/text.h"

#include <stdlib.h>
#include <string.h>

static struct cell *next_cell(struct rows *rows, enum cell_kind kind)
{
	if (rows->cell_count == rows->capacity) {
		rows->capacity = rows->capacity == 0 ? 64 : rows->capacity * 2;
		rows->cells = memory_grow(rows->cells, rows->capacity, sizeof(*rows->cells));
	}
	struct cell *cell = &rows->cells[rows->cell_count++];

	*cell = (struct cell){.kind = kind};
	return cell;
}

void rows_add_null(struct rows *rows)
{
	next_cell(rows, CELL_NULL);
}

void rows_add_integer(struct rows *rows, int64_t value)
{
	next_cell(rows, CELL_INTEGER)->integer = value;
}

void rows_add_number(struct rows *rows, double value)
{
	next_cell(rows, CELL_NUMBER)->number = value;
}

void rows_add_text(struct rows *rows, const char *value)
{
	if (!value)
		rows_add_null(rows);
	else
		rows_add_bytes(rows, CELL_TEXT, value, strlen(value));
}

void rows_add_bytes(struct rows *rows, enum cell_kind kind, const void *value, size_t size)
{
	struct cell *cell = next_cell(rows, kind);

	cell->bytes = memory_copy_string(value, size);
	cell->size = size;
}

void rows_add_address(struct rows *rows, uint64_t address)
{
	unsigned char bytes[8];

	if (address == 0) {
		rows_add_null(rows);
		return;
	}
	for (int i = 0; i < 8; i++)
		bytes[i] = (unsigned char)(address >> (56 - 8 * i));
	rows_add_bytes(rows, CELL_BYTES, bytes, sizeof(bytes));
}

size_t rows_count(const struct rows *rows)
{
	return rows->column_count == 0 ? 0 : rows->cell_count / rows->column_count;
}

const struct cell *rows_cell(const struct rows *rows, size_t row, size_t column)
{
	return &rows->cells[row * rows->column_count + column];
}

void rows_keep(struct rows *rows, size_t column, int64_t least, int64_t most)
{
	size_t width = rows->column_count;
	size_t kept = 0;

	for (size_t row = 0; row < rows_count(rows); row++) {
		struct cell *cells = &rows->cells[row * width];
		bool is_kept = cells[column].integer >= least && cells[column].integer <= most;
		for (size_t i = 0; i < width; i++) {
			if (!is_kept)
				cell_done(&cells[i]);
			else if (kept != row)
				rows->cells[kept * width + i] = cells[i];
		}
		kept += is_kept;
	}
	rows->cell_count = kept * width;
}

void rows_clear(struct rows *rows)
{
	for (size_t i = 0; i < rows->cell_count; i++)
		cell_done(&rows->cells[i]);
	rows->cell_count = 0;
}

void rows_done(struct rows *rows)
{
	rows_clear(rows);
	free(rows->cells);
	*rows = (struct rows){0};
}

void cell_done(struct cell *cell)
{
	free(cell->bytes);
	*cell = (struct cell){0};
}
