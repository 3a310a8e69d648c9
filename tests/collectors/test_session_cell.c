/* SPDX-License-Identifier: Apache-2.0 */
/* Cells are read without ever going past what the server sent. */
#include <string.h>

#include "collectors/session.h"
#include "tests/support.h"

static struct session_cell cell_of(const char *bytes, size_t size)
{
	return (struct session_cell){.text = bytes, .size = size};
}

static void text_is_copied_and_ended(void **state)
{
	(void)state;
	char text[8];
	const struct session_cell cell = cell_of("SalesX", 5);
	session_cell_copy(&cell, text, sizeof(text));
	assert_string_equal(text, "Sales");
}

static void a_cut_keeps_characters_whole(void **state)
{
	(void)state;
	char text[4];
	const struct session_cell cell = cell_of("ab\xC3\xA4", 4);
	session_cell_copy(&cell, text, sizeof(text));
	assert_string_equal(text, "ab");
}

static void null_is_empty(void **state)
{
	(void)state;
	char text[4] = "old";
	const struct session_cell cell = {.is_null = true};
	session_cell_copy(&cell, text, sizeof(text));
	assert_string_equal(text, "");
	assert_true(session_cell_uint64(&cell) == 0);
}

static void binary_is_read_highest_byte_first(void **state)
{
	(void)state;
	const struct session_cell address = cell_of("\x00\x00\x01\x7F\x00\x00\x00\x2A", 8);
	assert_true(session_cell_uint64(&address) == UINT64_C(0x17F0000002A));
	const struct session_cell empty = cell_of("", 0);
	assert_true(session_cell_uint64(&empty) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_copied_and_ended),
		cmocka_unit_test(a_cut_keeps_characters_whole),
		cmocka_unit_test(null_is_empty),
		cmocka_unit_test(binary_is_read_highest_byte_first),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
