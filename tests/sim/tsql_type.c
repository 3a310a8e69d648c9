/* SPDX-License-Identifier: Apache-2.0 */
/* T-SQL type names and times. Pure functions; know neither SQLite nor the wire. */
#include "tests/sim/tsql_type.h"

#include "tests/sim/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define SECONDS_1900_TO_1970 INT64_C(2208988800)
#define SECONDS_0001_TO_1970 INT64_C(62135596800)

/* length: the default one when the name carries none. */
static const struct {
	const char *name;
	enum sql_type type;
	int length;
} type_names[] = {
	{"tinyint", SQL_TINYINT, 0},
	{"smallint", SQL_SMALLINT, 0},
	{"int", SQL_INT, 0},
	{"integer", SQL_INT, 0},
	{"bigint", SQL_BIGINT, 0},
	{"bit", SQL_BIT, 0},
	{"real", SQL_REAL, 0},
	{"float", SQL_FLOAT, 0},
	{"decimal", SQL_FLOAT, 0},
	{"numeric", SQL_FLOAT, 0},
	{"money", SQL_FLOAT, 0},
	{"datetime", SQL_DATETIME, 0},
	{"smalldatetime", SQL_DATETIME, 0},
	{"date", SQL_DATETIME, 0},
	{"datetime2", SQL_DATETIME2, 0},
	{"datetimeoffset", SQL_DATETIME2, 0},
	{"nvarchar", SQL_NVARCHAR, 30},
	{"varchar", SQL_NVARCHAR, 30},
	{"nchar", SQL_NVARCHAR, 30},
	{"char", SQL_NVARCHAR, 30},
	{"sysname", SQL_NVARCHAR, 128},
	{"sql_variant", SQL_NVARCHAR, 4000},
	{"uniqueidentifier", SQL_NVARCHAR, 36},
	{"xml", SQL_NVARCHAR, 0},
	{"text", SQL_NVARCHAR, 0},
	{"ntext", SQL_NVARCHAR, 0},
	{"image", SQL_VARBINARY, 0},
	{"varbinary", SQL_VARBINARY, 30},
	{"binary", SQL_VARBINARY, 30},
};

static bool has_length(enum sql_type type)
{
	return type == SQL_NVARCHAR || type == SQL_VARBINARY;
}

bool tsql_type_parse(const char *text, size_t size, struct tsql_type *type)
{
	size_t name_size = 0;

	while (name_size < size &&
	       (isalnum((unsigned char)text[name_size]) || text[name_size] == '_'))
		name_size++;
	for (size_t i = 0; i < sizeof(type_names) / sizeof(type_names[0]); i++) {
		if (!text_is_word(text, name_size, type_names[i].name))
			continue;
		int length = type_names[i].length;
		const char *bracket = memchr(text, '(', size);
		if (bracket && has_length(type_names[i].type)) {
			bracket++;
			while (*bracket == ' ')
				bracket++;
			length = strncasecmp(bracket, "max", 3) == 0
					 ? 0
					 : (int)strtol(bracket, NULL, 10);
		}
		*type = (struct tsql_type){.type = type_names[i].type, .length = length};
		return true;
	}
	return false;
}

void time_format(int64_t utc_us, bool is_datetime2, char text[static 40])
{
	time_t seconds = (time_t)(utc_us / 1000000);
	long micros = (long)(utc_us % 1000000);

	if (micros < 0) {
		micros += 1000000;
		seconds--;
	}
	struct tm broken;
	gmtime_r(&seconds, &broken);
	size_t size = strftime(text, 40, "%Y-%m-%dT%H:%M:%S", &broken);
	if (is_datetime2)
		snprintf(text + size, 40 - size, ".%06ld0", micros);
	else
		snprintf(text + size, 40 - size, ".%03ld", micros / 1000);
}

/* Reads up to seven digits after the point as microseconds. */
static int64_t parse_fraction(const char *text)
{
	int64_t micros = 0;
	int digits = 0;

	if (*text != '.')
		return 0;
	for (text++; isdigit((unsigned char)*text) && digits < 6; text++, digits++)
		micros = micros * 10 + (*text - '0');
	for (; digits < 6; digits++)
		micros *= 10;
	return micros;
}

bool time_parse(const char *text, int64_t *utc_us)
{
	struct tm broken = {0};
	const char *rest = strptime(text, "%Y-%m-%d", &broken);

	if (!rest) {
		broken = (struct tm){0};
		rest = strlen(text) >= 8 ? strptime(text, "%Y%m%d", &broken) : NULL;
	}
	if (!rest)
		return false;
	int64_t micros = 0;
	if (*rest == 'T' || *rest == ' ') {
		const char *time = strptime(rest + 1, "%H:%M:%S", &broken);
		if (!time)
			time = strptime(rest + 1, "%H:%M", &broken);
		if (!time)
			return false;
		micros = parse_fraction(time);
	}
	*utc_us = (int64_t)timegm(&broken) * 1000000 + micros;
	return true;
}

int64_t time_to_datetime(int64_t utc_us)
{
	return utc_us / 1000 + SECONDS_1900_TO_1970 * 1000;
}

int64_t time_to_datetime2(int64_t utc_us)
{
	return utc_us + SECONDS_0001_TO_1970 * 1000000;
}

int64_t time_from_datetime(int64_t datetime_ms)
{
	return (datetime_ms - SECONDS_1900_TO_1970 * 1000) * 1000;
}

int64_t time_from_datetime2(int64_t datetime2_us)
{
	return datetime2_us - SECONDS_0001_TO_1970 * 1000000;
}
