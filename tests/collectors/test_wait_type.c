/* SPDX-License-Identifier: Apache-2.0 */
/* The catalogue of wait types. */
#include "collectors/wait_type.h"

#include <string.h>

#include "collectors/wait_type_table.h"
#include "tests/support.h"

static void catalogue_is_sorted_and_whole(void **state)
{
	(void)state;
	assert_int_equal(wait_type_count, 995);
	for (size_t i = 0; i < wait_type_count; i++) {
		assert_true(wait_type_is_known(wait_types[i].name));
		assert_true(i == 0 || strcmp(wait_types[i - 1].name, wait_types[i].name) < 0);
	}
}

static void categories_are_those_of_the_query_store(void **state)
{
	(void)state;
	assert_string_equal(wait_type_category("PAGELATCH_EX"), "Buffer Latch");
	assert_string_equal(wait_type_category("WRITELOG"), "Tran Log IO");
	assert_string_equal(wait_type_category("LCK_M_RIn_NL"), "Lock");
	assert_string_equal(wait_type_category("FULLTEXT GATHERER"), "Full Text Search");
	assert_string_equal(wait_type_category("BTREE_INSERT_FLOW_CONTROL"), "Insert Flow Control");
}

static void unknown_name_is_other_and_not_idle(void **state)
{
	(void)state;
	assert_false(wait_type_is_known("NO_SUCH_WAIT"));
	assert_string_equal(wait_type_category("NO_SUCH_WAIT"), "Other");
	assert_false(wait_type_is_benign("NO_SUCH_WAIT"));
	assert_false(wait_type_is_known(""));
}

static void names_are_compared_by_case(void **state)
{
	(void)state;
	assert_false(wait_type_is_known("pagelatch_ex"));
	assert_false(wait_type_is_known("WriteLog"));
}

static void idle_waits_are_benign(void **state)
{
	(void)state;
	assert_true(wait_type_is_benign("XE_TIMER_EVENT"));
	assert_true(wait_type_is_benign("LAZYWRITER_SLEEP"));
	assert_true(wait_type_is_benign("SOS_WORK_DISPATCHER"));
}

/* Public ignore lists hide some of these; they are bottlenecks. */
static void bottlenecks_are_never_benign(void **state)
{
	(void)state;
	const char *const names[] = {"PAGELATCH_EX",
				     "BTREE_INSERT_FLOW_CONTROL",
				     "MEMORY_ALLOCATION_EXT",
				     "RESERVED_MEMORY_ALLOCATION_EXT",
				     "EXECSYNC",
				     "PREEMPTIVE_OS_WRITEFILEGATHER",
				     "WRITELOG"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_false(wait_type_is_benign(names[i]));
}

static void catalogue_can_be_walked(void **state)
{
	(void)state;
	size_t count = 0;
	while (wait_type_at(count)) {
		assert_true(wait_type_is_known(wait_type_at(count)));
		count++;
	}
	assert_true(count > 900);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(catalogue_is_sorted_and_whole),
		cmocka_unit_test(categories_are_those_of_the_query_store),
		cmocka_unit_test(unknown_name_is_other_and_not_idle),
		cmocka_unit_test(names_are_compared_by_case),
		cmocka_unit_test(idle_waits_are_benign),
		cmocka_unit_test(bottlenecks_are_never_benign),
		cmocka_unit_test(catalogue_can_be_walked),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
