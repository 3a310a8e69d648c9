/* SPDX-License-Identifier: Apache-2.0 */
/* The table of T-SQL functions: name, arguments, body, type of the answer. Any thread. */
#include "tests/sim/functions.h"

#include "tests/sim/session_state.h"
#include "tests/sim/text.h"

typedef void (*function_body)(sqlite3_context *context, int argc, sqlite3_value **argv);

/* body NULL: SQLite has the function already, only the type of its answer is told here. */
static const struct {
	const char *name;
	int least;
	int most; /* -1 = any number */
	function_body body;
	const char *type; /* NULL = that of the value, or of the first argument */
} functions[] = {
	{"serverproperty", 1, 1, function_serverproperty, NULL},
	{"sim_server_variable", 1, 1, function_server_variable, NULL},
	{"db_id", 0, 1, function_db_id, "smallint"},
	{"db_name", 0, 1, function_db_name, "nvarchar(128)"},
	{"object_name", 1, 2, function_object_name, "nvarchar(128)"},
	{"object_schema_name", 1, 2, function_object_schema_name, "nvarchar(128)"},
	{"object_id", 1, 2, function_object_id, "int"},
	{"schema_name", 0, 1, function_schema_name, "nvarchar(128)"},
	{"type_name", 1, 1, function_type_name, "nvarchar(128)"},
	{"col_length", 2, 2, function_col_length, "smallint"},
	{"has_perms_by_name", 3, 5, function_has_rights, "int"},
	{"is_srvrolemember", 1, 2, function_is_member, "int"},
	{"has_dbaccess", 1, 1, function_has_dbaccess, "int"},
	{"sysutcdatetime", 0, 0, function_datetime2_now, "datetime2"},
	{"sysdatetime", 0, 0, function_datetime2_now, "datetime2"},
	{"getdate", 0, 0, function_datetime_now, "datetime"},
	{"getutcdate", 0, 0, function_datetime_now, "datetime"},
	{"suser_sname", 0, 1, function_session_text, "nvarchar(128)"},
	{"suser_name", 0, 1, function_session_text, "nvarchar(128)"},
	{"user_name", 0, 1, function_session_text, "nvarchar(128)"},
	{"databasepropertyex", 2, 2, function_database_property, "nvarchar(128)"},
	{"original_login", 0, 0, function_session_text, "nvarchar(128)"},
	{"sim_convert", 2, 3, function_convert, NULL},
	{"concat", 1, -1, function_concat, "nvarchar(4000)"},
	{"quotename", 1, 2, function_quotename, "nvarchar(258)"},
	{"len", 1, 1, function_len, "int"},
	{"sim_left", 2, 2, function_left, "nvarchar(4000)"},
	{"sim_right", 2, 2, function_right, "nvarchar(4000)"},
	{"charindex", 2, 3, function_charindex, "int"},
	{"datediff", 3, 3, function_datediff, "int"},
	{"datediff_big", 3, 3, function_datediff, "bigint"},
	{"dateadd", 3, 3, function_dateadd, "datetime"},
	{"upper", 1, 1, NULL, "nvarchar(4000)"},
	{"lower", 1, 1, NULL, "nvarchar(4000)"},
	{"rtrim", 1, 1, NULL, "nvarchar(4000)"},
	{"ltrim", 1, 1, NULL, "nvarchar(4000)"},
	{"replace", 3, 3, NULL, "nvarchar(4000)"},
	{"substring", 3, 3, NULL, "nvarchar(4000)"},
	{"string_agg", 2, 2, NULL, "nvarchar(4000)"},
	{"count", 1, 1, NULL, "int"},
	{"count_big", 1, 1, NULL, "bigint"},
	{"row_number", 0, 0, NULL, "bigint"},
};

const char *function_result_type(const char *name, size_t size)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (text_is_word(name, size, functions[i].name))
			return functions[i].type;
	return NULL;
}

bool functions_register(sqlite3 *database, struct session_engine *engine)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		int least = functions[i].most < 0 ? -1 : functions[i].least;
		for (int count = least; functions[i].body && count <= functions[i].most; count++)
			if (sqlite3_create_function(database, functions[i].name, count, SQLITE_UTF8,
						    engine, functions[i].body, NULL,
						    NULL) != SQLITE_OK)
				return false;
	}
	return true;
}
