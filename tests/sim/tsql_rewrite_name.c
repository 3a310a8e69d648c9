/* SPDX-License-Identifier: Apache-2.0 */
/* Names of several parts, and calls that T-SQL writes its own way. Pure. */
#include "tests/sim/tsql_rewrite_state.h"

#include "tests/sim/catalog.h"
#include "tests/sim/metadata.h"
#include "tests/sim/tsql_split.h"

#include <stdlib.h>
#include <string.h>

#define PARTS_MAX 4

/* Calls whose name alone differs. */
static const struct {
	const char *name;
	const char *replacement;
} renamed[] = {
	{"ISNULL", "coalesce("}, {"COUNT_BIG", "count("},	  {"LEFT", "sim_left("},
	{"RIGHT", "sim_right("}, {"STRING_AGG", "group_concat("},
};

/* Calls whose first argument is a bare word: the part of a date. */
static const char *const dated[] = {"DATEDIFF", "DATEDIFF_BIG", "DATEADD"};

/* Words that a bracket may follow without being a call; they keep their blank. */
static const char *const not_calls[] = {"IN",	  "AS",	   "AND",   "OR",   "NOT",  "EXISTS",
					"ON",	  "FROM",  "JOIN",  "WHEN", "THEN", "ELSE",
					"OVER",	  "WHERE", "CASE",  "BY",   "LIKE", "VALUES",
					"HAVING", "ALL",   "UNION", "ANY",  "SOME", "APPLY"};

static void add_type(struct rewriter *rewriter, size_t from, size_t to)
{
	const struct token *last = &rewriter->tokens[to - 1];
	const char *start = rewriter->tokens[from].start;
	char *name = memory_copy_string(start, (size_t)(last->start + last->size - start));

	rewrite_add_text(rewriter, name);
	free(name);
}

/* CONVERT(type, value [, style]): at is the name, closing its last bracket. */
static void rewrite_convert(struct rewriter *rewriter, size_t at, size_t closing)
{
	size_t type_end = rewrite_item_end(rewriter, at + 2, closing);

	if (type_end == at + 2 || type_end >= closing) {
		rewrite_refuse(rewriter, 102, 15, &rewriter->tokens[at],
			       "Incorrect syntax near 'CONVERT'.");
		return;
	}
	rewrite_add(rewriter, "sim_convert(");
	add_type(rewriter, at + 2, type_end);
	rewrite_add(rewriter, ",");
	rewrite_range(rewriter, type_end + 1, closing);
	rewrite_add(rewriter, ")");
}

/* CAST(value AS type). */
static void rewrite_cast(struct rewriter *rewriter, size_t at, size_t closing)
{
	size_t as = closing;

	while (as > at + 1 && !token_is_word(&rewriter->tokens[as], "AS"))
		as--;
	if (as <= at + 2 || as + 1 >= closing) {
		rewrite_refuse(rewriter, 102, 15, &rewriter->tokens[at],
			       "Incorrect syntax near 'CAST'.");
		return;
	}
	rewrite_add(rewriter, "sim_convert(");
	add_type(rewriter, as + 1, closing);
	rewrite_add(rewriter, ",");
	rewrite_range(rewriter, at + 2, as);
	rewrite_add(rewriter, ")");
}

static bool is_one_of(const struct token *token, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (token_is_word(token, words[i]))
			return true;
	return false;
}

static void add_call_name(struct rewriter *rewriter, const struct token *token)
{
	char *name = token_content(token);

	for (size_t i = 0; i < sizeof(renamed) / sizeof(renamed[0]); i++) {
		if (!token_is_word(token, renamed[i].name))
			continue;
		rewrite_add(rewriter, renamed[i].replacement);
		free(name);
		return;
	}
	rewrite_add(rewriter, name);
	text_add(&rewriter->out->sql, "(");
	free(name);
}

static size_t rewrite_call(struct rewriter *rewriter, size_t at, size_t to)
{
	const struct token *token = &rewriter->tokens[at];
	size_t closing = tokens_closing(rewriter->tokens, at + 1, to);
	size_t arguments = at + 2;

	if (closing == to) {
		rewrite_refuse(rewriter, 102, 15, token, "Incorrect syntax near '%.*s'.",
			       (int)token->size, token->start);
		return to;
	}
	if (token_is_word(token, "CONVERT") || token_is_word(token, "TRY_CONVERT")) {
		rewrite_convert(rewriter, at, closing);
		return closing + 1;
	}
	if (token_is_word(token, "CAST") || token_is_word(token, "TRY_CAST")) {
		rewrite_cast(rewriter, at, closing);
		return closing + 1;
	}
	add_call_name(rewriter, token);
	if (is_one_of(token, dated, sizeof(dated) / sizeof(dated[0])) && arguments < closing &&
	    rewriter->tokens[arguments].kind == TOKEN_WORD)
		add_type(rewriter, arguments, arguments + 1), arguments++;
	rewrite_range(rewriter, arguments, closing);
	rewrite_add(rewriter, ")");
	return closing + 1;
}

/* "[Sales].sys.indexes": the first part goes, and names the database to a view that depends on it.
 */
static void add_three_parts(struct rewriter *rewriter, const struct token *token,
			    char *const *parts, bool is_call)
{
	const struct view *view = catalog_find_view(parts[2], strlen(parts[2]));

	if (!view || !metadata_find_database(parts[0])) {
		rewrite_refuse(rewriter, 208, 16, token, "Invalid object name '%s.%s.%s'.",
			       parts[0], parts[1], parts[2]);
		return;
	}
	rewrite_add_name(rewriter, parts[1]);
	rewrite_add(rewriter, ".");
	rewrite_add_name(rewriter, parts[2]);
	if (!view->is_per_database || is_call)
		return;
	text_add(&rewriter->out->sql, "(");
	rewrite_add_text(rewriter, parts[0]);
	rewrite_add(rewriter, ")");
}

static size_t rewrite_chain(struct rewriter *rewriter, size_t at, size_t to)
{
	char *parts[PARTS_MAX] = {NULL};
	size_t count = 0;
	size_t end = at;
	bool has_star = false;

	for (;;) {
		parts[count++] = token_content(&rewriter->tokens[end++]);
		has_star = end + 1 < to && token_is_symbol(&rewriter->tokens[end], ".") &&
			   token_is_symbol(&rewriter->tokens[end + 1], "*");
		if (has_star || count == PARTS_MAX || end + 1 >= to ||
		    !token_is_symbol(&rewriter->tokens[end], ".") ||
		    !token_is_name(&rewriter->tokens[end + 1]))
			break;
		end++;
	}
	bool is_call = end < to && token_is_symbol(&rewriter->tokens[end], "(");
	if (count == 3 && text_is_word(parts[1], strlen(parts[1]), "sys")) {
		add_three_parts(rewriter, &rewriter->tokens[at], parts, is_call);
	} else {
		for (size_t i = 0; i < count; i++) {
			if (i > 0)
				rewrite_add(rewriter, ".");
			rewrite_add_name(rewriter, parts[i]);
		}
	}
	if (has_star)
		text_add(&rewriter->out->sql, ".*");
	for (size_t i = 0; i < count; i++)
		free(parts[i]);
	if (!is_call)
		return has_star ? end + 2 : end;
	size_t closing = tokens_closing(rewriter->tokens, end, to);
	text_add(&rewriter->out->sql, "(");
	rewrite_range(rewriter, end + 1, closing);
	rewrite_add(rewriter, ")");
	return closing + 1;
}

size_t rewrite_name(struct rewriter *rewriter, size_t from, size_t to)
{
	const struct token *token = &rewriter->tokens[from];
	bool has_next = from + 1 < to;

	if (has_next && token_is_symbol(&rewriter->tokens[from + 1], "."))
		return rewrite_chain(rewriter, from, to);
	if (has_next && token->kind == TOKEN_WORD &&
	    token_is_symbol(&rewriter->tokens[from + 1], "(") &&
	    !is_one_of(token, not_calls, sizeof(not_calls) / sizeof(not_calls[0])))
		return rewrite_call(rewriter, from, to);
	rewrite_add_token(rewriter, token);
	return from + 1;
}
