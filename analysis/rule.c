/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads `when` and rates from the configuration and values a rule over one poll's deltas. Pure; any
 * thread. Knows neither YAML nor files: the caller adds where the text stood.
 */
#include "analysis/rule.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/rule_name.h"

struct cursor {
	const char *text; /* of the whole rule; columns count from here */
	const char *at;
};

static int column_of(const struct cursor *cursor)
{
	return (int)(cursor->at - cursor->text) + 1;
}

static void skip_blanks(struct cursor *cursor)
{
	while (*cursor->at == ' ' || *cursor->at == '\t' || *cursor->at == '\n')
		cursor->at++;
}

static bool accept_char(struct cursor *cursor, char expected)
{
	skip_blanks(cursor);
	if (*cursor->at != expected)
		return false;
	cursor->at++;
	return true;
}

static bool expect_char(struct cursor *cursor, char expected, const char *where, struct error *err)
{
	if (accept_char(cursor, expected))
		return true;
	return error_set(err, ERROR_INVALID, column_of(cursor), "expected '%c' %s", expected,
			 where);
}

static bool parse_family(struct cursor *cursor, enum family *family, struct error *err)
{
	skip_blanks(cursor);
	const int column = column_of(cursor);
	const char *begin = cursor->at;
	while (isalnum((unsigned char)*cursor->at) || *cursor->at == '_')
		cursor->at++;
	const size_t size = (size_t)(cursor->at - begin);
	if (size == 0)
		return error_set(err, ERROR_INVALID, column,
				 "expected wait(\"NAME\"), latch(\"NAME\") or spinlock(\"NAME\")");
	if (rule_name_family(begin, size, family))
		return true;
	const char *guess = rule_name_nearest_function(begin, size);
	return error_set(err, ERROR_INVALID, column,
			 "'%.*s' is no function of a rule; did you mean \"%s\"?", (int)size, begin,
			 guess);
}

static bool parse_name(struct cursor *cursor, char *name, struct error *err)
{
	if (!expect_char(cursor, '"', "before the name", err))
		return false;
	const char *begin = cursor->at;
	const char *end = strchr(begin, '"');
	if (!end)
		return error_set(err, ERROR_INVALID, column_of(cursor) - 1,
				 "the name that begins here has no closing '\"'");
	const size_t size = (size_t)(end - begin);
	if (size == 0)
		return error_set(err, ERROR_INVALID, column_of(cursor), "the name is empty");
	if (size >= SAMPLE_NAME_SIZE_MAX)
		return error_set(err, ERROR_INVALID, column_of(cursor),
				 "the name is longer than %d bytes", SAMPLE_NAME_SIZE_MAX - 1);
	memcpy(name, begin, size);
	name[size] = '\0';
	cursor->at = end + 1;
	return true;
}

static bool parse_term(struct cursor *cursor, struct rule_term *term, struct error *err)
{
	if (!parse_family(cursor, &term->family, err) ||
	    !expect_char(cursor, '(', "after the function", err))
		return false;
	skip_blanks(cursor);
	const int column = column_of(cursor) + 1;
	return parse_name(cursor, term->name, err) &&
	       expect_char(cursor, ')', "after the name", err) &&
	       rule_name_check(term->family, term->name, column, err);
}

static bool parse_terms(struct cursor *cursor, struct rule *rule, struct error *err)
{
	do {
		if (rule->term_count == RULE_TERMS_MAX)
			return error_set(err, ERROR_INVALID, column_of(cursor),
					 "a rule adds up at most %d names", RULE_TERMS_MAX);
		if (!parse_term(cursor, &rule->terms[rule->term_count], err))
			return false;
		rule->term_count++;
	} while (accept_char(cursor, '+'));
	return true;
}

static bool parse_number(struct cursor *cursor, double *number, struct error *err)
{
	enum { DIGITS_MAX = 15 }; /* what a double holds exactly */
	skip_blanks(cursor);
	const int column = column_of(cursor);
	double value = 0, scale = 1;
	int digit_count = 0;
	bool is_fraction = false;
	for (; isdigit((unsigned char)*cursor->at) || (*cursor->at == '.' && !is_fraction);
	     cursor->at++) {
		if (*cursor->at == '.') {
			is_fraction = true;
			continue;
		}
		value = value * 10 + (*cursor->at - '0');
		scale *= is_fraction ? 10 : 1;
		digit_count++;
	}
	if (digit_count == 0)
		return error_set(err, ERROR_INVALID, column,
				 "expected a rate such as 1000ms/s or 1s/s");
	if (digit_count > DIGITS_MAX)
		return error_set(err, ERROR_INVALID, column, "the number has more than %d digits",
				 DIGITS_MAX);
	*number = value / scale;
	return true;
}

static bool parse_unit(struct cursor *cursor, double *ms_per_unit, struct error *err)
{
	skip_blanks(cursor);
	const bool is_ms = strncmp(cursor->at, "ms/s", 4) == 0;
	if (!is_ms && strncmp(cursor->at, "s/s", 3) != 0)
		return error_set(err, ERROR_INVALID, column_of(cursor),
				 "a rate needs its unit; did you mean \"ms/s\" (or \"s/s\")?");
	cursor->at += is_ms ? 4 : 3;
	*ms_per_unit = is_ms ? 1 : 1000;
	return true;
}

/* A rate and nothing after it. */
static bool parse_last_rate(struct cursor *cursor, double *ms_per_s, struct error *err)
{
	double number = 0, ms_per_unit = 0;
	if (!parse_number(cursor, &number, err) || !parse_unit(cursor, &ms_per_unit, err))
		return false;
	skip_blanks(cursor);
	if (*cursor->at)
		return error_set(err, ERROR_INVALID, column_of(cursor),
				 "'%.40s' is too much after the rate", cursor->at);
	*ms_per_s = number * ms_per_unit;
	return true;
}

bool rule_parse_when(const char *text, struct rule *rule, struct error *err)
{
	struct cursor cursor = {.text = text, .at = text};
	struct rule parsed = *rule;
	parsed.term_count = 0;
	if (!parse_terms(&cursor, &parsed, err))
		return false;
	if (!accept_char(&cursor, '>'))
		return error_set(err, ERROR_INVALID, column_of(&cursor),
				 "expected '+', '>' or '>=' after the term");
	parsed.is_inclusive = *cursor.at == '=';
	cursor.at += parsed.is_inclusive ? 1 : 0;
	if (!parse_last_rate(&cursor, &parsed.threshold, err))
		return false;
	*rule = parsed;
	return true;
}

bool rule_parse_rate(const char *text, double *ms_per_s, struct error *err)
{
	struct cursor cursor = {.text = text, .at = text};
	return parse_last_rate(&cursor, ms_per_s, err);
}

static int compare_row(const void *name, const void *row)
{
	return strcmp(name, ((const struct delta_row *)row)->name);
}

static int64_t term_ms(const struct rule_term *term, const struct delta *delta)
{
	if (delta->row_count == 0)
		return 0;
	const struct delta_row *row = bsearch(term->name, delta->rows, delta->row_count,
					      sizeof(*delta->rows), compare_row);
	return row ? row->counters[family_shape(term->family)->time_counter] : 0;
}

static bool delta_is_usable(const struct delta *delta)
{
	if (!delta || !delta->has_rate || delta->interval_ms <= 0)
		return false;
	return delta->quality != QUALITY_AFTER_CLEAR || delta->interval_ms * 2 >= delta->elapsed_ms;
}

struct rule_value rule_evaluate(const struct rule *rule,
				const struct delta *const deltas[FAMILY_COUNT])
{
	struct rule_value value = {.is_known = rule->term_count > 0};
	int64_t begin_utc_ms = INT64_MIN;
	for (int i = 0; i < rule->term_count; i++) {
		const struct rule_term *term = &rule->terms[i];
		const struct delta *delta = deltas[term->family];
		if (delta && delta->end_utc_ms > value.end_utc_ms)
			value.end_utc_ms = delta->end_utc_ms;
		if (!delta_is_usable(delta)) {
			value.is_known = false;
			continue;
		}
		value.value += (double)term_ms(term, delta) * 1000 / (double)delta->interval_ms;
		if (delta->end_utc_ms - delta->interval_ms > begin_utc_ms)
			begin_utc_ms = delta->end_utc_ms - delta->interval_ms;
	}
	if (!value.is_known)
		return (struct rule_value){.end_utc_ms = value.end_utc_ms};
	value.covered_ms = value.end_utc_ms - begin_utc_ms;
	return value;
}

bool rule_uses(const struct rule *rule, enum family family)
{
	for (int i = 0; i < rule->term_count; i++)
		if (rule->terms[i].family == family)
			return true;
	return false;
}
