/* SPDX-License-Identifier: Apache-2.0 */
/* Types and values of columns, as TDS 7.2 and later has them. Pure. */
#include "tests/sim/token_value.h"

#include <string.h>

#include "tests/sim/utf16.h"

enum tds_type {
	TYPE_INTN = 0x26,
	TYPE_DATETIME2N = 0x2A,
	TYPE_BITN = 0x68,
	TYPE_FLTN = 0x6D,
	TYPE_DATETIMN = 0x6F,
	TYPE_VARBINARY = 0xA5,
	TYPE_NVARCHAR = 0xE7,
};

enum {
	CHUNK_SIZE = 8000,
	SHORT_CHARACTERS = 4000,
	SHORT_BYTES = 8000,
	LENGTH_MAX = 0xFFFF, /* as a column's length: (max); as a value's: NULL */
};

static const uint64_t long_null = UINT64_MAX;

void token_collation_add(struct buffer *buffer)
{
	/* SQL_Latin1_General_CP1_CI_AS: LCID 0x0409, flags, sort order 52. */
	static const uint8_t collation[TOKEN_COLLATION_SIZE] = {0x09, 0x04, 0xD0, 0x00, 0x34};
	buffer_add(buffer, collation, sizeof(collation));
}

/* Width of the types that have one, 0 of the others. */
static size_t type_width(enum sql_type type)
{
	switch (type) {
	case SQL_TINYINT:
	case SQL_BIT:
		return 1;
	case SQL_SMALLINT:
		return 2;
	case SQL_INT:
	case SQL_REAL:
		return 4;
	case SQL_BIGINT:
	case SQL_FLOAT:
	case SQL_DATETIME:
	case SQL_DATETIME2:
		return 8;
	case SQL_NVARCHAR:
	case SQL_VARBINARY:
		break;
	}
	return 0;
}

static void add_sized_type(struct buffer *buffer, enum tds_type type, enum sql_type sql_type)
{
	buffer_add_u8(buffer, (uint8_t)type);
	buffer_add_u8(buffer, (uint8_t)type_width(sql_type));
}

static bool column_is_max(const struct sql_column *column)
{
	int most = column->type == SQL_NVARCHAR ? SHORT_CHARACTERS : SHORT_BYTES;
	return column->length <= 0 || column->length > most;
}

void token_type_add(struct buffer *buffer, const struct sql_column *column)
{
	uint16_t length = column_is_max(column) ? LENGTH_MAX : (uint16_t)column->length;
	switch (column->type) {
	case SQL_TINYINT:
	case SQL_SMALLINT:
	case SQL_INT:
	case SQL_BIGINT:
		add_sized_type(buffer, TYPE_INTN, column->type);
		break;
	case SQL_BIT:
		add_sized_type(buffer, TYPE_BITN, column->type);
		break;
	case SQL_REAL:
	case SQL_FLOAT:
		add_sized_type(buffer, TYPE_FLTN, column->type);
		break;
	case SQL_DATETIME:
		add_sized_type(buffer, TYPE_DATETIMN, column->type);
		break;
	case SQL_DATETIME2:
		buffer_add_u8(buffer, TYPE_DATETIME2N);
		buffer_add_u8(buffer, 7);
		break;
	case SQL_NVARCHAR:
		buffer_add_u8(buffer, TYPE_NVARCHAR);
		buffer_add_u16(buffer, length == LENGTH_MAX ? length : (uint16_t)(2 * length));
		token_collation_add(buffer);
		break;
	case SQL_VARBINARY:
		buffer_add_u8(buffer, TYPE_VARBINARY);
		buffer_add_u16(buffer, length);
		break;
	}
}

static int64_t floor_divide(int64_t value, int64_t by)
{
	return value / by - (value % by < 0 ? 1 : 0);
}

/* Days since 1900 and 1/300 s, rounded as the server does: .000 .003 .007. */
static void add_datetime(struct buffer *buffer, int64_t ms)
{
	const int64_t day_ms = 86400000;
	const int64_t day_ticks = INT64_C(86400) * 300;
	int64_t days = floor_divide(ms, day_ms);
	int64_t ticks = ((ms - days * day_ms) * 3 + 5) / 10;
	if (ticks == day_ticks) {
		ticks = 0;
		days++;
	}
	buffer_add_u32(buffer, (uint32_t)days);
	buffer_add_u32(buffer, (uint32_t)ticks);
}

static void add_datetime2(struct buffer *buffer, int64_t us)
{
	const int64_t day_us = 86400000000;
	int64_t days = floor_divide(us, day_us);
	buffer_add_unsigned(buffer, (uint64_t)(us - days * day_us) * 10, 5);
	buffer_add_unsigned(buffer, (uint64_t)days, 3);
}

static void add_float(struct buffer *buffer, double number, enum sql_type type)
{
	uint64_t bits = 0;
	float small = (float)number;
	if (type == SQL_REAL)
		memcpy(&bits, &small, sizeof(small));
	else
		memcpy(&bits, &number, sizeof(number));
	buffer_add_unsigned(buffer, bits, type_width(type));
}

static void add_short_nvarchar(struct buffer *buffer, const struct sql_value *value, int length)
{
	size_t at = buffer->size;
	buffer_add_u16(buffer, 0);
	size_t unit_count = utf16_add(buffer, value->bytes, value->size_bytes, (size_t)length);
	buffer_set_u16(buffer, at, (uint16_t)(2 * unit_count));
}

/* u64 total, chunks with a u32 in front, u32 0. An empty value has no chunk. */
static void add_long(struct buffer *buffer, const void *bytes, size_t size)
{
	buffer_add_u64(buffer, size);
	for (size_t at = 0; at < size; at += CHUNK_SIZE) {
		size_t chunk = size - at < CHUNK_SIZE ? size - at : CHUNK_SIZE;
		buffer_add_u32(buffer, (uint32_t)chunk);
		buffer_add(buffer, (const uint8_t *)bytes + at, chunk);
	}
	buffer_add_u32(buffer, 0);
}

static void add_long_nvarchar(struct buffer *buffer, const struct sql_value *value)
{
	struct buffer text = {0};
	(void)utf16_add(&text, value->bytes, value->size_bytes, SIZE_MAX); /* no limit to report */
	add_long(buffer, text.bytes, text.size);
	buffer_done(&text);
}

static void add_bytes_value(struct buffer *buffer, const struct sql_column *column,
			    const struct sql_value *value)
{
	bool is_max = column_is_max(column);
	if (value->is_null && is_max) {
		buffer_add_u64(buffer, long_null);
	} else if (value->is_null) {
		buffer_add_u16(buffer, LENGTH_MAX);
	} else if (column->type == SQL_NVARCHAR && is_max) {
		add_long_nvarchar(buffer, value);
	} else if (column->type == SQL_NVARCHAR) {
		add_short_nvarchar(buffer, value, column->length);
	} else if (is_max) {
		add_long(buffer, value->bytes, value->size_bytes);
	} else {
		size_t most = (size_t)column->length;
		size_t size = value->size_bytes < most ? value->size_bytes : most;
		buffer_add_u16(buffer, (uint16_t)size);
		buffer_add(buffer, value->bytes, size);
	}
}

void token_value_add(struct buffer *buffer, const struct sql_column *column,
		     const struct sql_value *value)
{
	size_t width = type_width(column->type);
	if (width == 0) {
		add_bytes_value(buffer, column, value);
		return;
	}
	if (value->is_null) {
		buffer_add_u8(buffer, 0);
		return;
	}
	buffer_add_u8(buffer, (uint8_t)width);
	if (column->type == SQL_REAL || column->type == SQL_FLOAT)
		add_float(buffer, value->number, column->type);
	else if (column->type == SQL_DATETIME)
		add_datetime(buffer, value->integer);
	else if (column->type == SQL_DATETIME2)
		add_datetime2(buffer, value->integer);
	else if (column->type == SQL_BIT)
		buffer_add_u8(buffer, value->integer != 0);
	else
		buffer_add_unsigned(buffer, (uint64_t)value->integer, width);
}
