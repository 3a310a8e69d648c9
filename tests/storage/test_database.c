/* SPDX-License-Identifier: Apache-2.0 */
/* No statement of the store reads a whole table. */
#include "storage/database.h"

#include <string.h>

#include "daemon/base/alloc.h"
#include "tests/storage/store_fixture.h"
#include "tests/support.h"

/* Tables that hold a row per name or per rule and target, and are meant to be read whole. */
static bool may_be_scanned(const char *path)
{
	return strcmp(path, "storage/sql/alerts.sql") == 0;
}

static void expect_indexed(sqlite3 *handle, const struct embedded *file)
{
	CLEANUP(freep) char *explain = xasprintf("EXPLAIN QUERY PLAN %s", file->data);
	sqlite3_stmt *statement = NULL;
	if (sqlite3_prepare_v2(handle, explain, -1, &statement, NULL) != SQLITE_OK)
		fail_msg("%s: %s", file->path, sqlite3_errmsg(handle));
	while (sqlite3_step(statement) == SQLITE_ROW) {
		const char *plan = (const char *)sqlite3_column_text(statement, 3);
		const bool is_scan = strncmp(plan, "SCAN ", 5) == 0 &&
				     strstr(plan, "CONSTANT ROW") == NULL &&
				     strstr(plan, "(subquery") == NULL;
		if (is_scan && !may_be_scanned(file->path))
			fail_msg("%s reads a whole table: %s", file->path, plan);
	}
	assert_int_equal(sqlite3_finalize(statement), SQLITE_OK);
}

static void every_statement_uses_an_index(void **state)
{
	(void)state;
	struct store_fixture fixture;
	fixture_start(&fixture);
	sqlite3 *shell = NULL;
	assert_int_equal(sqlite3_open(fixture.path, &shell), SQLITE_OK);
	int count = 0;
	for (const struct embedded *file = embedded_storage; file->path; file++) {
		if (strncmp(file->path, "storage/sql/", 12) != 0)
			continue;
		expect_indexed(shell, file);
		count++;
	}
	assert_int_equal(count, STATEMENT_COUNT);
	assert_int_equal(sqlite3_close(shell), SQLITE_OK);
	fixture_remove(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_statement_uses_an_index),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
