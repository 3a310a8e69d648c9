/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk over a query: most tokens pass as they are, and what T-SQL says differently is replaced
 * on the way. Select lists are in tsql_rewrite_list.c, names and calls in tsql_rewrite_name.c.
 * Pure.
 */
#include "tests/sim/tsql_rewrite.h"

#include "tests/sim/tsql_rewrite_state.h"
#include "tests/sim/tsql_split.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void rewrite_refuse(struct rewriter *rewriter, int32_t number, uint8_t severity,
		    const struct token *token, const char *format, ...)
{
	struct rewrite_problem *problem = rewriter->problem;

	if (problem->number != 0)
		return;
	problem->number = number;
	problem->severity = severity;
	problem->line = token->line;
	va_list arguments;
	va_start(arguments, format);
	/* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): false with several files */
	vsnprintf(problem->text, sizeof(problem->text), format, arguments);
	va_end(arguments);
}

void rewrite_add(struct rewriter *rewriter, const char *piece)
{
	struct text *sql = &rewriter->out->sql;
	const char *last = sql->size == 0 ? "(" : &sql->data[sql->size - 1];

	if (*last != '(' && *last != '.' && !strchr("),.", *piece))
		text_add(sql, " ");
	text_add(sql, piece);
}

static void add_quoted(struct rewriter *rewriter, const char *content, char quote)
{
	struct text piece = {0};

	text_add_bytes(&piece, &quote, 1);
	for (; *content != '\0'; content++) {
		if (*content == quote)
			text_add_bytes(&piece, content, 1);
		text_add_bytes(&piece, content, 1);
	}
	text_add_bytes(&piece, &quote, 1);
	rewrite_add(rewriter, text_string(&piece));
	text_done(&piece);
}

void rewrite_add_name(struct rewriter *rewriter, const char *name)
{
	add_quoted(rewriter, name, '"');
}

void rewrite_add_text(struct rewriter *rewriter, const char *content)
{
	add_quoted(rewriter, content, '\'');
}

static void add_variable(struct rewriter *rewriter, const struct token *token)
{
	const struct tsql_variable *variable =
		variables_find(rewriter->variables, token->start, token->size);

	if (variable)
		rewrite_add(rewriter, variable->name);
	else
		rewrite_refuse(rewriter, 137, 15, token,
			       "Must declare the scalar variable \"%.*s\".", (int)token->size,
			       token->start);
}

static void add_binary(struct rewriter *rewriter, const struct token *token)
{
	char *digits = memory_copy_string(token->start + 2, token->size - 2);
	struct text piece = {0};

	text_add_format(&piece, "x'%s%s'", strlen(digits) % 2 == 1 ? "0" : "", digits);
	rewrite_add(rewriter, text_string(&piece));
	text_done(&piece);
	free(digits);
}

void rewrite_add_token(struct rewriter *rewriter, const struct token *token)
{
	char *content = token_content(token);

	switch (token->kind) {
	case TOKEN_QUOTED:
		rewrite_add_name(rewriter, content);
		break;
	case TOKEN_STRING:
		rewrite_add_text(rewriter, content);
		break;
	case TOKEN_VARIABLE:
		add_variable(rewriter, token);
		break;
	case TOKEN_SERVER_VARIABLE:
		rewrite_add(rewriter, "sim_server_variable(");
		rewrite_add_text(rewriter, content);
		rewrite_add(rewriter, ")");
		break;
	case TOKEN_BINARY:
		add_binary(rewriter, token);
		break;
	case TOKEN_WORD:
	case TOKEN_NUMBER:
	case TOKEN_SYMBOL:
	case TOKEN_UNCLOSED:
		rewrite_add(rewriter, content);
		break;
	}
	free(content);
}

size_t rewrite_item_end(const struct rewriter *rewriter, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		if (token_is_symbol(&rewriter->tokens[i], "("))
			i = tokens_closing(rewriter->tokens, i, to);
		else if (token_is_symbol(&rewriter->tokens[i], ","))
			return i;
	}
	return to;
}

/* The operand that ends before `end`: a literal, a name of several parts, a call, brackets. */
static size_t operand_start(const struct rewriter *rewriter, size_t end, size_t least)
{
	size_t start = end - 1;

	if (token_is_symbol(&rewriter->tokens[start], ")")) {
		int depth = 1;
		while (start > least && depth > 0) {
			start--;
			depth += token_is_symbol(&rewriter->tokens[start], ")");
			depth -= token_is_symbol(&rewriter->tokens[start], "(");
		}
		if (start > least && token_is_name(&rewriter->tokens[start - 1]))
			start--;
	}
	while (start >= least + 2 && token_is_symbol(&rewriter->tokens[start - 1], "."))
		start -= 2;
	return start;
}

static size_t operand_end(const struct rewriter *rewriter, size_t start, size_t to)
{
	size_t end = start;

	while (end + 2 < to && token_is_name(&rewriter->tokens[end]) &&
	       token_is_symbol(&rewriter->tokens[end + 1], "."))
		end += 2;
	if (end + 1 < to && token_is_name(&rewriter->tokens[end]) &&
	    token_is_symbol(&rewriter->tokens[end + 1], "("))
		end++;
	if (end < to && token_is_symbol(&rewriter->tokens[end], "("))
		end = tokens_closing(rewriter->tokens, end, to);
	return end < to ? end + 1 : to;
}

static bool is_text(const struct rewriter *rewriter, size_t from, size_t to)
{
	struct tsql_type type;

	return from < to &&
	       tsql_infer(&rewriter->tokens[from], to - from, rewriter->variables, &type) &&
	       type.type == SQL_NVARCHAR;
}

/* True when the plus at `at` joins texts; a text on either side makes it so, as does a chain of
 * them. */
static bool joins_texts(const struct rewriter *rewriter, size_t at, size_t from, size_t to)
{
	if (at == from)
		return false;
	size_t start = operand_start(rewriter, at, from);
	if (is_text(rewriter, start, at) ||
	    is_text(rewriter, at + 1, operand_end(rewriter, at + 1, to)))
		return true;
	return start > from && token_is_symbol(&rewriter->tokens[start - 1], "+") &&
	       joins_texts(rewriter, start - 1, from, to);
}

/* CROSS APPLY f(..) and OUTER APPLY f(..) alias; returns the position behind. */
static size_t rewrite_apply(struct rewriter *rewriter, size_t at, size_t to)
{
	bool is_outer = token_is_word(&rewriter->tokens[at], "OUTER");
	size_t end = at + 2;

	rewrite_add(rewriter, is_outer ? "LEFT JOIN" : "CROSS JOIN");
	if (!is_outer)
		return end;
	while (end < to && !token_is_symbol(&rewriter->tokens[end], "("))
		end++;
	end = end < to ? tokens_closing(rewriter->tokens, end, to) + 1 : to;
	if (end < to && token_is_word(&rewriter->tokens[end], "AS"))
		end++;
	end += end < to && token_is_name(&rewriter->tokens[end]);
	if (end > to)
		end = to;
	rewrite_range(rewriter, at + 2, end);
	rewrite_add(rewriter, "ON 1 = 1");
	return end;
}

/* OFFSET n ROWS [FETCH NEXT m ROWS ONLY]; returns the position behind. */
static size_t rewrite_offset(struct rewriter *rewriter, size_t at, size_t to)
{
	size_t end = at + 3;
	bool has_fetch = end < to && token_is_word(&rewriter->tokens[end], "FETCH") && end + 4 < to;

	rewrite_add(rewriter, "LIMIT");
	if (has_fetch)
		rewrite_add_token(rewriter, &rewriter->tokens[end + 2]);
	else
		rewrite_add(rewriter, "-1");
	rewrite_add(rewriter, "OFFSET");
	rewrite_add_token(rewriter, &rewriter->tokens[at + 1]);
	return has_fetch ? end + 5 : end;
}

static bool is_pair(const struct rewriter *rewriter, size_t at, size_t to, const char *first,
		    const char *second)
{
	return at + 1 < to && token_is_word(&rewriter->tokens[at], first) &&
	       (token_is_word(&rewriter->tokens[at + 1], second) ||
		token_is_symbol(&rewriter->tokens[at + 1], second));
}

/* The word SELECT with DISTINCT and TOP; *limit_from..*limit_to becomes the LIMIT at the end. */
static size_t rewrite_select_head(struct rewriter *rewriter, size_t at, size_t to,
				  size_t *limit_from, size_t *limit_to)
{
	const struct token *tokens = rewriter->tokens;

	rewrite_add(rewriter, "SELECT");
	at++;
	if (at < to &&
	    (token_is_word(&tokens[at], "DISTINCT") || token_is_word(&tokens[at], "ALL")))
		rewrite_add_token(rewriter, &tokens[at++]);
	if (at + 1 < to && token_is_word(&tokens[at], "TOP")) {
		*limit_from = at + 1;
		*limit_to = token_is_symbol(&tokens[at + 1], "(")
				    ? tokens_closing(tokens, at + 1, to) + 1
				    : at + 2;
		at = *limit_to;
		if (is_pair(rewriter, at, to, "WITH", "TIES"))
			at += 2;
	}
	return rewrite_select_list(rewriter, at, to);
}

/* One step of the walk; returns the position behind what it rewrote. */
static size_t rewrite_one(struct rewriter *rewriter, size_t at, size_t from, size_t to)
{
	const struct token *token = &rewriter->tokens[at];

	if (token_is_symbol(token, "(")) {
		size_t closing = tokens_closing(rewriter->tokens, at, to);
		rewrite_add(rewriter, "(");
		rewrite_range(rewriter, at + 1, closing);
		rewrite_add(rewriter, ")");
		if (closing == to)
			rewrite_refuse(rewriter, 102, 15, token, "Incorrect syntax near '('.");
		return closing + 1;
	}
	if (is_pair(rewriter, at, to, "CROSS", "APPLY") ||
	    is_pair(rewriter, at, to, "OUTER", "APPLY"))
		return rewrite_apply(rewriter, at, to);
	if (is_pair(rewriter, at, to, "WITH", "(") || is_pair(rewriter, at, to, "OPTION", "("))
		return tokens_closing(rewriter->tokens, at + 1, to) + 1;
	if (token_is_word(token, "OFFSET") && at + 2 < to &&
	    rewriter->tokens[at + 1].kind != TOKEN_SYMBOL)
		return rewrite_offset(rewriter, at, to);
	if (token_is_word(token, "COLLATE") && at + 1 < to) {
		const struct token *name = &rewriter->tokens[at + 1];
		rewrite_add(rewriter, "COLLATE");
		rewrite_add(rewriter,
			    memmem(name->start, name->size, "BIN", 3) ? "BINARY" : "tsql");
		return at + 2;
	}
	if (token_is_symbol(token, "+") && joins_texts(rewriter, at, from, to)) {
		rewrite_add(rewriter, "||");
		return at + 1;
	}
	if (token_is_name(token))
		return rewrite_name(rewriter, at, to);
	rewrite_add_token(rewriter, token);
	return at + 1;
}

void rewrite_range(struct rewriter *rewriter, size_t from, size_t to)
{
	size_t limit_from = 0;
	size_t limit_to = 0;
	size_t at = from;

	while (at < to && rewriter->problem->number == 0) {
		if (token_is_word(&rewriter->tokens[at], "SELECT"))
			at = rewrite_select_head(rewriter, at, to, &limit_from, &limit_to);
		else
			at = rewrite_one(rewriter, at, from, to);
	}
	if (limit_to > limit_from) {
		rewrite_add(rewriter, "LIMIT");
		rewrite_range(rewriter, limit_from, limit_to);
	}
}

bool tsql_rewrite(const struct token *tokens, size_t count, const struct tsql_variables *variables,
		  struct rewrite *rewrite, struct rewrite_problem *problem)
{
	*rewrite = (struct rewrite){0};
	*problem = (struct rewrite_problem){0};
	struct rewriter rewriter = {tokens, variables, rewrite, problem};
	for (size_t i = 0; i < count; i++)
		if (tokens[i].kind == TOKEN_UNCLOSED)
			rewrite_refuse(&rewriter, 105, 15, &tokens[i],
				       "Unclosed quotation mark after the character string '%.*s'.",
				       (int)(tokens[i].size > 100 ? 100 : tokens[i].size),
				       tokens[i].start);
	rewrite_range(&rewriter, 0, count);
	return problem->number == 0;
}

void rewrite_done(struct rewrite *rewrite)
{
	text_done(&rewrite->sql);
	for (size_t i = 0; i < rewrite->hint_count; i++)
		free(rewrite->hints[i].name);
	free(rewrite->hints);
	*rewrite = (struct rewrite){0};
}

const struct tsql_type *rewrite_hint(const struct rewrite *rewrite, const char *name)
{
	for (size_t i = 0; i < rewrite->hint_count; i++)
		if (text_is_word(name, strlen(name), rewrite->hints[i].name))
			return &rewrite->hints[i].type;
	return NULL;
}
