/* SPDX-License-Identifier: Apache-2.0 */
/* Token layouts, byte for byte. */
#include <string.h>

#include "tests/sim/token.h"
#include "tests/sim/utf16.h"
#include "tests/support.h"

#define EXPECT_BYTES(buffer, ...)                                                                  \
	do {                                                                                       \
		const uint8_t want[] = {__VA_ARGS__};                                              \
		assert_int_equal((buffer)->size, sizeof(want));                                    \
		assert_memory_equal((buffer)->bytes, want, sizeof(want));                          \
		buffer_clear(buffer);                                                              \
	} while (0)

static void add_cell(struct buffer *buffer, enum sql_type type, int length, struct sql_value value)
{
	struct sql_column column = {.type = type, .length = length};
	token_add_row(buffer, &column, &value, 1, false);
}

static void columns_carry_type_and_name(void **state)
{
	(void)state;
	struct buffer buffer = {0};
	const struct sql_column columns[] = {
		{.name = "a", .type = SQL_BIGINT, .is_nullable = true},
		{.name = "b", .type = SQL_NVARCHAR, .length = 60},
		{.name = "", .type = SQL_NVARCHAR, .length = 0},
		{.name = "", .type = SQL_DATETIME2},
	};
	token_add_columns(&buffer, columns, 4);
	EXPECT_BYTES(&buffer, 0x81, 4, 0,					     /* */
		     0, 0, 0, 0, 9, 0, 0x26, 8, 1, 'a', 0,			     /* */
		     0, 0, 0, 0, 8, 0, 0xE7, 120, 0, 9, 4, 0xD0, 0, 0x34, 1, 'b', 0, /* */
		     0, 0, 0, 0, 8, 0, 0xE7, 0xFF, 0xFF, 9, 4, 0xD0, 0, 0x34, 0,     /* */
		     0, 0, 0, 0, 8, 0, 0x2A, 7, 0);
	buffer_done(&buffer);
}

static void integers_are_little_endian_behind_their_width(void **state)
{
	(void)state;
	struct buffer buffer = {0};
	add_cell(&buffer, SQL_TINYINT, 0, (struct sql_value){.integer = 200});
	EXPECT_BYTES(&buffer, 0xD1, 1, 200);
	add_cell(&buffer, SQL_SMALLINT, 0, (struct sql_value){.integer = -2});
	EXPECT_BYTES(&buffer, 0xD1, 2, 0xFE, 0xFF);
	add_cell(&buffer, SQL_BIGINT, 0, (struct sql_value){.integer = 51900});
	EXPECT_BYTES(&buffer, 0xD1, 8, 0xBC, 0xCA, 0, 0, 0, 0, 0, 0);
	add_cell(&buffer, SQL_BIT, 0, (struct sql_value){.integer = 7});
	EXPECT_BYTES(&buffer, 0xD1, 1, 1);
	add_cell(&buffer, SQL_FLOAT, 0, (struct sql_value){.number = 1.5});
	EXPECT_BYTES(&buffer, 0xD1, 8, 0, 0, 0, 0, 0, 0, 0xF8, 0x3F);
	add_cell(&buffer, SQL_REAL, 0, (struct sql_value){.number = 1.5});
	EXPECT_BYTES(&buffer, 0xD1, 4, 0, 0, 0xC0, 0x3F);
	buffer_done(&buffer);
}

static void null_has_its_mark_in_every_type(void **state)
{
	(void)state;
	struct buffer buffer = {0};
	const struct sql_value null = {.is_null = true};
	add_cell(&buffer, SQL_INT, 0, null);
	EXPECT_BYTES(&buffer, 0xD1, 0);
	add_cell(&buffer, SQL_DATETIME2, 0, null);
	EXPECT_BYTES(&buffer, 0xD1, 0);
	add_cell(&buffer, SQL_NVARCHAR, 10, null);
	EXPECT_BYTES(&buffer, 0xD1, 0xFF, 0xFF);
	add_cell(&buffer, SQL_VARBINARY, 10, null);
	EXPECT_BYTES(&buffer, 0xD1, 0xFF, 0xFF);
	add_cell(&buffer, SQL_NVARCHAR, 0, null);
	EXPECT_BYTES(&buffer, 0xD1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF);
	buffer_done(&buffer);
}

static void times_count_days_and_parts_of_a_day(void **state)
{
	(void)state;
	struct buffer buffer = {0};
	/* 1900-01-02 00:00:01.007 rounds to 302 ticks of 1/300 s. */
	add_cell(&buffer, SQL_DATETIME, 0, (struct sql_value){.integer = 86401007});
	EXPECT_BYTES(&buffer, 0xD1, 8, 1, 0, 0, 0, 0x2E, 1, 0, 0);
	/* 23:59:59.999 rounds into the next day. */
	add_cell(&buffer, SQL_DATETIME, 0, (struct sql_value){.integer = 86399999});
	EXPECT_BYTES(&buffer, 0xD1, 8, 1, 0, 0, 0, 0, 0, 0, 0);
	/* 1899-12-31 00:00. */
	add_cell(&buffer, SQL_DATETIME, 0, (struct sql_value){.integer = -86400000});
	EXPECT_BYTES(&buffer, 0xD1, 8, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0);
	add_cell(&buffer, SQL_DATETIME2, 0, (struct sql_value){.integer = 2 * 86400000000 + 1});
	EXPECT_BYTES(&buffer, 0xD1, 8, 10, 0, 0, 0, 0, 2, 0, 0);
	buffer_done(&buffer);
}

static void text_is_utf16_with_its_size_in_bytes(void **state)
{
	(void)state;
	struct buffer buffer = {0};
	const struct sql_value text = {.bytes = "a\xF0\x9F\x98\x80", .size_bytes = 5};
	add_cell(&buffer, SQL_NVARCHAR, 10, text);
	EXPECT_BYTES(&buffer, 0xD1, 6, 0, 'a', 0, 0x3D, 0xD8, 0x00, 0xDE);
	add_cell(&buffer, SQL_NVARCHAR, 2, text);
	EXPECT_BYTES(&buffer, 0xD1, 2, 0, 'a', 0);
	add_cell(&buffer, SQL_NVARCHAR, 0, (struct sql_value){.bytes = "a", .size_bytes = 1});
	EXPECT_BYTES(&buffer, 0xD1, 2, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 'a', 0, 0, 0, 0, 0);
	add_cell(&buffer, SQL_NVARCHAR, 0, (struct sql_value){.bytes = "", .size_bytes = 0});
	EXPECT_BYTES(&buffer, 0xD1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
	add_cell(&buffer, SQL_VARBINARY, 8, (struct sql_value){.bytes = "\1\2", .size_bytes = 2});
	EXPECT_BYTES(&buffer, 0xD1, 2, 0, 1, 2);
	buffer_done(&buffer);
}

static void done_counts_in_64_bits(void **state)
{
	(void)state;
	struct buffer buffer = {0};
	token_add_done(&buffer, DONE_BATCH, DONE_MORE | DONE_COUNT, 0x100000001);
	EXPECT_BYTES(&buffer, 0xFD, 0x11, 0, 0xC1, 0, 1, 0, 0, 0, 1, 0, 0, 0);
	buffer_done(&buffer);
}

static void severity_decides_between_info_and_error(void **state)
{
	(void)state;
	struct buffer buffer = {0};
	struct sql_message message = {
		.number = 208, .state = 1, .severity = 16, .text = "x", .line = 3};
	token_add_message(&buffer, &message, "S");
	EXPECT_BYTES(&buffer, 0xAA, 18, 0, 208, 0, 0, 0, 1, 16, 1, 0, 'x', 0, 1, 'S', 0, 0, 3, 0, 0,
		     0);
	message.severity = 10;
	token_add_message(&buffer, &message, "");
	assert_int_equal(buffer.bytes[0], 0xAB);
	buffer_done(&buffer);
}

static void login_ack_names_the_version_big_endian(void **state)
{
	(void)state;
	struct buffer buffer = {0};
	token_add_login_ack(&buffer, 0x74000004);
	const uint8_t want[] = {0xAD, 50, 0, 1, 0x74, 0, 0, 4, 20, 'M', 0};
	assert_int_equal(buffer.size, 53);
	assert_memory_equal(buffer.bytes, want, sizeof(want));
	buffer_done(&buffer);
}

static void environment_holds_new_then_old(void **state)
{
	(void)state;
	struct buffer buffer = {0};
	token_add_environment(&buffer, ENVIRONMENT_DATABASE, "a", "b");
	EXPECT_BYTES(&buffer, 0xE3, 7, 0, 1, 1, 'a', 0, 1, 'b', 0);
	token_add_collation(&buffer);
	EXPECT_BYTES(&buffer, 0xE3, 8, 0, 7, 5, 9, 4, 0xD0, 0, 0x34, 0);
	buffer_done(&buffer);
}

static void broken_text_becomes_replacement_characters(void **state)
{
	(void)state;
	struct buffer buffer = {0};
	const uint8_t lone[] = {0x3D, 0xD8, 'a', 0};
	(void)utf16_add(&buffer, "\xC0\x80z", 3, SIZE_MAX); /* the count is not under test */
	EXPECT_BYTES(&buffer, 0xFD, 0xFF, 0xFD, 0xFF, 'z', 0);
	utf16_read(&buffer, lone, 2);
	EXPECT_BYTES(&buffer, 0xEF, 0xBF, 0xBD, 'a');
	buffer_done(&buffer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_carry_type_and_name),
		cmocka_unit_test(integers_are_little_endian_behind_their_width),
		cmocka_unit_test(null_has_its_mark_in_every_type),
		cmocka_unit_test(times_count_days_and_parts_of_a_day),
		cmocka_unit_test(text_is_utf16_with_its_size_in_bytes),
		cmocka_unit_test(done_counts_in_64_bits),
		cmocka_unit_test(severity_decides_between_info_and_error),
		cmocka_unit_test(login_ack_names_the_version_big_endian),
		cmocka_unit_test(environment_holds_new_then_old),
		cmocka_unit_test(broken_text_becomes_replacement_characters),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
