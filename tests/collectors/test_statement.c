/* SPDX-License-Identifier: Apache-2.0 */
/* A .sql file becomes a statement by its DECLARE line and its [master], and by nothing else. */
#include "collectors/statement.h"

#include <string.h>

#include "tests/support.h"

static void assert_rendered(const char *sql, const struct statement_value *values, size_t count,
			    const char *database, const char *want)
{
	struct error err = ERROR_INIT;
	CLEANUP(strbuf_done) struct strbuf out = STRBUF_INIT;
	assert_true(statement_render(&out, sql, values, count, database, &err));
	assert_string_equal(out.data, want);
}

static void declared_literals_become_values(void **state)
{
	(void)state;
	const struct statement_value values[] = {{"@page", 4016}, {"@db", 5}};
	assert_rendered("DECLARE @db smallint = 1,\n @page int = 9; SELECT @db, @page;", values, 2,
			NULL, "DECLARE @db smallint = 5,\n @page int = 4016; SELECT @db, @page;");
}

static void variables_outside_declare_stay(void **state)
{
	(void)state;
	const struct statement_value values[] = {{"@n", -7}};
	assert_rendered("DECLARE @n int = 1; SELECT 1 WHERE @n = 1;", values, 1, NULL,
			"DECLARE @n int = -7; SELECT 1 WHERE @n = 1;");
}

static void longer_names_are_other_variables(void **state)
{
	(void)state;
	const struct statement_value values[] = {{"@page1", 8}};
	assert_rendered("DECLARE @page int = 9, @page1 int = 9, @page10 int = 9;", values, 1, NULL,
			"DECLARE @page int = 9, @page1 int = 8, @page10 int = 9;");
}

static void master_becomes_the_quoted_database(void **state)
{
	(void)state;
	assert_rendered("SELECT 1 FROM [master].sys.indexes", NULL, 0, "a]b; DROP",
			"SELECT 1 FROM [a]]b; DROP].sys.indexes");
}

static void comments_and_strings_stay(void **state)
{
	(void)state;
	const struct statement_value values[] = {{"@n", 2}};
	assert_rendered("-- DECLARE @n int = 1; [master]\n/* [master] */ DECLARE @n int = 1; "
			"SELECT '[master]', N'it''s [master]'",
			values, 1, "Sales",
			"-- DECLARE @n int = 1; [master]\n/* [master] */ DECLARE @n int = 2; "
			"SELECT '[master]', N'it''s [master]'");
}

static void a_value_without_its_variable_is_refused(void **state)
{
	(void)state;
	struct error err = ERROR_INIT;
	CLEANUP(strbuf_done) struct strbuf out = STRBUF_INIT;
	const struct statement_value values[] = {{"@missing", 2}};
	assert_false(statement_render(&out, "DECLARE @n int = 1;", values, 1, NULL, &err));
	assert_int_equal(err.kind, ERROR_INVALID);
	assert_int_equal(out.size, 0);
}

static void unclosed_text_ends_where_the_text_ends(void **state)
{
	(void)state;
	assert_rendered("SELECT 'open", NULL, 0, "x", "SELECT 'open");
	assert_rendered("SELECT [open", NULL, 0, "x", "SELECT [open");
	assert_rendered("/* open", NULL, 0, "x", "/* open");
}

static void a_head_is_read_key_by_key(void **state)
{
	(void)state;
	static const char sql[] = "-- SPDX-License-Identifier: X\n"
				  "-- Purpose:  what it is\n"
				  "--           for.\n"
				  "-- Cost:     little.   Versions: all.\n"
				  "SELECT 1; -- Rights: not here\n";
	static const char *const wanted[][2] = {{"Purpose", "what it is for."},
						{"Cost", "little."},
						{"Versions", "all."},
						{"Rights", ""}};
	for (size_t i = 0; i < 4; i++) {
		CLEANUP(strbuf_done) struct strbuf text = STRBUF_INIT;
		statement_head(sql, wanted[i][0], &text);
		assert_string_equal(strbuf_text(&text), wanted[i][1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_head_is_read_key_by_key),
		cmocka_unit_test(declared_literals_become_values),
		cmocka_unit_test(variables_outside_declare_stay),
		cmocka_unit_test(longer_names_are_other_variables),
		cmocka_unit_test(master_becomes_the_quoted_database),
		cmocka_unit_test(comments_and_strings_stay),
		cmocka_unit_test(a_value_without_its_variable_is_refused),
		cmocka_unit_test(unclosed_text_ends_where_the_text_ends),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
