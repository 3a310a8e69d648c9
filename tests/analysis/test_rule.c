/* SPDX-License-Identifier: Apache-2.0 */
/* What a rule may say, and what it sees in deltas. */
#include "analysis/rule.h"

#include <string.h>

#include "daemon/base/alloc.h"
#include "daemon/base/strbuf.h"
#include "tests/support.h"

static struct rule parse(const char *text)
{
	struct rule rule = {.term_count = 0};
	struct error err = ERROR_INIT;
	if (!rule_parse_when(text, &rule, &err))
		fail_msg("'%s': column %d: %s", text, err.code, err.text);
	return rule;
}

static void expect_refused(const char *text, int column, const char *part)
{
	struct rule rule = {.term_count = 0};
	struct error err = ERROR_INIT;
	if (rule_parse_when(text, &rule, &err))
		fail_msg("'%s' was taken", text);
	if (err.kind != ERROR_INVALID || err.code != column || !strstr(err.text, part))
		fail_msg("'%s': got column %d: %s; want column %d: ...%s...", text, err.code,
			 err.text, column, part);
	assert_int_equal(rule.term_count, 0);
}

static void terms_add_up_and_compare(void **state)
{
	(void)state;
	const struct rule rule = parse("wait(\"PAGELATCH_EX\") + "
				       "wait(\"BTREE_INSERT_FLOW_CONTROL\") > 1000ms/s");
	assert_int_equal(rule.term_count, 2);
	assert_int_equal(rule.terms[1].family, FAMILY_WAITS);
	assert_string_equal(rule.terms[0].name, "PAGELATCH_EX");
	assert_string_equal(rule.terms[1].name, "BTREE_INSERT_FLOW_CONTROL");
	assert_false(rule.is_inclusive);
	assert_true(rule.threshold == 1000);
}

static void blanks_are_free_and_units_scale(void **state)
{
	(void)state;
	struct rule rule = parse("  latch ( \"NESTING_TRANSACTION_FULL\" )>=1.5 s/s  ");
	assert_int_equal(rule.terms[0].family, FAMILY_LATCHES);
	assert_true(rule.is_inclusive);
	assert_true(rule.threshold == 1500);
	rule = parse("spinlock(\"LOCK_HASH\")>0.5ms/s");
	assert_int_equal(rule.terms[0].family, FAMILY_SPINLOCKS);
	assert_true(rule.threshold == 0.5);
}

static void rate_needs_its_unit(void **state)
{
	(void)state;
	double rate = -1;
	struct error err = ERROR_INIT;
	assert_true(rule_parse_rate("500ms/s", &rate, &err));
	assert_true(rate == 500);
	assert_true(rule_parse_rate("1s/s", &rate, &err));
	assert_true(rate == 1000);
	static const char *const wrong[] = {"500",     "500ms", "ms/s",	   "",	       "-5ms/s",
					    "1e3ms/s", "5 %",	"1ms/s x", "nan ms/s", ".ms/s"};
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		if (rule_parse_rate(wrong[i], &rate, &err))
			fail_msg("'%s' was taken", wrong[i]);
	assert_true(rate == 1000);
	expect_refused("wait(\"WRITELOG\") > 500", 23, "needs its unit");
}

static void mistakes_are_found_at_their_column(void **state)
{
	(void)state;
	expect_refused("", 1, "expected wait(");
	expect_refused("waits(\"WRITELOG\") > 1ms/s", 1, "did you mean \"wait\"");
	expect_refused("spinlok(\"X\") > 1ms/s", 1, "did you mean \"spinlock\"");
	expect_refused("wait \"WRITELOG\" > 1ms/s", 6, "expected '('");
	expect_refused("wait('WRITELOG') > 1ms/s", 6, "expected '\"'");
	expect_refused("wait(\"WRITELOG > 1ms/s", 6, "no closing");
	expect_refused("wait(\"\") > 1ms/s", 7, "empty");
	expect_refused("wait(\"WRITELOG\" > 1ms/s", 17, "expected ')'");
	expect_refused("wait(\"WRITELOG\") < 1ms/s", 18, "'>' or '>='");
	expect_refused("wait(\"WRITELOG\") + > 1ms/s", 20, "expected wait(");
	expect_refused("wait(\"WRITELOG\") > 1ms/s for 5m", 26, "too much");
}

static void unknown_wait_type_gets_a_guess(void **state)
{
	(void)state;
	expect_refused("wait(\"PAGELATCH_XE\") > 1ms/s", 7, "did you mean \"PAGELATCH_EX\"");
	expect_refused("wait(\"pagelatch_ex\") > 1ms/s", 7, "did you mean \"PAGELATCH_EX\"");
	expect_refused("wait(\"WRITELOG\") + wait(\"PAGELATCH_%\") > 1ms/s", 26, "known wait type");
	expect_refused("wait(\"COMPLETELY_DIFFERENT_THING_X\") > 1ms/s", 7, "no known wait type");
}

/* B082: a rule on a name that cannot occur would stay silent for ever. */
static void wait_types_are_no_latches_and_no_spinlocks(void **state)
{
	(void)state;
	expect_refused("latch(\"PAGELATCH_EX\") > 1ms/s", 8, "did you mean wait(\"PAGELATCH_EX\")");
	expect_refused("latch(\"LATCH_EX\") > 1ms/s", 8, "sys.dm_os_latch_stats");
	expect_refused("spinlock(\"LCK_M_X\") > 1ms/s", 11, "sys.dm_os_spinlock_stats");
	(void)parse("latch(\"A_CLASS_OF_A_LATER_VERSION\") > 1ms/s");
}

static void at_most_sixteen_terms(void **state)
{
	(void)state;
	CLEANUP(strbuf_done) struct strbuf terms = STRBUF_INIT;
	for (int i = 0; i < RULE_TERMS_MAX; i++)
		strbuf_addf(&terms, "%swait(\"WRITELOG\")", i > 0 ? "+" : "");
	CLEANUP(freep) char *enough = xasprintf("%s > 1ms/s", terms.data);
	CLEANUP(freep) char *more = xasprintf("%s+wait(\"WRITELOG\") > 1ms/s", terms.data);
	assert_int_equal(parse(enough).term_count, RULE_TERMS_MAX);
	struct rule rule = {.term_count = 0};
	struct error err = ERROR_INIT;
	assert_false(rule_parse_when(more, &rule, &err));
}

struct fixture {
	struct delta_row rows[2];
	struct delta delta;
};

static void fill(struct fixture *fixture, enum family family, const char *name, int64_t ms,
		 int64_t interval_ms)
{
	*fixture = (struct fixture){
		.rows = {{.name = name}, {.name = "ZZZ", .counters = {9, 9, 9, 9}}},
		.delta = {.family = family,
			  .quality = QUALITY_EXACT,
			  .has_rate = true,
			  .end_utc_ms = 1000000,
			  .interval_ms = interval_ms,
			  .elapsed_ms = interval_ms,
			  .row_count = 2},
	};
	fixture->rows[0].counters[family_shape(family)->time_counter] = ms;
	fixture->delta.rows = fixture->rows;
}

static double rate_of(const char *when, int64_t ms, int64_t interval_ms)
{
	const struct rule rule = parse(when);
	struct fixture waits;
	fill(&waits, FAMILY_WAITS, rule.terms[0].name, ms, interval_ms);
	const struct delta *deltas[FAMILY_COUNT] = {[FAMILY_WAITS] = &waits.delta};
	const struct rule_value value = rule_evaluate(&rule, deltas);
	assert_true(value.is_known);
	assert_int_equal(value.covered_ms, interval_ms);
	assert_int_equal(value.end_utc_ms, 1000000);
	return value.value;
}

/* B083, B089, S04, S28: the rate is per covered second, whatever the interval and the count. */
static void value_is_ms_per_covered_second(void **state)
{
	(void)state;
	static const char latch[] = "wait(\"PAGELATCH_EX\") > 500ms/s";
	assert_true(rate_of(latch, 2600, 5000) == 520);
	assert_true(rate_of(latch, 600, 60000) == 10);
	assert_float_equal(rate_of(latch, 500000, 60000), 8333.333, 0.001);
	assert_true(rate_of(latch, 30000, 60000) == 500);
	static const char pool[] = "wait(\"THREADPOOL\") > 500ms/s";
	assert_float_equal(rate_of(pool, 25000, 600000), 41.667, 0.001);
	assert_float_equal(rate_of(pool, 25000, 30000), 833.333, 0.001);
}

/* B056: rows of zero are not stored; a complete read without the name says zero. */
static void absent_name_is_zero_in_a_covered_delta(void **state)
{
	(void)state;
	const struct rule rule = parse("wait(\"PAGELATCH_EX\") > 500ms/s");
	struct fixture waits;
	fill(&waits, FAMILY_WAITS, "AAA", 7000, 10000);
	const struct delta *deltas[FAMILY_COUNT] = {[FAMILY_WAITS] = &waits.delta};
	const struct rule_value value = rule_evaluate(&rule, deltas);
	assert_true(value.is_known);
	assert_true(value.value == 0);
}

static void families_add_up_over_what_both_cover(void **state)
{
	(void)state;
	const struct rule rule = parse("wait(\"LATCH_EX\") + latch(\"LOG_MANAGER\") > 1ms/s");
	struct fixture waits, latches;
	fill(&waits, FAMILY_WAITS, "LATCH_EX", 10000, 10000);
	fill(&latches, FAMILY_LATCHES, "LOG_MANAGER", 6000, 30000);
	const struct delta *deltas[FAMILY_COUNT] = {&waits.delta, &latches.delta};
	const struct rule_value value = rule_evaluate(&rule, deltas);
	assert_true(value.value == 1200);
	assert_int_equal(value.covered_ms, 10000);
	deltas[FAMILY_LATCHES] = NULL;
	assert_false(rule_evaluate(&rule, deltas).is_known);
	assert_true(rule_uses(&rule, FAMILY_LATCHES));
	assert_false(rule_uses(&rule, FAMILY_SPINLOCKS));
}

static bool is_known(const struct delta *delta)
{
	const struct rule rule = parse("wait(\"PAGELATCH_EX\") > 500ms/s");
	const struct delta *deltas[FAMILY_COUNT] = {[FAMILY_WAITS] = delta};
	return rule_evaluate(&rule, deltas).is_known;
}

static void unknown_is_not_zero(void **state)
{
	(void)state;
	struct fixture waits;
	fill(&waits, FAMILY_WAITS, "PAGELATCH_EX", 0, 10000);
	assert_true(is_known(&waits.delta));
	assert_false(is_known(NULL));
	waits.delta.has_rate = false;
	assert_false(is_known(&waits.delta));
	fill(&waits, FAMILY_WAITS, "PAGELATCH_EX", 0, 0);
	waits.delta.quality = QUALITY_BASELINE;
	assert_false(is_known(&waits.delta));
}

static void clear_that_leaves_less_than_half_is_unknown(void **state)
{
	(void)state;
	struct fixture waits;
	fill(&waits, FAMILY_WAITS, "PAGELATCH_EX", 4000, 4999);
	waits.delta.quality = QUALITY_AFTER_CLEAR;
	waits.delta.elapsed_ms = 10000;
	assert_false(is_known(&waits.delta));
	waits.delta.interval_ms = 5000;
	assert_true(is_known(&waits.delta));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(terms_add_up_and_compare),
		cmocka_unit_test(blanks_are_free_and_units_scale),
		cmocka_unit_test(rate_needs_its_unit),
		cmocka_unit_test(mistakes_are_found_at_their_column),
		cmocka_unit_test(unknown_wait_type_gets_a_guess),
		cmocka_unit_test(wait_types_are_no_latches_and_no_spinlocks),
		cmocka_unit_test(at_most_sixteen_terms),
		cmocka_unit_test(value_is_ms_per_covered_second),
		cmocka_unit_test(absent_name_is_zero_in_a_covered_delta),
		cmocka_unit_test(families_add_up_over_what_both_cover),
		cmocka_unit_test(unknown_is_not_zero),
		cmocka_unit_test(clear_that_leaves_less_than_half_is_unknown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
