/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bodies of the T-SQL functions, as SQLite calls them; functions.c has the table of their
 * names. All run in the thread of the session whose engine is the user data.
 */
#pragma once

#include <sqlite3.h>

/* What the server is and has: functions_server.c. */
void function_serverproperty(sqlite3_context *context, int argc, sqlite3_value **argv);
void function_server_variable(sqlite3_context *context, int argc, sqlite3_value **argv);
void function_db_id(sqlite3_context *context, int argc, sqlite3_value **argv);
void function_db_name(sqlite3_context *context, int argc, sqlite3_value **argv);
void function_object_name(sqlite3_context *context, int argc, sqlite3_value **argv);
void function_object_schema_name(sqlite3_context *context, int argc, sqlite3_value **argv);
void function_object_id(sqlite3_context *context, int argc, sqlite3_value **argv);
void function_schema_name(sqlite3_context *context, int argc, sqlite3_value **argv);
void function_type_name(sqlite3_context *context, int argc, sqlite3_value **argv);
void function_col_length(sqlite3_context *context, int argc, sqlite3_value **argv);
void function_datetime2_now(sqlite3_context *context, int argc, sqlite3_value **argv);
void function_datetime_now(sqlite3_context *context, int argc, sqlite3_value **argv);
void function_database_property(sqlite3_context *context, int argc, sqlite3_value **argv);
void function_session_text(sqlite3_context *context, int argc, sqlite3_value **argv);

/* What a login may do: functions_rights.c. */
void function_has_rights(sqlite3_context *context, int argc, sqlite3_value **argv);
void function_is_member(sqlite3_context *context, int argc, sqlite3_value **argv);
void function_has_dbaccess(sqlite3_context *context, int argc, sqlite3_value **argv);

/* What only works on its arguments: functions_value.c. */
void function_convert(sqlite3_context *context, int argc, sqlite3_value **argv);
void function_concat(sqlite3_context *context, int argc, sqlite3_value **argv);
void function_quotename(sqlite3_context *context, int argc, sqlite3_value **argv);
void function_len(sqlite3_context *context, int argc, sqlite3_value **argv);
void function_left(sqlite3_context *context, int argc, sqlite3_value **argv);
void function_right(sqlite3_context *context, int argc, sqlite3_value **argv);
void function_charindex(sqlite3_context *context, int argc, sqlite3_value **argv);
void function_datediff(sqlite3_context *context, int argc, sqlite3_value **argv);
void function_dateadd(sqlite3_context *context, int argc, sqlite3_value **argv);
