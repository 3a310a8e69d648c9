/* SPDX-License-Identifier: Apache-2.0 */
/* What the rules say of a hotspot, and the statement they show. */
#include "analysis/finding.h"

#include <stdio.h>
#include <string.h>

#include "tests/support.h"

static const char statement[] = "SET LOCK_TIMEOUT 5000; ALTER INDEX [PK_Orders] ON "
				"[Sales].[dbo].[Orders] SET (OPTIMIZE_FOR_SEQUENTIAL_KEY = ON);";

/* The source article's run: 64 inserters, of whom 51 wait, here on 32 schedulers. */
static struct hotspot last_page(void)
{
	return (struct hotspot){
		.kind = HOTSPOT_LAST_PAGE_INSERT,
		.is_active = true,
		.is_confirmed = true,
		.database_id = 5,
		.object_id = 245575913,
		.index_id = 1,
		.database = "Sales",
		.object = "dbo.Orders",
		.index = "PK_Orders",
		.file_id = 1,
		.page_id = 4016,
		.waiters_avg = 51.2,
		.ms_per_sec = 51200,
		.scheduler_count = 32,
		.inserters = 64,
		.optimize_for_sequential_key = 0,
	};
}

static struct finding find(struct hotspot hotspot)
{
	finding_for_hotspot(&hotspot);
	return hotspot.finding;
}

static void expect_part(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' has no '%s'", text, part);
}

static void option_off_gives_numbers_and_the_statement(void **state)
{
	(void)state;
	const struct finding finding = find(last_page());
	assert_string_equal(finding.rule, "optimize_for_sequential_key");
	assert_string_equal(finding.summary,
			    "51 of 64 inserters wait at any moment on the last page of "
			    "dbo.Orders.PK_Orders, on 32 schedulers");
	assert_string_equal(finding.statement, statement);
	expect_part(finding.expect, "2.0 inserters per scheduler: 23 % less elapsed time");
	expect_part(finding.expect, "\"Faster insert using OPTIMIZE_FOR_SEQUENTIAL_KEY\"");
	expect_part(finding.expect, "rows per second");
}

static struct finding find_at(double inserters, int32_t scheduler_count)
{
	struct hotspot hotspot = last_page();
	hotspot.inserters = inserters;
	hotspot.waiters_avg = 4;
	hotspot.scheduler_count = scheduler_count;
	return find(hotspot);
}

/* Rules 5 to 8. */
static void expectation_goes_by_inserters_per_scheduler(void **state)
{
	(void)state;
	expect_part(find_at(256, 64).expect, "35 % less");
	expect_part(find_at(128, 64).expect, "23 % less");
	expect_part(find_at(64, 64).expect, "2.5 to 6 % less");
	expect_part(find_at(8, 64).expect, "harmless and without effect");
	expect_part(find_at(-1, 64).expect, "not known");
	expect_part(find_at(64, 0).expect, "not known");
}

static void statement_is_shown_where_it_can_help(void **state)
{
	(void)state;
	assert_string_equal(find_at(64, 64).statement, statement);
	assert_string_equal(find_at(-1, 64).statement, statement);
	assert_string_equal(find_at(8, 64).statement, "");
}

/* Rule 14. */
static void convoy_is_called_one(void **state)
{
	(void)state;
	struct hotspot hotspot = last_page();
	hotspot.waiters_avg = 50;
	assert_null(strstr(find(hotspot).expect, "convoy"));
	hotspot.waiters_avg = 51.9; /* 81 % of 64 */
	expect_part(find(hotspot).expect, "convoy");
}

/* Rules 9 and 11. */
static void option_on_gives_no_statement(void **state)
{
	(void)state;
	struct hotspot hotspot = last_page();
	hotspot.optimize_for_sequential_key = 1;
	struct finding finding = find(hotspot);
	assert_string_equal(finding.rule, "optimize_for_sequential_key_on");
	assert_string_equal(finding.statement, "");
	expect_part(finding.expect, "did not throttle");
	hotspot.waiters_avg = 22.7;
	hotspot.flow_waiters_avg = 30;
	hotspot.flow_waiters_max = 33;
	finding = find(hotspot);
	expect_part(finding.summary, "53 of 64 inserters wait");
	expect_part(finding.expect, "only changed its name");
	expect_part(finding.expect, "partitioned by a hash.");
	assert_string_equal(finding.statement, "");
}

/* Rule 4, by the sessions of the hot statement. */
static void log_that_is_the_limit_is_told_first(void **state)
{
	(void)state;
	struct hotspot hotspot = last_page();
	hotspot.waiters_avg = 10;
	hotspot.evidence[0] = (struct hotspot_evidence){.kind = "log_waiters", .value = 30};
	hotspot.evidence_count = 1;
	const struct finding finding = find(hotspot);
	assert_string_equal(finding.rule, "log_is_the_limit");
	assert_string_equal(finding.statement, "");
	hotspot.evidence[0].value = 10;
	assert_string_equal(find(hotspot).rule, "optimize_for_sequential_key");
}

static void heap_and_older_version_get_advice_without_a_statement(void **state)
{
	(void)state;
	struct hotspot hotspot = last_page();
	hotspot.index_id = 0;
	hotspot.index[0] = '\0';
	hotspot.optimize_for_sequential_key = -1;
	assert_string_equal(find(hotspot).rule, "last_page_insert_heap");
	expect_part(find(hotspot).summary, "last page of dbo.Orders,");
	assert_string_equal(find(hotspot).statement, "");
	hotspot = last_page();
	hotspot.optimize_for_sequential_key = -1;
	assert_string_equal(find(hotspot).rule, "last_page_insert");
	assert_string_equal(find(hotspot).statement, "");
}

static void unnamed_page_is_described_by_its_file(void **state)
{
	(void)state;
	struct hotspot hotspot = last_page();
	hotspot.is_confirmed = false;
	hotspot.object_id = 0;
	hotspot.index_id = 0;
	hotspot.optimize_for_sequential_key = -1;
	hotspot.object[0] = hotspot.index[0] = hotspot.database[0] = '\0';
	const struct finding finding = find(hotspot);
	assert_string_equal(finding.rule, "last_page_insert");
	expect_part(finding.summary,
		    "what is probably the last page of an index in file 1 of database number 5");
	assert_string_equal(finding.statement, "");
}

static void names_are_quoted(void **state)
{
	(void)state;
	struct hotspot hotspot = last_page();
	snprintf(hotspot.index, sizeof(hotspot.index), "PK [odd] name.2");
	snprintf(hotspot.database, sizeof(hotspot.database), "my.sales]; DROP TABLE x");
	assert_string_equal(find(hotspot).statement,
			    "SET LOCK_TIMEOUT 5000; ALTER INDEX [PK [odd]] name.2] ON "
			    "[my.sales]]; DROP TABLE x].[dbo].[Orders] SET "
			    "(OPTIMIZE_FOR_SEQUENTIAL_KEY = ON);");
}

static void expect_no_statement(const struct hotspot *hotspot)
{
	assert_string_equal(find(*hotspot).rule, "optimize_for_sequential_key");
	assert_string_equal(find(*hotspot).statement, "");
}

static void names_in_doubt_give_no_statement(void **state)
{
	(void)state;
	static const char *const doubtful[] = {"dbo.Order.Details", "Orders", ".Orders", "dbo.",
					       "dbo.Ord\ners"};
	struct hotspot hotspot = last_page();
	for (size_t i = 0; i < sizeof(doubtful) / sizeof(*doubtful); i++) {
		snprintf(hotspot.object, sizeof(hotspot.object), "%s", doubtful[i]);
		expect_no_statement(&hotspot);
	}
	hotspot = last_page();
	hotspot.database[0] = '\0';
	expect_no_statement(&hotspot);
	hotspot = last_page();
	memset(hotspot.index, 'x', sizeof(hotspot.index) - 1); /* perhaps cut */
	expect_no_statement(&hotspot);
}

/* Rules 15 and 16, and B079. */
static void allocation_pages_are_told_apart_by_database(void **state)
{
	(void)state;
	struct hotspot hotspot = {
		.kind = HOTSPOT_ALLOCATION_PFS,
		.database_id = 2,
		.database = "tempdb",
		.waiters_avg = 40,
		.inserters = -1,
	};
	struct finding finding = find(hotspot);
	assert_string_equal(finding.rule, "tempdb_allocation");
	assert_string_equal(finding.summary,
			    "40.0 tasks wait at any moment on PFS pages of database tempdb");
	expect_part(finding.expect, "data files of tempdb of equal size");
	hotspot.database_id = 7;
	hotspot.database[0] = '\0';
	finding = find(hotspot);
	assert_string_equal(finding.rule, "user_allocation");
	expect_part(finding.summary, "PFS pages of database number 7");
	expect_part(finding.expect, "files in the filegroup");
}

static void hot_page_is_no_case_for_the_option(void **state)
{
	(void)state;
	struct hotspot hotspot = last_page();
	hotspot.kind = HOTSPOT_HOT_PAGE;
	hotspot.scheduler_count = 0;
	const struct finding finding = find(hotspot);
	assert_string_equal(finding.rule, "hot_page");
	assert_string_equal(
		finding.summary,
		"51.2 tasks wait at any moment on page 5:1:4016 of dbo.Orders.PK_Orders");
	assert_string_equal(finding.statement, "");
}

/* B081, over everything the rules can say; and nothing is cut. */
static void nothing_advises_a_clustered_index_and_nothing_is_cut(void **state)
{
	(void)state;
	for (int kind = 0; kind < HOTSPOT_KIND_COUNT; kind++)
		for (int option = -1; option <= 1; option++)
			for (int flow = 0; flow <= 1; flow++) {
				struct hotspot hotspot = last_page();
				hotspot.kind = (enum hotspot_kind)kind;
				hotspot.optimize_for_sequential_key = option;
				hotspot.flow_waiters_max = flow;
				hotspot.waiters_avg = 60;
				const struct finding finding = find(hotspot);
				assert_null(strstr(finding.expect, "clustered"));
				const size_t size = strlen(finding.expect);
				assert_true(size < sizeof(finding.expect) - 1);
				if (size > 0)
					assert_int_equal(finding.expect[size - 1], '.');
			}
}

static void an_old_finding_is_replaced(void **state)
{
	(void)state;
	struct hotspot hotspot = last_page();
	finding_for_hotspot(&hotspot);
	hotspot.kind = HOTSPOT_TREE_ROOT;
	finding_for_hotspot(&hotspot);
	assert_string_equal(hotspot.finding.rule, "");
	assert_string_equal(hotspot.finding.statement, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(option_off_gives_numbers_and_the_statement),
		cmocka_unit_test(expectation_goes_by_inserters_per_scheduler),
		cmocka_unit_test(statement_is_shown_where_it_can_help),
		cmocka_unit_test(convoy_is_called_one),
		cmocka_unit_test(option_on_gives_no_statement),
		cmocka_unit_test(log_that_is_the_limit_is_told_first),
		cmocka_unit_test(heap_and_older_version_get_advice_without_a_statement),
		cmocka_unit_test(unnamed_page_is_described_by_its_file),
		cmocka_unit_test(names_are_quoted),
		cmocka_unit_test(names_in_doubt_give_no_statement),
		cmocka_unit_test(allocation_pages_are_told_apart_by_database),
		cmocka_unit_test(hot_page_is_no_case_for_the_option),
		cmocka_unit_test(nothing_advises_a_clustered_index_and_nothing_is_cut),
		cmocka_unit_test(an_old_finding_is_replaced),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
