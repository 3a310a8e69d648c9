/* SPDX-License-Identifier: Apache-2.0 */
/* Samples: what is kept of the rows a server sends. */
#include "collectors/sample.h"

#include <stdio.h>
#include <string.h>

#include "tests/support.h"

static const struct epoch epoch = {.server_name = "SQL01", .ms_ticks = 5000};
static const struct instant taken = {.mono_ms = 1, .utc_ms = 2};

static void add(struct sample *sample, const char *name, int64_t count, int64_t time_ms,
		int64_t max_ms)
{
	sample_add_row(sample, name, strlen(name), (int64_t[]){count, time_ms, 0, 0}, max_ms);
}

static void seal(struct sample *sample)
{
	struct error err = ERROR_INIT;
	if (!sample_seal(sample, &err))
		fail_msg("%s", err.text);
}

static void rows_are_sorted_by_name(void **state)
{
	(void)state;
	CLEANUP(sample_freep) struct sample *sample = sample_new(FAMILY_WAITS, &epoch, taken);
	add(sample, "WRITELOG", 1, 1, 1);
	add(sample, "FULLTEXT GATHERER", 1, 1, 1);
	add(sample, "LCK_M_RIn_NL", 1, 1, 1);
	seal(sample);
	assert_string_equal(sample->rows[0].name, "FULLTEXT GATHERER");
	assert_string_equal(sample->rows[1].name, "LCK_M_RIn_NL");
	assert_string_equal(sample->rows[2].name, "WRITELOG");
}

static void names_are_trimmed_on_the_right_only(void **state)
{
	(void)state;
	CLEANUP(sample_freep) struct sample *sample = sample_new(FAMILY_WAITS, &epoch, taken);
	add(sample, " A B  ", 1, 1, 1);
	seal(sample);
	assert_string_equal(sample->rows[0].name, " A B");
}

/* B027. */
static void rows_of_one_name_are_summed(void **state)
{
	(void)state;
	CLEANUP(sample_freep) struct sample *sample = sample_new(FAMILY_WAITS, &epoch, taken);
	add(sample, "LCK_M_X", 3, 40, 9);
	add(sample, "LCK_M_X ", 1, 2, 12);
	seal(sample);
	assert_int_equal(sample->row_count, 1);
	assert_int_equal(sample->rows[0].counters[WAITS_COUNT], 4);
	assert_int_equal(sample->rows[0].counters[WAITS_TIME_MS], 42);
	assert_int_equal(sample->rows[0].max_ms, 12);
	assert_int_equal(sample->duplicate_count, 1);
}

static void sum_of_huge_duplicates_saturates(void **state)
{
	(void)state;
	CLEANUP(sample_freep) struct sample *sample = sample_new(FAMILY_WAITS, &epoch, taken);
	add(sample, "LCK_M_X", 1, INT64_MAX - 1, 0);
	add(sample, "LCK_M_X", 1, 5, 0);
	seal(sample);
	assert_true(sample->rows[0].counters[WAITS_TIME_MS] == INT64_MAX);
}

static void null_and_negative_cells_reject_their_rows(void **state)
{
	(void)state;
	CLEANUP(sample_freep) struct sample *sample = sample_new(FAMILY_WAITS, &epoch, taken);
	add(sample, "A", 1, -1, 0);
	add(sample, "B", -5, 1, 0);
	add(sample, "C", 1, 1, -1);
	add(sample, "D", 1, 1, 0);
	add(sample, "   ", 1, 1, 0);
	seal(sample);
	assert_int_equal(sample->row_count, 1);
	assert_int_equal(sample->rejected_count, 4);
	assert_true(sample_has_rejected(sample, "A"));
	assert_true(sample_has_rejected(sample, "C"));
	assert_false(sample_has_rejected(sample, "D"));
}

/* Half of a sum is not the sum. */
static void one_rejected_row_rejects_its_name(void **state)
{
	(void)state;
	CLEANUP(sample_freep) struct sample *sample = sample_new(FAMILY_WAITS, &epoch, taken);
	add(sample, "A", 1, 40, 0);
	add(sample, "A", 1, -1, 0);
	add(sample, "B", 1, 1, 0);
	seal(sample);
	assert_null(sample_find(sample, "A"));
	assert_true(sample_has_rejected(sample, "A"));
	assert_int_equal(sample->rejected_count, 2);
}

static void cells_beyond_the_family_do_not_count(void **state)
{
	(void)state;
	CLEANUP(sample_freep) struct sample *sample = sample_new(FAMILY_LATCHES, &epoch, taken);
	sample_add_row(sample, "BUFFER", 6, (int64_t[]){1, 2, -1, -1}, 3);
	seal(sample);
	assert_int_equal(sample->row_count, 1);
	assert_int_equal(sample->rows[0].counters[2], 0);
}

/* B049. */
static void empty_view_is_a_failed_poll(void **state)
{
	(void)state;
	CLEANUP(sample_freep) struct sample *sample = sample_new(FAMILY_WAITS, &epoch, taken);
	struct error err = ERROR_INIT;
	assert_false(sample_seal(sample, &err));
	assert_int_equal(err.kind, ERROR_PROTOCOL);
	assert_non_null(strstr(err.text, "sys.dm_os_wait_stats"));
}

static void view_without_a_usable_row_is_a_failed_poll(void **state)
{
	(void)state;
	CLEANUP(sample_freep) struct sample *sample = sample_new(FAMILY_WAITS, &epoch, taken);
	add(sample, "A", 1, -1, 0);
	struct error err = ERROR_INIT;
	assert_false(sample_seal(sample, &err));
	assert_int_equal(err.kind, ERROR_PROTOCOL);
}

static void names_too_long_are_rejected(void **state)
{
	(void)state;
	char name[SAMPLE_NAME_SIZE_MAX + 1];
	memset(name, 'N', sizeof(name));
	CLEANUP(sample_freep) struct sample *sample = sample_new(FAMILY_SPINLOCKS, &epoch, taken);
	sample_add_row(sample, name, sizeof(name), (int64_t[]){1, 1, 1, 1}, 0);
	sample_add_row(sample, name, sizeof(name) - 1, (int64_t[]){1, 1, 1, 1}, 0);
	seal(sample);
	assert_int_equal(sample->row_count, 1);
	assert_int_equal(sample->rejected_count, 1);
}

static void thousands_of_rows_keep_their_names(void **state)
{
	(void)state;
	CLEANUP(sample_freep) struct sample *sample = sample_new(FAMILY_WAITS, &epoch, taken);
	for (int i = 0; i < 4096; i++) {
		char name[32];
		snprintf(name, sizeof(name), "NAME_%d", 4095 - i);
		add(sample, name, 4095 - i, i % 7 ? 1 : -1, 0);
	}
	seal(sample);
	for (int i = 0; i < 4096; i++) {
		char name[32];
		snprintf(name, sizeof(name), "NAME_%d", i);
		const struct sample_row *row = sample_find(sample, name);
		assert_int_equal(row != NULL, (4095 - i) % 7 != 0);
		assert_int_equal(sample_has_rejected(sample, name), row == NULL);
		if (row)
			assert_int_equal(row->counters[WAITS_COUNT], i);
	}
	assert_null(sample_find(sample, "NAME_"));
}

static void more_rows_than_the_cap_are_a_failed_poll(void **state)
{
	(void)state;
	CLEANUP(sample_freep) struct sample *sample = sample_new(FAMILY_WAITS, &epoch, taken);
	for (int i = 0; i <= SAMPLE_ROWS_MAX; i++)
		add(sample, "A", 1, 1, 0);
	struct error err = ERROR_INIT;
	assert_false(sample_seal(sample, &err));
	assert_int_equal(err.kind, ERROR_PROTOCOL);
}

static void copy_stands_by_itself(void **state)
{
	(void)state;
	struct sample *sample = sample_new(FAMILY_WAITS, &epoch, taken);
	add(sample, "B", 2, 20, 7);
	add(sample, "A", 1, 10, 5);
	add(sample, "C", -1, 1, 0);
	seal(sample);
	CLEANUP(sample_freep) struct sample *copy = sample_copy(sample);
	sample_free(sample);
	assert_string_equal(copy->epoch.server_name, "SQL01");
	assert_int_equal(copy->taken.utc_ms, 2);
	assert_int_equal(sample_find(copy, "B")->counters[WAITS_TIME_MS], 20);
	assert_int_equal(sample_find(copy, "B")->max_ms, 7);
	assert_true(sample_has_rejected(copy, "C"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_sorted_by_name),
		cmocka_unit_test(names_are_trimmed_on_the_right_only),
		cmocka_unit_test(rows_of_one_name_are_summed),
		cmocka_unit_test(sum_of_huge_duplicates_saturates),
		cmocka_unit_test(null_and_negative_cells_reject_their_rows),
		cmocka_unit_test(one_rejected_row_rejects_its_name),
		cmocka_unit_test(cells_beyond_the_family_do_not_count),
		cmocka_unit_test(empty_view_is_a_failed_poll),
		cmocka_unit_test(view_without_a_usable_row_is_a_failed_poll),
		cmocka_unit_test(names_too_long_are_rejected),
		cmocka_unit_test(thousands_of_rows_keep_their_names),
		cmocka_unit_test(more_rows_than_the_cap_are_a_failed_poll),
		cmocka_unit_test(copy_stands_by_itself),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
