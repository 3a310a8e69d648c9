/* SPDX-License-Identifier: Apache-2.0 */
/* Select lists: aliases in every spelling, assignments, and what each column's type is. Pure. */
#include "tests/sim/tsql_rewrite_state.h"

#include "tests/sim/tsql_split.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const clause_words[] = {"FROM",   "WHERE", "GROUP",	"HAVING",
					   "ORDER",  "UNION", "EXCEPT", "INTERSECT",
					   "OPTION", "FOR",   "INTO",	NULL};

static bool begins_clause(const struct token *token)
{
	for (size_t i = 0; clause_words[i]; i++)
		if (token_is_word(token, clause_words[i]))
			return true;
	return false;
}

static size_t list_end(const struct rewriter *rewriter, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		if (token_is_symbol(&rewriter->tokens[i], "("))
			i = tokens_closing(rewriter->tokens, i, to);
		else if (begins_clause(&rewriter->tokens[i]))
			return i;
	}
	return to;
}

static void add_hint(struct rewriter *rewriter, const char *name, size_t from, size_t to)
{
	struct rewrite *out = rewriter->out;
	struct tsql_type type;

	if (rewrite_hint(out, name) ||
	    !tsql_infer(&rewriter->tokens[from], to - from, rewriter->variables, &type))
		return;
	out->hints = memory_grow(out->hints, out->hint_count + 1, sizeof(*out->hints));
	out->hints[out->hint_count++] =
		(struct column_hint){memory_copy_string(name, strlen(name)), type};
}

static void add_named(struct rewriter *rewriter, size_t from, size_t to, const char *name)
{
	rewrite_range(rewriter, from, to);
	rewrite_add(rewriter, "AS");
	rewrite_add_name(rewriter, name);
	add_hint(rewriter, name, from, to);
}

static bool can_name(const struct token *token)
{
	return token_is_name(token) || token->kind == TOKEN_STRING;
}

/* True for a name of one or more parts, or a star. */
static bool is_plain(const struct rewriter *rewriter, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		const struct token *token = &rewriter->tokens[i];
		bool is_right = (i - from) % 2 == 0
					? token_is_name(token) || token_is_symbol(token, "*")
					: token_is_symbol(token, ".");
		if (!is_right)
			return false;
	}
	return (to - from) % 2 == 1 && !token_is_word(&rewriter->tokens[from], "NULL");
}

/* "expression name" without AS. */
static bool has_bare_alias(const struct rewriter *rewriter, size_t from, size_t to)
{
	if (to - from < 2 || !can_name(&rewriter->tokens[to - 1]) ||
	    token_is_word(&rewriter->tokens[to - 1], "END") ||
	    token_is_word(&rewriter->tokens[to - 1], "NULL"))
		return false;
	const struct token *before = &rewriter->tokens[to - 2];
	return before->kind != TOKEN_SYMBOL || token_is_symbol(before, ")");
}

static void rewrite_item(struct rewriter *rewriter, size_t from, size_t to)
{
	const struct token *tokens = rewriter->tokens;
	bool has_equals = to - from > 2 && token_is_symbol(&tokens[from + 1], "=");
	char *name = NULL;

	if (has_equals && (can_name(&tokens[from]) || tokens[from].kind == TOKEN_VARIABLE)) {
		rewriter->out->is_assignment |= tokens[from].kind == TOKEN_VARIABLE;
		name = token_content(&tokens[from]);
		add_named(rewriter, from + 2, to, name);
	} else if (to - from > 2 && token_is_word(&tokens[to - 2], "AS") &&
		   can_name(&tokens[to - 1])) {
		name = token_content(&tokens[to - 1]);
		add_named(rewriter, from, to - 2, name);
	} else if (is_plain(rewriter, from, to)) {
		rewrite_range(rewriter, from, to);
	} else if (has_bare_alias(rewriter, from, to)) {
		name = token_content(&tokens[to - 1]);
		add_named(rewriter, from, to - 1, name);
	} else {
		char nameless[24];
		snprintf(nameless, sizeof(nameless), "?%zu", ++rewriter->out->nameless_count);
		add_named(rewriter, from, to, nameless);
	}
	free(name);
}

size_t rewrite_select_list(struct rewriter *rewriter, size_t from, size_t to)
{
	size_t end = list_end(rewriter, from, to);

	if (from == end) {
		rewrite_refuse(rewriter, 102, 15, &rewriter->tokens[from > 0 ? from - 1 : 0],
			       "Incorrect syntax near '%.*s'.",
			       from < to ? (int)rewriter->tokens[from].size : 6,
			       from < to ? rewriter->tokens[from].start : "SELECT");
		return to;
	}
	for (size_t at = from; at < end;) {
		size_t item_end = rewrite_item_end(rewriter, at, end);
		if (item_end == at) {
			rewrite_refuse(rewriter, 102, 15, &rewriter->tokens[at],
				       "Incorrect syntax near ','.");
			return to;
		}
		if (at != from)
			rewrite_add(rewriter, ",");
		rewrite_item(rewriter, at, item_end);
		at = item_end + 1;
		if (at == end)
			rewrite_refuse(rewriter, 102, 15, &rewriter->tokens[item_end],
				       "Incorrect syntax near ','.");
	}
	return end;
}
