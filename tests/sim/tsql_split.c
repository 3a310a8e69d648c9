/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts a batch into statements. Pure; knows only which words can begin one. */
#include "tests/sim/tsql_split.h"

static const struct {
	const char *word;
	enum statement_kind kind;
} beginnings[] = {
	{"SELECT", STATEMENT_QUERY},	     {"SET", STATEMENT_SET_OPTION},
	{"DECLARE", STATEMENT_DECLARE},	     {"USE", STATEMENT_USE},
	{"PRINT", STATEMENT_PRINT},	     {"DBCC", STATEMENT_DBCC},
	{"EXEC", STATEMENT_EXECUTE},	     {"EXECUTE", STATEMENT_EXECUTE},
	{"BEGIN", STATEMENT_TRANSACTION},    {"COMMIT", STATEMENT_TRANSACTION},
	{"ROLLBACK", STATEMENT_TRANSACTION}, {"SAVE", STATEMENT_TRANSACTION},
	{"INSERT", STATEMENT_INSERT},	     {"UPDATE", STATEMENT_UNKNOWN},
	{"DELETE", STATEMENT_UNKNOWN},	     {"CREATE", STATEMENT_UNKNOWN},
	{"DROP", STATEMENT_UNKNOWN},	     {"ALTER", STATEMENT_UNKNOWN},
	{"IF", STATEMENT_UNKNOWN},	     {"WHILE", STATEMENT_UNKNOWN},
	{"WAITFOR", STATEMENT_WAITFOR},
};

static bool begins_statement(const struct token *token, enum statement_kind *kind)
{
	if (token->kind != TOKEN_WORD)
		return false;
	for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++) {
		if (!token_is_word(token, beginnings[i].word))
			continue;
		*kind = beginnings[i].kind;
		return true;
	}
	return false;
}

size_t tokens_closing(const struct token *tokens, size_t open, size_t end)
{
	int depth = 0;

	for (size_t i = open; i < end; i++) {
		depth += token_is_symbol(&tokens[i], "(");
		depth -= token_is_symbol(&tokens[i], ")");
		if (depth == 0)
			return i;
	}
	return end;
}

/* True when a SELECT here continues the query instead of beginning another. */
static bool continues_query(const struct token *tokens, size_t first, size_t at)
{
	const struct token *before = &tokens[at - 1];

	if (token_is_word(before, "UNION") || token_is_word(before, "ALL") ||
	    token_is_word(before, "EXCEPT") || token_is_word(before, "INTERSECT"))
		return true;
	if (!token_is_word(&tokens[first], "WITH"))
		return false;
	/* The first SELECT outside brackets is the main one of WITH x AS (...). */
	for (size_t i = first; i < at; i++) {
		if (token_is_symbol(&tokens[i], "("))
			i = tokens_closing(tokens, i, at);
		else if (token_is_word(&tokens[i], "SELECT"))
			return false;
	}
	return true;
}

/* True when the word is a name here: after a dot, AS or before a dot. */
static bool is_used_as_name(const struct token_list *list, size_t at)
{
	return token_is_symbol(&list->tokens[at - 1], ".") ||
	       token_is_word(&list->tokens[at - 1], "AS") ||
	       (at + 1 < list->count && token_is_symbol(&list->tokens[at + 1], "."));
}

static size_t statement_end(const struct token_list *list, size_t first)
{
	enum statement_kind kind;

	for (size_t i = first; i < list->count; i++) {
		const struct token *token = &list->tokens[i];
		if (token_is_symbol(token, ";"))
			return i;
		if (token_is_symbol(token, "(")) {
			i = tokens_closing(list->tokens, i, list->count);
			continue;
		}
		if (i == first || !begins_statement(token, &kind) || is_used_as_name(list, i))
			continue;
		if (kind == STATEMENT_QUERY && continues_query(list->tokens, first, i))
			continue;
		return i;
	}
	return list->count;
}

bool statement_next(const struct token_list *list, size_t *position, struct statement *statement)
{
	size_t first = *position;

	while (first < list->count && token_is_symbol(&list->tokens[first], ";"))
		first++;
	if (first >= list->count)
		return false;
	size_t end = statement_end(list, first);
	*statement = (struct statement){
		.kind = STATEMENT_UNKNOWN, .tokens = &list->tokens[first], .count = end - first};
	if (token_is_word(statement->tokens, "WITH") || token_is_symbol(statement->tokens, "("))
		statement->kind = STATEMENT_QUERY;
	else
		begins_statement(statement->tokens, &statement->kind);
	if (statement->kind == STATEMENT_SET_OPTION && statement->count > 1 &&
	    statement->tokens[1].kind == TOKEN_VARIABLE)
		statement->kind = STATEMENT_SET_VARIABLE;
	*position = end;
	return true;
}
