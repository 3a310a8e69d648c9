/* SPDX-License-Identifier: Apache-2.0 */
/*
 * T-SQL type names and times. Times live as ISO text inside the engine ("2024-05-01T10:00:00.123")
 * and become numbers only for the wire. Pure functions all.
 */
#pragma once

#include "tests/sim/result.h"

struct tsql_type {
	enum sql_type type;
	int length; /* as in struct sql_column */
};

/* Reads "nvarchar(60)", "sysname", "bigint" ...; false when it is no type the simulator knows.
 * Pure. */
bool tsql_type_parse(const char *text, size_t size, struct tsql_type *type);

/* Writes UTC microseconds since 1970 as ISO text with 3 or 7 digits of a second. Pure. */
void time_format(int64_t utc_us, bool is_datetime2, char text[static 40]);

/* Reads "2024-05-01", "20240501", with or without a time; microseconds since 1970. Pure. */
bool time_parse(const char *text, int64_t *utc_us);

/* Microseconds since 1970 in the units of SQL_DATETIME and SQL_DATETIME2. Pure. */
int64_t time_to_datetime(int64_t utc_us);
int64_t time_to_datetime2(int64_t utc_us);

/* And back. Pure. */
int64_t time_from_datetime(int64_t datetime_ms);
int64_t time_from_datetime2(int64_t datetime2_us);
