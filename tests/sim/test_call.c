/* SPDX-License-Identifier: Apache-2.0 */
/* Calls, their parameters and transaction requests, byte by byte as drivers send them. */
#include <string.h>

#include "tests/sim/call.h"
#include "tests/sim/transaction.h"
#include "tests/support.h"

static const uint8_t int_parameter[] = {
	2, '@',	 0, 'p', 0,			 /* name */
	0, 0x26, 4, 4,	 0xFB, 0xFF, 0xFF, 0xFF, /* int -5 */
};

/* sp_executesql by number, no options. */
static const uint8_t executesql[] = {0xFF, 0xFF, 10, 0, 0, 0};

static void add_call(struct buffer *request, const void *parameter, size_t size)
{
	buffer_add(request, executesql, sizeof(executesql));
	buffer_add(request, parameter, size);
}

static struct cursor cursor_of(const struct buffer *request)
{
	return (struct cursor){.at = request->bytes, .left_bytes = request->size};
}

static void calls_follow_each_other_in_one_request(void **state)
{
	struct buffer request = {0};
	struct call call;
	(void)state;
	add_call(&request, int_parameter, sizeof(int_parameter));
	buffer_add_u8(&request, 0xFF);
	add_call(&request, int_parameter, sizeof(int_parameter));
	struct cursor cursor = cursor_of(&request);
	assert_true(call_read(&cursor, &call));
	assert_false(call.is_last);
	call_done(&call);
	assert_true(call_read(&cursor, &call));
	assert_true(call.is_last);
	assert_int_equal(call.procedure, PROCEDURE_EXECUTESQL);
	assert_int_equal(call.parameter_count, 1);
	assert_string_equal(call.parameters[0].name, "@p");
	assert_int_equal(call.parameters[0].value.integer, -5);
	call_done(&call);
	buffer_done(&request);
}

static void call_cut_anywhere_reads_no_further(void **state)
{
	struct buffer request = {0};
	(void)state;
	add_call(&request, int_parameter, sizeof(int_parameter));
	for (size_t size = 0; size < request.size; size++) {
		struct cursor cursor = {.at = request.bytes, .left_bytes = size};
		struct call call;
		bool is_read = call_read(&cursor, &call);
		assert_int_equal(is_read, size == sizeof(executesql));
		call_done(&call);
	}
	buffer_done(&request);
}

static void procedures_are_known_by_name_too(void **state)
{
	static const char *const names[] = {"sp_executesql", "sys.SP_EXECUTESQL",
					    "[sys].[sp_executesql]"};
	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct buffer request = {0};
		struct call call;
		buffer_add_u16(&request, (uint16_t)strlen(names[i]));
		for (const char *letter = names[i]; *letter != '\0'; letter++)
			buffer_add_u16(&request, (uint8_t)*letter);
		buffer_add_u16(&request, 0);
		struct cursor cursor = cursor_of(&request);
		assert_true(call_read(&cursor, &call));
		assert_int_equal(call.procedure, PROCEDURE_EXECUTESQL);
		call_done(&call);
		buffer_done(&request);
	}
}

static void unknown_type_is_named(void **state)
{
	static const uint8_t variant[] = {0, 0, 0x62, 1, 2, 3};
	struct buffer request = {0};
	struct call call;
	(void)state;
	add_call(&request, variant, sizeof(variant));
	struct cursor cursor = cursor_of(&request);
	assert_true(call_read(&cursor, &call));
	assert_int_equal(call.unknown_type, 0x62);
	call_done(&call);
	buffer_done(&request);
}

static void expect_read(const void *bytes, size_t size, enum sql_type type, int64_t integer,
			double number, const char *text)
{
	struct cursor cursor = {.at = bytes, .left_bytes = size};
	struct sql_parameter parameter;
	struct buffer storage = {0};
	uint8_t tds_type;
	assert_int_equal(parameter_read(&cursor, &parameter, &storage, &tds_type), PARAMETER_READ);
	assert_int_equal(cursor.left_bytes, 0);
	assert_int_equal(parameter.type, type);
	assert_int_equal(parameter.value.integer, integer);
	assert_memory_equal(&parameter.value.number, &number, sizeof(number));
	assert_int_equal(parameter.value.size_bytes, strlen(text));
	if (text[0] != '\0')
		assert_memory_equal(parameter.value.bytes, text, strlen(text));
	buffer_done(&storage);
}

static void values_of_all_layouts_are_read(void **state)
{
	static const uint8_t tinyint[] = {0, 0, 0x26, 1, 1, 0xFF};
	static const uint8_t money[] = {0, 0, 0x6E, 8, 8, 0, 0, 0, 0, 0x10, 0x27, 0, 0};
	static const uint8_t decimal[] = {0, 0, 0x6A, 5, 9, 2, 5, 0, 0xC9, 4, 0, 0};
	/* A day and a second after 1900; a second after the year 1 in scale 0. */
	static const uint8_t datetime[] = {0, 0, 0x6F, 8, 8, 1, 0, 0, 0, 0x2C, 1, 0, 0};
	static const uint8_t datetime2[] = {0, 0, 0x2A, 0, 6, 1, 0, 0, 0, 0, 0};
	static const uint8_t latin1[] = {0, 0, 0xA7, 9, 0, 9, 4, 0xD0, 0, 0x34, 2, 0, 'a', 0xE9};
	static const uint8_t chunks[] = {0,    0,    0xE7, 0xFF, 0xFF, 9,    4,	   0xD0, 0,
					 0x34, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
					 2,    0,    0,	   0,	 'a',  0,    2,	   0,	 0,
					 0,    'b',  0,	   0,	 0,    0,    0};
	(void)state;
	expect_read(tinyint, sizeof(tinyint), SQL_TINYINT, 255, 0, "");
	expect_read(money, sizeof(money), SQL_FLOAT, 0, 1, "");
	expect_read(decimal, sizeof(decimal), SQL_FLOAT, 0, -12.25, "");
	expect_read(datetime, sizeof(datetime), SQL_DATETIME, 86401000, 0, "");
	expect_read(datetime2, sizeof(datetime2), SQL_DATETIME2, 1000000, 0, "");
	expect_read(latin1, sizeof(latin1), SQL_NVARCHAR, 0, 0, "a\xC3\xA9");
	expect_read(chunks, sizeof(chunks), SQL_NVARCHAR, 0, 0, "ab");
}

static void expect_sql(const uint8_t *bytes, size_t size, const char *text)
{
	struct cursor cursor = {.at = bytes, .left_bytes = size};
	struct buffer sql = {0};
	assert_true(transaction_add_sql(&cursor, &sql));
	assert_int_equal(sql.size, strlen(text));
	assert_memory_equal(sql.bytes, text, sql.size);
	buffer_done(&sql);
}

static void transaction_requests_become_statements(void **state)
{
	static const uint8_t begin[] = {5, 0, 2, 0};
	static const uint8_t save[] = {9, 0, 4, 'a', 0, ']', 0};
	static const uint8_t commit_and_begin[] = {7, 0, 0, 1, 2, 0};
	static const uint8_t promote[] = {6, 0};
	struct cursor cursor = {.at = promote, .left_bytes = sizeof(promote)};
	struct buffer sql = {0};
	(void)state;
	expect_sql(begin, sizeof(begin), "BEGIN TRANSACTION");
	expect_sql(save, sizeof(save), "SAVE TRANSACTION [a]]]");
	expect_sql(commit_and_begin, sizeof(commit_and_begin),
		   "COMMIT TRANSACTION; BEGIN TRANSACTION");
	assert_false(transaction_add_sql(&cursor, &sql));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_follow_each_other_in_one_request),
		cmocka_unit_test(call_cut_anywhere_reads_no_further),
		cmocka_unit_test(procedures_are_known_by_name_too),
		cmocka_unit_test(unknown_type_is_named),
		cmocka_unit_test(values_of_all_layouts_are_read),
		cmocka_unit_test(transaction_requests_become_statements),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
