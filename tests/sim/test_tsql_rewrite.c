/* SPDX-License-Identifier: Apache-2.0 */
/* What T-SQL becomes on its way to SQLite, case by case. */
#include "tests/sim/tsql_rewrite.h"

#include <string.h>

#include "tests/sim/tsql_split.h"
#include "tests/support.h"

static const struct {
	const char *in;
	const char *out;
} rewritten[] = {
	{"SELECT 1", "SELECT 1 AS \"?1\""},
	{"SELECT N'it''s' AS a", "SELECT 'it''s' AS \"a\""},
	{"SELECT 'N''TOP 1'' -- ISNULL(' x", "SELECT 'N''TOP 1'' -- ISNULL(' AS \"x\""},
	{"SELECT a /* TOP 5 ' */ FROM t -- WITH (NOLOCK)", "SELECT a FROM t"},
	{"SELECT [TOP] FROM [a]]b]", "SELECT \"TOP\" FROM \"a]b\""},
	{"SELECT TOP 3 a FROM t", "SELECT a FROM t LIMIT 3"},
	{"SELECT TOP (2+1) a FROM t ORDER BY a", "SELECT a FROM t ORDER BY a LIMIT (2 + 1)"},
	{"SELECT DISTINCT TOP 1 a FROM t", "SELECT DISTINCT a FROM t LIMIT 1"},
	{"SELECT a FROM (SELECT TOP 1 b AS a FROM t) AS x",
	 "SELECT a FROM (SELECT b AS \"a\" FROM t LIMIT 1) AS x"},
	{"SELECT ISNULL(a, 0) AS b", "SELECT coalesce(a, 0) AS \"b\""},
	{"SELECT CONVERT(nvarchar(30), a, 126) AS b",
	 "SELECT sim_convert('nvarchar(30)', a, 126) AS \"b\""},
	{"SELECT CAST(a AS bigint) b", "SELECT sim_convert('bigint', a) AS \"b\""},
	{"SELECT COUNT_BIG(*) AS n FROM t", "SELECT count(*) AS \"n\" FROM t"},
	{"SELECT COUNT(DISTINCT a) AS n FROM t", "SELECT COUNT(DISTINCT a) AS \"n\" FROM t"},
	{"SELECT n = COUNT(*) FROM t", "SELECT COUNT(*) AS \"n\" FROM t"},
	{"SELECT a AS 'x y' FROM t", "SELECT a AS \"x y\" FROM t"},
	{"SELECT @@SPID", "SELECT sim_server_variable('@@SPID') AS \"?1\""},
	{"SELECT N'a' + b + N'c' AS x", "SELECT 'a' || b || 'c' AS \"x\""},
	{"SELECT w.wait_type + w.wait_type AS x",
	 "SELECT \"w\".\"wait_type\" || \"w\".\"wait_type\" AS \"x\""},
	{"SELECT w.wait_time_ms + 1 AS x", "SELECT \"w\".\"wait_time_ms\" + 1 AS \"x\""},
	{"SELECT w.* FROM sys.dm_os_wait_stats AS w WITH (NOLOCK)",
	 "SELECT \"w\".* FROM \"sys\".\"dm_os_wait_stats\" AS w"},
	{"SELECT a FROM t OPTION (MAXDOP 1, RECOMPILE)", "SELECT a FROM t"},
	{"SELECT a FROM master.sys.dm_os_wait_stats", "SELECT a FROM \"sys\".\"dm_os_wait_stats\""},
	{"SELECT a FROM [Sales].sys.[indexes] i", "SELECT a FROM \"sys\".\"indexes\"('Sales') i"},
	{"SELECT a FROM t CROSS APPLY sys.dm_exec_sql_text(t.h) AS x",
	 "SELECT a FROM t CROSS JOIN \"sys\".\"dm_exec_sql_text\"(\"t\".\"h\") AS x"},
	{"SELECT a FROM t OUTER APPLY sys.dm_exec_sql_text(t.h) AS x WHERE b = 1",
	 "SELECT a FROM t LEFT JOIN \"sys\".\"dm_exec_sql_text\"(\"t\".\"h\") AS x ON 1 = 1 WHERE b = 1"},
	{"SELECT a FROM t ORDER BY a OFFSET 5 ROWS FETCH NEXT 10 ROWS ONLY",
	 "SELECT a FROM t ORDER BY a LIMIT 10 OFFSET 5"},
	{"SELECT DATEDIFF(ms, a, b) AS d", "SELECT DATEDIFF('ms', a, b) AS \"d\""},
	{"SELECT LEFT(a, 2) AS x FROM t LEFT JOIN u ON t.i = u.i",
	 "SELECT sim_left(a, 2) AS \"x\" FROM t LEFT JOIN u ON \"t\".\"i\" = \"u\".\"i\""},
	{"SELECT a FROM t WHERE b IN (0x1, 0xFF02)", "SELECT a FROM t WHERE b IN (x'01', x'FF02')"},
	{"SELECT a FROM t WHERE b LIKE N'x%' COLLATE Latin1_General_BIN2",
	 "SELECT a FROM t WHERE b LIKE 'x%' COLLATE BINARY"},
	{"SELECT @v AS a", "SELECT @v AS \"a\""},
	{"SELECT @V = a FROM t", "SELECT a AS \"@V\" FROM t"},
	{"SELECT SUM(CASE WHEN a > 0 THEN 1 ELSE 0 END) nz FROM t",
	 "SELECT SUM(CASE WHEN a > 0 THEN 1 ELSE 0 END) AS \"nz\" FROM t"},
	{"WITH x AS (SELECT 1 AS a) SELECT a FROM x",
	 "WITH x AS (SELECT 1 AS \"a\") SELECT a FROM x"},
	{"SELECT a FROM t UNION ALL SELECT b FROM u", "SELECT a FROM t UNION ALL SELECT b FROM u"},
};

static const struct {
	const char *in;
	int32_t number;
} refused[] = {
	{"SELECT", 102},
	{"SELECT FROM t", 102},
	{"SELECT a, FROM t", 102},
	{"SELECT (1", 102},
	{"SELECT 'a", 105},
	{"SELECT @nobody", 137},
	{"SELECT [a", 105},
	{"SELECT 1 /* open", 105},
	{"SELECT a FROM nodb.sys.indexes", 208},
	{"SELECT CAST(a)", 102},
	{"SELECT CONVERT(int)", 102},
	{"SELECT a FROM Sales.sys.nothing", 208},
};

static bool run(const char *sql, struct rewrite *rewrite, struct rewrite_problem *problem)
{
	struct tsql_variables variables = {0};
	struct token_list list;

	variables_add(&variables, "@v", 2, (struct tsql_type){.type = SQL_INT});
	token_list_init(&list, sql, strlen(sql));
	bool is_done = tsql_rewrite(list.tokens, list.count, &variables, rewrite, problem);
	token_list_done(&list);
	variables_done(&variables);
	return is_done;
}

static void every_spelling_becomes_sqlite(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rewritten) / sizeof(rewritten[0]); i++) {
		struct rewrite rewrite = {0};
		struct rewrite_problem problem = {0};
		if (!run(rewritten[i].in, &rewrite, &problem))
			fail_msg("'%s' is refused: %s", rewritten[i].in, problem.text);
		/* No blank stands before a comma, so commas are compared as written. */
		assert_string_equal(text_string(&rewrite.sql), rewritten[i].out);
		rewrite_done(&rewrite);
	}
}

static void what_is_wrong_has_the_servers_number(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct rewrite rewrite = {0};
		struct rewrite_problem problem = {0};
		if (run(refused[i].in, &rewrite, &problem))
			fail_msg("'%s' passes as %s", refused[i].in, text_string(&rewrite.sql));
		assert_int_equal(problem.number, refused[i].number);
		rewrite_done(&rewrite);
	}
}

static void statements_end_at_semicolons_and_at_words(void **state)
{
	static const char sql[] =
		"SET NOCOUNT ON SET LOCK_TIMEOUT 10\nSELECT 'SET; SELECT' AS a; "
		"DECLARE @x int = (SELECT 1); WITH c AS (SELECT 1 AS b) SELECT b FROM c\n"
		"SELECT 1 UNION ALL SELECT 2 PRINT 'x';;";
	static const size_t sizes[] = {3, 3, 4, 8, 13, 6, 2};
	struct token_list list;
	struct statement statement;
	size_t position = 0;
	size_t count = 0;

	(void)state;
	token_list_init(&list, sql, strlen(sql));
	while (statement_next(&list, &position, &statement)) {
		assert_true(count < sizeof(sizes) / sizeof(sizes[0]));
		assert_int_equal(statement.count, sizes[count++]);
	}
	assert_int_equal(count, sizeof(sizes) / sizeof(sizes[0]));
	token_list_done(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_spelling_becomes_sqlite),
		cmocka_unit_test(what_is_wrong_has_the_servers_number),
		cmocka_unit_test(statements_end_at_semicolons_and_at_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
