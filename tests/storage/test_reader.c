/* SPDX-License-Identifier: Apache-2.0 */
/* A borrowed reader: one state of the store, and a bound on the wait for it. */
#include "storage/reader.h"

#include "tests/storage/store_fixture.h"
#include "tests/support.h"

static bool count_delta(void *context, const struct stored_delta *stored)
{
	(void)stored;
	(*(int64_t *)context)++;
	return true;
}

static void borrowed_reader_sees_one_state(void **state)
{
	(void)state;
	struct store_fixture fixture;
	fixture_start(&fixture);
	fixture_commit_waits(&fixture, 10000, 10000);
	assert_int_equal(fixture_count_deltas(&fixture), 1);
	fixture_commit_waits(&fixture, 20000, 10000);
	struct error err = ERROR_INIT;
	int64_t count = 0;
	int64_t damaged_count = 0;
	assert_true(query_deltas(fixture.reader, fixture.target_id, FAMILY_WAITS, 0, 90000,
				 count_delta, &count, &damaged_count, &err));
	assert_int_equal(count, 1);
	assert_int_equal(fixture_count_deltas(&fixture), 2);
	fixture_remove(&fixture);
}

static void borrowing_ends_at_the_deadline(void **state)
{
	(void)state;
	struct store_fixture fixture;
	fixture_start(&fixture);
	struct error err = ERROR_INIT;
	struct reader *first = reader_borrow(fixture.pool, 0, &err);
	struct reader *second = reader_borrow(fixture.pool, 0, &err);
	assert_non_null(first);
	assert_non_null(second);
	assert_null(reader_borrow(fixture.pool, 0, &err));
	assert_int_equal(err.kind, ERROR_TIMEOUT);
	reader_return(second);
	reader_return(first);
	fixture_remove(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(borrowed_reader_sees_one_state),
		cmocka_unit_test(borrowing_ends_at_the_deadline),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
