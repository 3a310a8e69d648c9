/* SPDX-License-Identifier: Apache-2.0 */
/* The T-SQL functions that only work on their arguments: conversions, texts, dates. Any thread. */
#include "tests/sim/functions.h"

#include "tests/sim/text.h"
#include "tests/sim/tsql_type.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char *text_of(sqlite3_value *value)
{
	const unsigned char *text = sqlite3_value_text(value);

	return text ? (const char *)text : "";
}

static void answer_text(sqlite3_context *context, const char *text, size_t size)
{
	sqlite3_result_text(context, text, (int)size, SQLITE_TRANSIENT);
}

/* The bytes of the first `characters` characters of UTF-8. */
static size_t prefix_size(const char *text, int64_t characters)
{
	size_t size = 0;

	while (text[size] != '\0' && characters > 0) {
		size++;
		while (((unsigned char)text[size] & 0xC0) == 0x80)
			size++;
		characters--;
	}
	return size;
}

static int64_t character_count(const char *text)
{
	int64_t count = 0;

	for (; *text != '\0'; text++)
		count += ((unsigned char)*text & 0xC0) != 0x80;
	return count;
}

static void convert_to_text(sqlite3_context *context, sqlite3_value *value,
			    const struct tsql_type *type, int style)
{
	struct text text = {0};

	if (sqlite3_value_type(value) == SQLITE_BLOB) {
		const unsigned char *bytes = sqlite3_value_blob(value);
		text_add(&text, style == 1 ? "0x" : "");
		for (int i = 0; i < sqlite3_value_bytes(value); i++)
			text_add_format(&text, "%02X", bytes[i]);
	} else {
		text_add(&text, text_of(value));
	}
	const char *string = text_string(&text);
	answer_text(context, string,
		    type->length == 0 ? text.size : prefix_size(string, type->length));
	text_done(&text);
}

static int64_t integer_of_bytes(sqlite3_value *value)
{
	const unsigned char *bytes = sqlite3_value_blob(value);
	uint64_t number = 0;

	for (int i = 0; i < sqlite3_value_bytes(value); i++)
		number = number << 8 | bytes[i];
	return (int64_t)number;
}

static bool integer_is_in_range(enum sql_type type, int64_t value)
{
	switch (type) {
	case SQL_TINYINT:
		return value >= 0 && value <= UINT8_MAX;
	case SQL_SMALLINT:
		return value >= INT16_MIN && value <= INT16_MAX;
	case SQL_INT:
		return value >= INT32_MIN && value <= INT32_MAX;
	case SQL_BIGINT:
	case SQL_BIT:
	case SQL_REAL:
	case SQL_FLOAT:
	case SQL_DATETIME:
	case SQL_DATETIME2:
	case SQL_NVARCHAR:
	case SQL_VARBINARY:
		break;
	}
	return true;
}

static void convert_to_integer(sqlite3_context *context, sqlite3_value *value,
			       const struct tsql_type *type, const char *type_name)
{
	bool is_text = sqlite3_value_type(value) == SQLITE_TEXT;
	int64_t number = sqlite3_value_type(value) == SQLITE_BLOB ? integer_of_bytes(value)
								  : sqlite3_value_int64(value);
	char message[200];

	if (is_text && strspn(text_of(value), " +-0123456789") != strlen(text_of(value))) {
		snprintf(
			message, sizeof(message),
			"245 16 Conversion failed when converting the nvarchar value '%.60s' to data type %s.",
			text_of(value), type_name);
		sqlite3_result_error(context, message, -1);
	} else if (!integer_is_in_range(type->type, number)) {
		snprintf(message, sizeof(message),
			 "8115 16 Arithmetic overflow error converting expression to data type %s.",
			 type_name);
		sqlite3_result_error(context, message, -1);
	} else {
		sqlite3_result_int64(context, type->type == SQL_BIT ? number != 0 : number);
	}
}

static void convert_to_time(sqlite3_context *context, sqlite3_value *value, bool is_datetime2)
{
	int64_t utc_us;
	char text[40];

	if (!time_parse(text_of(value), &utc_us)) {
		sqlite3_result_error(
			context,
			"241 16 Conversion failed when converting date and/or time from "
			"character string.",
			-1);
		return;
	}
	time_format(utc_us, is_datetime2, text);
	answer_text(context, text, strlen(text));
}

/* Arguments: the type's name, the value, the style. */
void function_convert(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	const char *name = text_of(argv[0]);
	struct tsql_type type;

	if (sqlite3_value_type(argv[1]) == SQLITE_NULL)
		return;
	if (!tsql_type_parse(name, strlen(name), &type)) {
		char message[200];
		snprintf(message, sizeof(message),
			 "243 16 Type %.100s is not a defined system type.", name);
		sqlite3_result_error(context, message, -1);
		return;
	}
	switch (type.type) {
	case SQL_TINYINT:
	case SQL_SMALLINT:
	case SQL_INT:
	case SQL_BIGINT:
	case SQL_BIT:
		convert_to_integer(context, argv[1], &type, name);
		break;
	case SQL_REAL:
	case SQL_FLOAT:
		sqlite3_result_double(context, sqlite3_value_double(argv[1]));
		break;
	case SQL_DATETIME:
	case SQL_DATETIME2:
		convert_to_time(context, argv[1], type.type == SQL_DATETIME2);
		break;
	case SQL_NVARCHAR:
		convert_to_text(context, argv[1], &type, argc > 2 ? sqlite3_value_int(argv[2]) : 0);
		break;
	case SQL_VARBINARY:
		sqlite3_result_blob(context, sqlite3_value_blob(argv[1]),
				    sqlite3_value_bytes(argv[1]), SQLITE_TRANSIENT);
		break;
	}
}

void function_concat(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	struct text text = {0};

	for (int i = 0; i < argc; i++)
		text_add(&text, text_of(argv[i]));
	answer_text(context, text_string(&text), text.size);
	text_done(&text);
}

void function_quotename(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	const char *opening = argc > 1 ? text_of(argv[1]) : "[";
	const char *closing = *opening == '[' ? "]" : opening;
	struct text text = {0};

	if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
		return;
	text_add_bytes(&text, opening, 1);
	for (const char *at = text_of(argv[0]); *at != '\0'; at++) {
		if (*at == *closing)
			text_add_bytes(&text, at, 1);
		text_add_bytes(&text, at, 1);
	}
	text_add_bytes(&text, closing, 1);
	answer_text(context, text_string(&text), text.size);
	text_done(&text);
}

void function_len(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	(void)argc;
	if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
		return;
	const char *text = text_of(argv[0]);
	int64_t count = character_count(text);
	for (size_t size = strlen(text); size > 0 && text[size - 1] == ' '; size--)
		count--;
	sqlite3_result_int64(context, count);
}

void function_left(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	(void)argc;
	if (sqlite3_value_type(argv[0]) != SQLITE_NULL)
		answer_text(context, text_of(argv[0]),
			    prefix_size(text_of(argv[0]), sqlite3_value_int64(argv[1])));
}

void function_right(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	(void)argc;
	if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
		return;
	const char *text = text_of(argv[0]);
	int64_t skipped = character_count(text) - sqlite3_value_int64(argv[1]);
	const char *rest = text + prefix_size(text, skipped);
	answer_text(context, rest, strlen(rest));
}

void function_charindex(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	const char *text = text_of(argv[1]);
	size_t start = argc > 2 && sqlite3_value_int(argv[2]) > 1
			       ? prefix_size(text, sqlite3_value_int(argv[2]) - 1)
			       : 0;
	const char *found = strcasestr(text + start, text_of(argv[0]));

	sqlite3_result_int64(context, found ? (int64_t)(found - text) + 1 : 0);
}

/* Parts of a date that have a fixed length. */
static int64_t part_us(const char *part)
{
	static const struct {
		const char *names[3];
		int64_t us;
	} parts[] = {
		{{"microsecond", "mcs", "mcs"}, 1},
		{{"millisecond", "ms", "ms"}, 1000},
		{{"second", "ss", "s"}, 1000000},
		{{"minute", "mi", "n"}, INT64_C(60000000)},
		{{"hour", "hh", "hh"}, INT64_C(3600000000)},
		{{"day", "dd", "d"}, INT64_C(86400000000)},
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		for (int name = 0; name < 3; name++)
			if (strcasecmp(part, parts[i].names[name]) == 0)
				return parts[i].us;
	return 0;
}

/* As T-SQL counts: boundaries crossed, not whole units passed. */
void function_datediff(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	int64_t unit_us = part_us(text_of(argv[0]));
	int64_t from_us;
	int64_t to_us;

	(void)argc;
	if (unit_us != 0 && time_parse(text_of(argv[1]), &from_us) &&
	    time_parse(text_of(argv[2]), &to_us))
		sqlite3_result_int64(context, to_us / unit_us - from_us / unit_us);
}

void function_dateadd(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	int64_t unit_us = part_us(text_of(argv[0]));
	int64_t from_us;
	char text[40];

	(void)argc;
	if (unit_us == 0 || !time_parse(text_of(argv[2]), &from_us))
		return;
	time_format(from_us + sqlite3_value_int64(argv[1]) * unit_us, strlen(text_of(argv[2])) > 23,
		    text);
	answer_text(context, text, strlen(text));
}
