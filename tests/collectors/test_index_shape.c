/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a key grows, and which way, follows from where its values come from. */
#include "collectors/index_shape.h"

#include <string.h>

#include "tests/support.h"

struct row {
	bool is_descending_key;
	bool is_identity;
	int increment;
	const char *leading_default;
};

static struct session_cell text_cell(const char *text)
{
	return (struct session_cell){
		.is_null = !text, .text = text, .size = text ? strlen(text) : 0};
}

static struct page_owner owner_of(const struct row *row)
{
	struct error err = ERROR_INIT;
	struct page_owner owner = {.is_ascending = -1, .is_descending = -1};
	const struct session_cell cells[] = {
		text_cell("PK_Orders"),
		{.integer = 1},
		text_cell("OrderId"),
		{.integer = row->is_descending_key},
		{.integer = row->is_identity},
		{.is_null = !row->is_identity, .integer = row->increment},
		text_cell(row->leading_default),
	};
	assert_true(index_shape_read(cells, 7, &owner, &err));
	return owner;
}

static void identity_ascends(void **state)
{
	(void)state;
	const struct page_owner owner =
		owner_of(&(struct row){.is_identity = true, .increment = 1});
	assert_string_equal(owner.index, "PK_Orders");
	assert_string_equal(owner.leading_column, "OrderId");
	assert_int_equal(owner.optimize_for_sequential_key, 1);
	assert_int_equal(owner.is_ascending, 1);
	assert_int_equal(owner.is_descending, 0);
}

static void negative_increment_descends(void **state)
{
	(void)state;
	const struct page_owner owner =
		owner_of(&(struct row){.is_identity = true, .increment = -1});
	assert_int_equal(owner.is_ascending, 0);
	assert_int_equal(owner.is_descending, 1);
}

static void negative_increment_on_a_descending_key_ascends(void **state)
{
	(void)state;
	const struct page_owner owner = owner_of(
		&(struct row){.is_identity = true, .increment = -1, .is_descending_key = true});
	assert_int_equal(owner.is_ascending, 1);
}

static void sequence_and_clock_defaults_ascend(void **state)
{
	(void)state;
	assert_int_equal(owner_of(&(struct row){.leading_default = "(NEXT VALUE FOR [dbo].[S])"})
				 .is_ascending,
			 1);
	assert_int_equal(
		owner_of(&(struct row){.leading_default = "(sysutcdatetime())"}).is_ascending, 1);
	assert_int_equal(owner_of(&(struct row){.leading_default = "(newid())"}).is_ascending, 0);
}

static void a_heap_has_no_direction(void **state)
{
	(void)state;
	struct error err = ERROR_INIT;
	struct page_owner owner = {.is_ascending = -1, .is_descending = -1};
	struct session_cell cells[7];
	for (int i = 0; i < 7; i++)
		cells[i] = (struct session_cell){.is_null = true};
	assert_true(index_shape_read(cells, 7, &owner, &err));
	assert_string_equal(owner.index, "");
	assert_int_equal(owner.is_ascending, -1);
	assert_int_equal(owner.optimize_for_sequential_key, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(identity_ascends),
		cmocka_unit_test(negative_increment_descends),
		cmocka_unit_test(negative_increment_on_a_descending_key_ascends),
		cmocka_unit_test(sequence_and_clock_defaults_ascend),
		cmocka_unit_test(a_heap_has_no_direction),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
