/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters in the layouts of MS-TDS 2.2.5.4 to 2.2.6.6. Pure. */
#include "tests/sim/parameter.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/sim/utf16.h"

enum {
	STATUS_OUTPUT = 0x01,
	COLLATION_SIZE = 5,
	LENGTH_MAX = 0xFFFF,
	DAY_SECONDS = 86400,
	GUID_SIZE = 16,
};

/* How the length of a value stands in front of it. */
enum length_style {
	LENGTH_NONE,  /* the type has one width */
	LENGTH_BYTE,  /* u8, 0 = NULL */
	LENGTH_SHORT, /* u16, 0xFFFF = NULL; in chunks when the type says 0xFFFF */
	LENGTH_LONG,  /* u32, 0xFFFFFFFF = NULL */
	LENGTH_CHUNKS,
};

enum meaning {
	MEANING_NULL,
	MEANING_INTEGER,
	MEANING_BIT,
	MEANING_FLOAT,
	MEANING_MONEY,
	MEANING_DECIMAL,
	MEANING_DATETIME,
	MEANING_DATE,
	MEANING_DATETIME2,
	MEANING_GUID,
	MEANING_UTF16,
	MEANING_LATIN1,
	MEANING_BYTES,
};

struct wire_type {
	uint8_t tds_type;
	enum length_style style;
	uint8_t width;	     /* of LENGTH_NONE */
	uint8_t detail_size; /* bytes of the type behind its number and length */
	enum meaning meaning;
};

static const struct wire_type wire_types[] = {
	{0x1F, LENGTH_NONE, 0, 0, MEANING_NULL},
	{0x22, LENGTH_LONG, 0, 0, MEANING_BYTES},
	{0x23, LENGTH_LONG, 0, COLLATION_SIZE, MEANING_LATIN1},
	{0x24, LENGTH_BYTE, 0, 1, MEANING_GUID},
	{0x26, LENGTH_BYTE, 0, 1, MEANING_INTEGER},
	{0x28, LENGTH_BYTE, 0, 0, MEANING_DATE},
	{0x2A, LENGTH_BYTE, 0, 1, MEANING_DATETIME2},
	{0x2B, LENGTH_BYTE, 0, 1, MEANING_DATETIME2},
	{0x30, LENGTH_NONE, 1, 0, MEANING_INTEGER},
	{0x32, LENGTH_NONE, 1, 0, MEANING_BIT},
	{0x34, LENGTH_NONE, 2, 0, MEANING_INTEGER},
	{0x38, LENGTH_NONE, 4, 0, MEANING_INTEGER},
	{0x3A, LENGTH_NONE, 4, 0, MEANING_DATETIME},
	{0x3B, LENGTH_NONE, 4, 0, MEANING_FLOAT},
	{0x3C, LENGTH_NONE, 8, 0, MEANING_MONEY},
	{0x3D, LENGTH_NONE, 8, 0, MEANING_DATETIME},
	{0x3E, LENGTH_NONE, 8, 0, MEANING_FLOAT},
	{0x63, LENGTH_LONG, 0, COLLATION_SIZE, MEANING_UTF16},
	{0x68, LENGTH_BYTE, 0, 1, MEANING_BIT},
	{0x6A, LENGTH_BYTE, 0, 3, MEANING_DECIMAL},
	{0x6C, LENGTH_BYTE, 0, 3, MEANING_DECIMAL},
	{0x6D, LENGTH_BYTE, 0, 1, MEANING_FLOAT},
	{0x6E, LENGTH_BYTE, 0, 1, MEANING_MONEY},
	{0x6F, LENGTH_BYTE, 0, 1, MEANING_DATETIME},
	{0x7A, LENGTH_NONE, 4, 0, MEANING_MONEY},
	{0x7F, LENGTH_NONE, 8, 0, MEANING_INTEGER},
	{0xA5, LENGTH_SHORT, 0, 0, MEANING_BYTES},
	{0xA7, LENGTH_SHORT, 0, COLLATION_SIZE, MEANING_LATIN1},
	{0xAD, LENGTH_SHORT, 0, 0, MEANING_BYTES},
	{0xAF, LENGTH_SHORT, 0, COLLATION_SIZE, MEANING_LATIN1},
	{0xE7, LENGTH_SHORT, 0, COLLATION_SIZE, MEANING_UTF16},
	{0xEF, LENGTH_SHORT, 0, COLLATION_SIZE, MEANING_UTF16},
	{0xF1, LENGTH_CHUNKS, 0, 1, MEANING_UTF16},
};

/* The bytes of one value, wherever they lie. */
struct raw {
	const uint8_t *bytes;
	size_t size;
	bool is_null;
};

static const struct wire_type *wire_type_find(uint8_t tds_type)
{
	for (size_t i = 0; i < sizeof(wire_types) / sizeof(wire_types[0]); i++) {
		if (wire_types[i].tds_type == tds_type)
			return &wire_types[i];
	}
	return NULL;
}

/* u64 total (all ones = NULL, one less = unknown), chunks with a u32 in front, u32 0. */
static struct raw read_chunks(struct cursor *cursor, struct buffer *joined)
{
	if (cursor_unsigned(cursor, 8) == UINT64_MAX)
		return (struct raw){.is_null = true};
	for (;;) {
		size_t size = cursor_u32(cursor);
		const uint8_t *bytes = size == 0 ? NULL : cursor_take(cursor, size);
		if (!bytes)
			return (struct raw){.bytes = joined->bytes, .size = joined->size};
		buffer_add(joined, bytes, size);
	}
}

static struct raw read_sized(struct cursor *cursor, size_t size, bool is_null)
{
	if (is_null)
		return (struct raw){.is_null = true};
	return (struct raw){.bytes = cursor_take(cursor, size), .size = size};
}

static struct raw read_raw(struct cursor *cursor, const struct wire_type *type, size_t type_length,
			   struct buffer *joined)
{
	size_t size;
	switch (type->style) {
	case LENGTH_BYTE:
		size = cursor_u8(cursor);
		return read_sized(cursor, size, size == 0);
	case LENGTH_SHORT:
		if (type_length == LENGTH_MAX)
			return read_chunks(cursor, joined);
		size = cursor_u16(cursor);
		return read_sized(cursor, size, size == LENGTH_MAX);
	case LENGTH_LONG:
		size = cursor_u32(cursor);
		return read_sized(cursor, size, size == UINT32_MAX);
	case LENGTH_CHUNKS:
		return read_chunks(cursor, joined);
	case LENGTH_NONE:
		break;
	}
	return read_sized(cursor, type->width, type->width == 0);
}

static uint64_t raw_unsigned(const struct raw *raw, size_t from, size_t width)
{
	uint64_t value = 0;
	for (size_t i = 0; i < width && i < 8 && from + i < raw->size; i++)
		value |= (uint64_t)raw->bytes[from + i] << (8 * i);
	return value;
}

/* tinyint has no sign, the others have one. */
static int64_t raw_integer(const struct raw *raw)
{
	uint64_t value = raw_unsigned(raw, 0, raw->size);
	if (raw->size == 2)
		return (int16_t)value;
	return raw->size == 4 ? (int32_t)value : (int64_t)value;
}

static double raw_float(const struct raw *raw)
{
	double number = 0;
	float small = 0;
	if (raw->size == sizeof(small)) {
		memcpy(&small, raw->bytes, sizeof(small));
		return (double)small;
	}
	if (raw->size == sizeof(number))
		memcpy(&number, raw->bytes, sizeof(number));
	return number;
}

/* Ten thousandths; of eight bytes the high half comes first. */
static double raw_money(const struct raw *raw)
{
	if (raw->size == 4)
		return (double)raw_integer(raw) / 10000;
	uint64_t high = raw_unsigned(raw, 0, 4);
	return (double)(int64_t)(high << 32 | raw_unsigned(raw, 4, 4)) / 10000;
}

static double raw_decimal(const struct raw *raw, uint8_t scale)
{
	double magnitude = 0;
	for (size_t i = raw->size; i > 1; i--)
		magnitude = magnitude * 256 + raw->bytes[i - 1];
	magnitude /= pow(10, scale);
	return raw->size > 0 && raw->bytes[0] == 0 ? -magnitude : magnitude;
}

/* Milliseconds since 1900: days and 1/300 s, or of smalldatetime days and minutes. */
static int64_t raw_datetime(const struct raw *raw)
{
	if (raw->size == 4)
		return ((int64_t)raw_unsigned(raw, 0, 2) * 1440 +
			(int64_t)raw_unsigned(raw, 2, 2)) *
		       60000;
	int64_t days = (int32_t)raw_unsigned(raw, 0, 4);
	return days * DAY_SECONDS * 1000 + (int64_t)raw_unsigned(raw, 4, 4) * 10 / 3;
}

/* Microseconds since the year 1: a time in 10^-scale s of 3 to 5 bytes, then days. An offset in
 * minutes behind them says what to add for local time; the value itself is UTC. */
static int64_t raw_datetime2(const struct raw *raw, uint8_t scale)
{
	size_t time_size = scale <= 2 ? 3 : scale <= 4 ? 4 : 5;
	int64_t time = (int64_t)raw_unsigned(raw, 0, time_size);
	int64_t days = (int64_t)raw_unsigned(raw, time_size, 3);
	for (int i = scale; i < 6; i++)
		time *= 10;
	for (int i = scale; i > 6; i--)
		time /= 10;
	return days * DAY_SECONDS * 1000000 + time;
}

static void add_guid(struct buffer *storage, const struct raw *raw)
{
	static const uint8_t order[GUID_SIZE] = {3, 2, 1,  0,  5,  4,  7,  6,
						 8, 9, 10, 11, 12, 13, 14, 15};
	char text[3];
	for (size_t i = 0; i < GUID_SIZE && raw->size == GUID_SIZE; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			buffer_add_u8(storage, '-');
		snprintf(text, sizeof(text), "%02X", raw->bytes[order[i]]);
		buffer_add(storage, text, 2);
	}
}

static void add_latin1(struct buffer *storage, const struct raw *raw)
{
	for (size_t i = 0; i < raw->size; i++) {
		uint8_t letter = raw->bytes[i];
		if (letter >= 0x80)
			buffer_add_u8(storage, (uint8_t)(0xC0 | letter >> 6));
		buffer_add_u8(storage, letter < 0x80 ? letter : (uint8_t)(0x80 | (letter & 0x3F)));
	}
}

static enum sql_type integer_type(size_t size)
{
	if (size == 1)
		return SQL_TINYINT;
	if (size == 2)
		return SQL_SMALLINT;
	return size == 4 ? SQL_INT : SQL_BIGINT;
}

/* Keeps the bytes in storage, where they outlive the request. */
static void set_bytes(struct sql_parameter *parameter, enum sql_type type, struct buffer *storage)
{
	parameter->type = type;
	parameter->length = 0;
	buffer_terminate(storage);
	parameter->value.bytes = storage->bytes;
	parameter->value.size_bytes = storage->size;
}

static void set_value(struct sql_parameter *parameter, enum meaning meaning, const struct raw *raw,
		      uint8_t scale, struct buffer *storage)
{
	struct sql_value *value = &parameter->value;
	switch (meaning) {
	case MEANING_NULL:
		break;
	case MEANING_BIT:
	case MEANING_INTEGER:
		parameter->type = meaning == MEANING_BIT ? SQL_BIT : integer_type(raw->size);
		value->integer = raw_integer(raw);
		break;
	case MEANING_FLOAT:
		value->number = raw_float(raw);
		break;
	case MEANING_MONEY:
		value->number = raw_money(raw);
		break;
	case MEANING_DECIMAL:
		value->number = raw_decimal(raw, scale);
		break;
	case MEANING_DATETIME:
		parameter->type = SQL_DATETIME;
		value->integer = raw_datetime(raw);
		break;
	case MEANING_DATE:
		parameter->type = SQL_DATETIME2;
		value->integer = (int64_t)raw_unsigned(raw, 0, 3) * DAY_SECONDS * 1000000;
		break;
	case MEANING_DATETIME2:
		parameter->type = SQL_DATETIME2;
		value->integer = raw_datetime2(raw, scale);
		break;
	case MEANING_GUID:
		add_guid(storage, raw);
		set_bytes(parameter, SQL_NVARCHAR, storage);
		break;
	case MEANING_UTF16:
		utf16_read(storage, raw->bytes, raw->size / 2);
		set_bytes(parameter, SQL_NVARCHAR, storage);
		break;
	case MEANING_LATIN1:
		add_latin1(storage, raw);
		set_bytes(parameter, SQL_NVARCHAR, storage);
		break;
	case MEANING_BYTES:
		buffer_add(storage, raw->bytes, raw->size);
		set_bytes(parameter, SQL_VARBINARY, storage);
		break;
	}
}

enum parameter_result parameter_read(struct cursor *cursor, struct sql_parameter *parameter,
				     struct buffer *storage, uint8_t *tds_type)
{
	struct buffer joined = {0};
	size_t length = 0;
	*parameter = (struct sql_parameter){.type = SQL_FLOAT};
	cursor_text(cursor, cursor_u8(cursor), parameter->name, sizeof(parameter->name));
	parameter->is_output = (cursor_u8(cursor) & STATUS_OUTPUT) != 0;
	*tds_type = cursor_u8(cursor);
	const struct wire_type *type = wire_type_find(*tds_type);
	if (cursor->is_broken)
		return PARAMETER_BROKEN;
	if (!type)
		return PARAMETER_UNKNOWN_TYPE;
	if (type->style == LENGTH_SHORT || type->style == LENGTH_LONG)
		length = cursor_unsigned(cursor, type->style == LENGTH_SHORT ? 2 : 4);
	/* Of the details only the last byte ever matters: it is the scale. */
	const uint8_t *detail = cursor_take(cursor, type->detail_size);
	uint8_t scale = detail && type->detail_size > 0 ? detail[type->detail_size - 1] : 0;
	struct raw raw = read_raw(cursor, type, length, &joined);
	parameter->value.is_null = raw.is_null;
	if (!raw.is_null && !cursor->is_broken)
		set_value(parameter, type->meaning, &raw, scale, storage);
	buffer_done(&joined);
	return cursor->is_broken ? PARAMETER_BROKEN : PARAMETER_READ;
}
