/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of untyped cells: what a view answers and what a query has found. One thread at a time; owns
 * its texts. Times are ISO texts here; the column's type tells the wire what they are.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cell_kind {
	CELL_NULL,
	CELL_INTEGER,
	CELL_NUMBER,
	CELL_TEXT,
	CELL_BYTES,
};

struct cell {
	enum cell_kind kind;
	int64_t integer;
	double number;
	char *bytes; /* of CELL_TEXT and CELL_BYTES, owned */
	size_t size;
};

struct rows {
	size_t column_count;
	struct cell *cells;
	size_t cell_count;
	size_t capacity;
};

/* Each adds the next cell, left to right, row by row. Texts are copied; NULL adds a null. */
void rows_add_null(struct rows *rows);
void rows_add_integer(struct rows *rows, int64_t value);
void rows_add_number(struct rows *rows, double value);
void rows_add_text(struct rows *rows, const char *value);
void rows_add_bytes(struct rows *rows, enum cell_kind kind, const void *value, size_t size);

/* Adds eight bytes, most significant first, as addresses and hashes are shown; 0 adds a null. */
void rows_add_address(struct rows *rows, uint64_t address);

/* Pure. */
size_t rows_count(const struct rows *rows);
const struct cell *rows_cell(const struct rows *rows, size_t row, size_t column);

/* Drops the rows whose integer in that column lies outside least..most. */
void rows_keep(struct rows *rows, size_t column, int64_t least, int64_t most);

/* Forgets the rows and keeps the column count. */
void rows_clear(struct rows *rows);
void rows_done(struct rows *rows);

/* Frees what a cell owns and makes it a null. */
void cell_done(struct cell *cell);
