/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens into a buffer. Pure; the layouts are those of MS-TDS for 7.2 and later. */
#include "tests/sim/token.h"

#include <string.h>

#include "tests/sim/token_value.h"
#include "tests/sim/utf16.h"

enum token {
	TOKEN_RETURN_STATUS = 0x79,
	TOKEN_COLUMNS = 0x81,
	TOKEN_ERROR = 0xAA,
	TOKEN_INFO = 0xAB,
	TOKEN_RETURN_VALUE = 0xAC,
	TOKEN_LOGIN_ACK = 0xAD,
	TOKEN_FEATURES = 0xAE,
	TOKEN_ROW = 0xD1,
	TOKEN_NULL_BITMAP_ROW = 0xD2,
	TOKEN_ENVIRONMENT = 0xE3,
};

enum {
	NAME_LIMIT = 128,
	FEATURE_UTF8 = 0x0A,
	FEATURE_END = 0xFF,
	MESSAGE_LIMIT = 2047, /* characters; what the server itself allows */
	COLUMN_NULLABLE = 0x0001,
	COLUMN_WRITE_UNKNOWN = 0x0008,
};

/* Text with its length in characters in front, in one byte. */
static void add_short_text(struct buffer *buffer, const char *text)
{
	size_t at = buffer->size;
	buffer_add_u8(buffer, 0);
	size_t unit_count = utf16_add(buffer, text, strlen(text), NAME_LIMIT);
	buffer->bytes[at] = (uint8_t)unit_count;
}

static size_t begin_token(struct buffer *buffer, enum token token)
{
	buffer_add_u8(buffer, (uint8_t)token);
	buffer_add_u16(buffer, 0);
	return buffer->size;
}

static void end_token(struct buffer *buffer, size_t begin)
{
	buffer_set_u16(buffer, begin - 2, (uint16_t)(buffer->size - begin));
}

void token_add_columns(struct buffer *buffer, const struct sql_column *columns, size_t column_count)
{
	buffer_add_u8(buffer, TOKEN_COLUMNS);
	buffer_add_u16(buffer, (uint16_t)column_count);
	for (size_t i = 0; i < column_count; i++) {
		uint16_t flags = COLUMN_WRITE_UNKNOWN;
		if (columns[i].is_nullable)
			flags |= COLUMN_NULLABLE;
		buffer_add_u32(buffer, 0);
		buffer_add_u16(buffer, flags);
		token_type_add(buffer, &columns[i]);
		add_short_text(buffer, columns[i].name);
	}
}

/* Bit set = null, least significant bit first. */
static void add_null_bitmap(struct buffer *buffer, const struct sql_value *values,
			    size_t value_count)
{
	for (size_t first = 0; first < value_count; first += 8) {
		uint8_t bits = 0;
		for (size_t i = first; i < value_count && i < first + 8; i++)
			bits |= (uint8_t)(values[i].is_null << (i - first));
		buffer_add_u8(buffer, bits);
	}
}

static size_t count_nulls(const struct sql_value *values, size_t value_count)
{
	size_t null_count = 0;
	for (size_t i = 0; i < value_count; i++)
		null_count += values[i].is_null;
	return null_count;
}

void token_add_row(struct buffer *buffer, const struct sql_column *columns,
		   const struct sql_value *values, size_t value_count, bool knows_null_bitmap)
{
	/* The bitmap pays when it is shorter than the nulls, which take a byte or more each. */
	bool has_bitmap =
		knows_null_bitmap && count_nulls(values, value_count) > (value_count + 7) / 8;
	buffer_add_u8(buffer, has_bitmap ? TOKEN_NULL_BITMAP_ROW : TOKEN_ROW);
	if (has_bitmap)
		add_null_bitmap(buffer, values, value_count);
	for (size_t i = 0; i < value_count; i++) {
		if (!has_bitmap || !values[i].is_null)
			token_value_add(buffer, &columns[i], &values[i]);
	}
}

void token_add_return_status(struct buffer *buffer, int32_t status)
{
	buffer_add_u8(buffer, TOKEN_RETURN_STATUS);
	buffer_add_u32(buffer, (uint32_t)status);
}

void token_add_return_value(struct buffer *buffer, const struct sql_parameter *parameter,
			    size_t position)
{
	const struct sql_column column = {
		.type = parameter->type, .length = parameter->length, .is_nullable = true};
	buffer_add_u8(buffer, TOKEN_RETURN_VALUE);
	buffer_add_u16(buffer, (uint16_t)position);
	add_short_text(buffer, parameter->name);
	buffer_add_u8(buffer, 1); /* an output parameter */
	buffer_add_u32(buffer, 0);
	buffer_add_u16(buffer, COLUMN_NULLABLE | COLUMN_WRITE_UNKNOWN);
	token_type_add(buffer, &column);
	token_value_add(buffer, &column, &parameter->value);
}

void token_add_done(struct buffer *buffer, enum done_token token, uint16_t status,
		    uint64_t row_count)
{
	buffer_add_u8(buffer, (uint8_t)token);
	buffer_add_u16(buffer, status);
	buffer_add_u16(buffer, 0xC1); /* current command: SELECT */
	buffer_add_u64(buffer, row_count);
}

void token_add_message(struct buffer *buffer, const struct sql_message *message,
		       const char *server_name)
{
	size_t begin = begin_token(buffer, message->severity > 10 ? TOKEN_ERROR : TOKEN_INFO);
	buffer_add_u32(buffer, (uint32_t)message->number);
	buffer_add_u8(buffer, message->state);
	buffer_add_u8(buffer, message->severity);
	size_t at = buffer->size;
	buffer_add_u16(buffer, 0);
	size_t unit_count = utf16_add(buffer, message->text, strlen(message->text), MESSAGE_LIMIT);
	buffer_set_u16(buffer, at, (uint16_t)unit_count);
	add_short_text(buffer, server_name);
	add_short_text(buffer, "");
	buffer_add_u32(buffer, (uint32_t)message->line);
	end_token(buffer, begin);
}

void token_add_environment(struct buffer *buffer, enum environment_type type, const char *new_value,
			   const char *old_value)
{
	size_t begin = begin_token(buffer, TOKEN_ENVIRONMENT);
	buffer_add_u8(buffer, (uint8_t)type);
	add_short_text(buffer, new_value);
	add_short_text(buffer, old_value);
	end_token(buffer, begin);
}

static void add_transaction_id(struct buffer *buffer, uint64_t id)
{
	buffer_add_u8(buffer, id == 0 ? 0 : sizeof(id));
	if (id != 0)
		buffer_add_u64(buffer, id);
}

void token_add_transaction(struct buffer *buffer, enum environment_type type, uint64_t new_id,
			   uint64_t old_id)
{
	size_t begin = begin_token(buffer, TOKEN_ENVIRONMENT);
	buffer_add_u8(buffer, (uint8_t)type);
	add_transaction_id(buffer, new_id);
	add_transaction_id(buffer, old_id);
	end_token(buffer, begin);
}

void token_add_features(struct buffer *buffer)
{
	buffer_add_u8(buffer, TOKEN_FEATURES);
	buffer_add_u8(buffer, FEATURE_UTF8);
	buffer_add_u32(buffer, 1);
	buffer_add_u8(buffer, 1);
	buffer_add_u8(buffer, FEATURE_END);
}

void token_add_collation(struct buffer *buffer)
{
	size_t begin = begin_token(buffer, TOKEN_ENVIRONMENT);
	buffer_add_u8(buffer, ENVIRONMENT_COLLATION);
	buffer_add_u8(buffer, TOKEN_COLLATION_SIZE);
	token_collation_add(buffer);
	buffer_add_u8(buffer, 0);
	end_token(buffer, begin);
}

void token_add_login_ack(struct buffer *buffer, uint32_t tds_version)
{
	static const uint8_t program_version[4] = {15, 0, 0x0F, 0xA0};
	size_t begin = begin_token(buffer, TOKEN_LOGIN_ACK);
	buffer_add_u8(buffer, 1);
	buffer_add_u16_big(buffer, (uint16_t)(tds_version >> 16));
	buffer_add_u16_big(buffer, (uint16_t)tds_version);
	add_short_text(buffer, "Microsoft SQL Server");
	buffer_add(buffer, program_version, sizeof(program_version));
	end_token(buffer, begin);
}
