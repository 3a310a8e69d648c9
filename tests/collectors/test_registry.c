/* SPDX-License-Identifier: Apache-2.0 */
/* Every collector has a row that is whole, and every statement is a file that says what it is. */
#include <stdio.h>
#include <string.h>

#include "collectors/collect.h"
#include "collectors/embedded.h"
#include "tests/support.h"

static void every_collector_has_a_statement_that_begins_with_its_name(void **state)
{
	(void)state;
	for (int i = 0; i < COLLECTOR_COUNT; i++) {
		const struct collector_info *info = collector_info((enum collector)i);
		assert_non_null(info->name);
		char marker[100];
		(void)snprintf(marker, sizeof(marker), "\nSELECT N'%s' AS latchd_view;\n",
			       info->name);
		for (int class = 0; class < SERVER_CLASS_COUNT; class ++) {
			const struct embedded *file =
				embedded_find(embedded_collectors, info->statements[class]);
			assert_non_null(file);
			assert_non_null(strstr(file->data, marker));
		}
	}
}

static void the_head_of_every_statement_says_purpose_rights_cost_and_versions(void **state)
{
	(void)state;
	static const char *const words[] = {"Purpose:", "Rights:", "Cost:", "Versions:"};
	int count = 0;
	for (const struct embedded *file = embedded_collectors; file->path; file++) {
		if (!strstr(file->path, ".sql"))
			continue;
		count++;
		for (size_t i = 0; i < 4; i++)
			if (!strstr(file->data, words[i]))
				fail_msg("%s has no %s", file->path, words[i]);
	}
	assert_true(count >= 11);
}

/* B138: reads of views as they are; nothing is sorted, grouped or looked up on the server, and a
 * lock is not waited for. What a poll took, and its rows, are told by the API. */
static void statements_of_polls_are_plain_reads(void **state)
{
	(void)state;
	static const char *const dear[] = {"ORDER BY", "GROUP BY", "DISTINCT",	       "APPLY",
					   "INTO",     "#",	   "dm_exec_sql_text", "NOLOCK"};
	for (int i = 0; i < COLLECTOR_COUNT * SERVER_CLASS_COUNT; i++) {
		const enum collector collector = (enum collector)(i / SERVER_CLASS_COUNT);
		const char *path = collector_info(collector)->statements[i % SERVER_CLASS_COUNT];
		/* Behind the head, which names a role with # in it. */
		const char *text =
			strstr(embedded_find(embedded_collectors, path)->data, "\nSELECT N'");
		assert_non_null(text);
		for (size_t word = 0; word < sizeof(dear) / sizeof(dear[0]); word++)
			if (strstr(text, dear[word]))
				fail_msg("%s has %s", path, dear[word]);
	}
	const struct embedded *session =
		embedded_find(embedded_collectors, "collectors/sql/session.sql");
	assert_non_null(strstr(session->data, "SET LOCK_TIMEOUT 1000;"));
}

/* A file that no row names would be text that is never sent, or sent unseen. */
static void every_statement_file_stands_in_the_table_once(void **state)
{
	(void)state;
	for (const struct embedded *file = embedded_collectors; file->path; file++) {
		int count = 0;
		const struct statement_info *info = NULL;
		for (int i = 0; (info = statement_info(i)); i++)
			count += strcmp(info->path, file->path) == 0;
		if (count != 1)
			fail_msg("%s stands in the table %d times", file->path, count);
	}
}

static void every_class_has_one_statement_of_each_kind(void **state)
{
	(void)state;
	static const int counts[SERVER_CLASS_COUNT] = {11, 13, 14};
	for (int class = 0; class < SERVER_CLASS_COUNT; class ++) {
		int count = 0;
		const struct statement_info *info = NULL;
		for (int i = 0; (info = statement_info(i)); i++)
			count += (info->classes >> class & 1) != 0;
		assert_int_equal(count, counts[class]);
	}
}

/* A row that is lost would pass for zero; so each epoch tells how many rows were before it. */
static void every_epoch_counts_the_rows_before_it(void **state)
{
	(void)state;
	for (const struct embedded *file = embedded_collectors; file->path; file++)
		if (strncmp(file->path, "collectors/sql/epoch", 20) == 0)
			assert_non_null(strstr(file->data, "@@ROWCOUNT AS row_count;"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_collector_has_a_statement_that_begins_with_its_name),
		cmocka_unit_test(every_statement_file_stands_in_the_table_once),
		cmocka_unit_test(every_class_has_one_statement_of_each_kind),
		cmocka_unit_test(the_head_of_every_statement_says_purpose_rights_cost_and_versions),
		cmocka_unit_test(statements_of_polls_are_plain_reads),
		cmocka_unit_test(every_epoch_counts_the_rows_before_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
