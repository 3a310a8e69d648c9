/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Works out the type of an expression from its tokens. A column is looked up by its name alone,
 * over all views: the documented names mean the same thing wherever they stand. Pure.
 */
#include "tests/sim/tsql_infer.h"

#include "tests/sim/catalog.h"
#include "tests/sim/session_state.h"
#include "tests/sim/text.h"
#include "tests/sim/tsql_split.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct tsql_variable *variables_find(const struct tsql_variables *variables, const char *name,
				     size_t size)
{
	for (size_t i = 0; i < variables->count; i++)
		if (text_is_word(name, size, variables->items[i].name))
			return &variables->items[i];
	return NULL;
}

struct tsql_variable *variables_add(struct tsql_variables *variables, const char *name, size_t size,
				    struct tsql_type type)
{
	struct tsql_variable *variable = variables_find(variables, name, size);

	if (!variable) {
		variables->items = memory_grow(variables->items, variables->count + 1,
					       sizeof(*variables->items));
		variable = &variables->items[variables->count++];
		*variable = (struct tsql_variable){.name = memory_copy_string(name, size)};
		for (char *letter = variable->name; *letter != '\0'; letter++)
			*letter = (char)tolower((unsigned char)*letter);
	}
	cell_done(&variable->value);
	variable->type = type;
	return variable;
}

void variables_done(struct tsql_variables *variables)
{
	for (size_t i = 0; i < variables->count; i++) {
		free(variables->items[i].name);
		cell_done(&variables->items[i].value);
	}
	free(variables->items);
	*variables = (struct tsql_variables){0};
}

static bool give(struct tsql_type *type, enum sql_type kind, int length)
{
	*type = (struct tsql_type){.type = kind, .length = length};
	return true;
}

static bool infer_named_type(const char *name, size_t size, struct tsql_type *type)
{
	return name && tsql_type_parse(name, size, type);
}

static bool infer_column(const struct token *token, struct tsql_type *type)
{
	char *name = token_content(token);
	size_t size = 0;
	bool is_nullable;
	const char *declared = catalog_column_type(NULL, name, strlen(name), &size, &is_nullable);

	free(name);
	return infer_named_type(declared, size, type);
}

static bool infer_number(const struct token *token, struct tsql_type *type)
{
	if (memchr(token->start, '.', token->size) || memchr(token->start, 'e', token->size))
		return give(type, SQL_FLOAT, 0);
	return give(type, token->size > 9 ? SQL_BIGINT : SQL_INT, 0);
}

static bool infer_literal(const struct token *token, const struct tsql_variables *variables,
			  struct tsql_type *type)
{
	const struct tsql_variable *variable;

	switch (token->kind) {
	case TOKEN_STRING:
		return give(type, SQL_NVARCHAR, token->size > 4 ? (int)(token->size - 2) : 2);
	case TOKEN_NUMBER:
		return infer_number(token, type);
	case TOKEN_BINARY:
		return give(type, SQL_VARBINARY, token->size > 2 ? (int)(token->size / 2) : 1);
	case TOKEN_VARIABLE:
		variable = variables_find(variables, token->start, token->size);
		if (variable)
			*type = variable->type;
		return variable != NULL;
	case TOKEN_SERVER_VARIABLE:
		if (text_is_word(token->start, token->size, "@@SPID"))
			return give(type, SQL_SMALLINT, 0);
		if (memmem(token->start, token->size, "NAME", 4) ||
		    memmem(token->start, token->size, "name", 4))
			return give(type, SQL_NVARCHAR, 128);
		if (text_is_word(token->start, token->size, "@@VERSION"))
			return give(type, SQL_NVARCHAR, 300);
		return give(type, SQL_INT, 0);
	case TOKEN_WORD:
		return token_is_word(token, "NULL") ? give(type, SQL_INT, 0)
						    : infer_column(token, type);
	case TOKEN_QUOTED:
		return infer_column(token, type);
	case TOKEN_SYMBOL:
	case TOKEN_UNCLOSED:
		break;
	}
	return false;
}

/* The end of the argument that begins at `from`. */
static size_t argument_end(const struct token *tokens, size_t from, size_t end)
{
	for (size_t i = from; i < end; i++) {
		if (token_is_symbol(&tokens[i], "("))
			i = tokens_closing(tokens, i, end);
		else if (token_is_symbol(&tokens[i], ","))
			return i;
	}
	return end;
}

static bool infer_type_tokens(const struct token *tokens, size_t from, size_t end,
			      struct tsql_type *type)
{
	if (from >= end)
		return false;
	const char *start = tokens[from].start;
	return tsql_type_parse(
		start, (size_t)(tokens[end - 1].start + tokens[end - 1].size - start), type);
}

static bool is_any_word(const struct token *token, const char *const *words)
{
	for (; *words; words++)
		if (token_is_word(token, *words))
			return true;
	return false;
}

/* tokens[0] is the name, tokens[1] the bracket, the last token the closing one. */
static bool infer_call(const struct token *tokens, size_t count,
		       const struct tsql_variables *variables, struct tsql_type *type)
{
	static const char *const of_first[] = {"ISNULL", "COALESCE", "NULLIF", "MIN",
					       "MAX",	 "ABS",	     NULL};
	static const char *const of_sum[] = {"SUM", "AVG", NULL};
	size_t end = count - 1;
	size_t first_end = argument_end(tokens, 2, end);

	if (token_is_word(&tokens[0], "CONVERT") || token_is_word(&tokens[0], "TRY_CONVERT"))
		return infer_type_tokens(tokens, 2, first_end, type);
	if (token_is_word(&tokens[0], "CAST") || token_is_word(&tokens[0], "TRY_CAST")) {
		size_t as = end;
		while (as > 2 && !token_is_word(&tokens[as], "AS"))
			as--;
		return infer_type_tokens(tokens, as + 1, end, type);
	}
	if (token_is_word(&tokens[0], "IIF") && first_end < end) {
		size_t second = first_end + 1;
		return tsql_infer(&tokens[second], argument_end(tokens, second, end) - second,
				  variables, type);
	}
	if (token_is_word(&tokens[0], "LEFT") || token_is_word(&tokens[0], "RIGHT"))
		return give(type, SQL_NVARCHAR, 4000);
	bool is_sum = is_any_word(&tokens[0], of_sum);
	if (is_sum || is_any_word(&tokens[0], of_first)) {
		if (!tsql_infer(&tokens[2], first_end - 2, variables, type))
			return false;
		if (is_sum && (type->type == SQL_TINYINT || type->type == SQL_SMALLINT))
			type->type = SQL_INT;
		return true;
	}
	const char *declared = function_result_type(tokens[0].start, tokens[0].size);
	return infer_named_type(declared, declared ? strlen(declared) : 0, type);
}

/* The first THEN or ELSE of a CASE whose value is not NULL decides. */
static bool infer_case(const struct token *tokens, size_t count,
		       const struct tsql_variables *variables, struct tsql_type *type)
{
	static const char *const ends[] = {"WHEN", "ELSE", "END", NULL};

	for (size_t i = 1; i < count; i++) {
		if (token_is_symbol(&tokens[i], "(")) {
			i = tokens_closing(tokens, i, count);
			continue;
		}
		if (!token_is_word(&tokens[i], "THEN") && !token_is_word(&tokens[i], "ELSE"))
			continue;
		size_t end = i + 1;
		while (end < count && !is_any_word(&tokens[end], ends))
			end += token_is_symbol(&tokens[end], "(")
				       ? tokens_closing(tokens, end, count) - end + 1
				       : 1;
		if (end <= count && !token_is_word(&tokens[i + 1], "NULL") &&
		    tsql_infer(&tokens[i + 1], end - i - 1, variables, type))
			return true;
	}
	return false;
}

static int rank_of(enum sql_type type)
{
	static const enum sql_type order[] = {
		SQL_BIT,  SQL_TINYINT, SQL_SMALLINT, SQL_INT,	   SQL_BIGINT,
		SQL_REAL, SQL_FLOAT,   SQL_NVARCHAR, SQL_DATETIME, SQL_DATETIME2};

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		if (order[i] == type)
			return (int)i;
	return 0;
}

/* Splits at the first operator outside brackets; the higher type of both sides wins. */
static bool infer_operation(const struct token *tokens, size_t count,
			    const struct tsql_variables *variables, struct tsql_type *type)
{
	for (size_t i = 1; i + 1 < count; i++) {
		if (token_is_symbol(&tokens[i], "(")) {
			i = tokens_closing(tokens, i, count);
			continue;
		}
		if (tokens[i].kind != TOKEN_SYMBOL || !strchr("+-*/%", *tokens[i].start))
			continue;
		struct tsql_type left;
		struct tsql_type right;
		if (!tsql_infer(tokens, i, variables, &left) ||
		    !tsql_infer(&tokens[i + 1], count - i - 1, variables, &right))
			return false;
		*type = rank_of(left.type) >= rank_of(right.type) ? left : right;
		if (type->type == SQL_NVARCHAR)
			type->length = 4000;
		return true;
	}
	return false;
}

bool tsql_infer(const struct token *tokens, size_t count, const struct tsql_variables *variables,
		struct tsql_type *type)
{
	if (count == 0)
		return false;
	if (count == 1)
		return infer_literal(tokens, variables, type);
	if (token_is_symbol(&tokens[0], "-") && count == 2)
		return infer_literal(&tokens[1], variables, type);
	if (token_is_symbol(&tokens[0], "(") && tokens_closing(tokens, 0, count) == count - 1)
		return tsql_infer(&tokens[1], count - 2, variables, type);
	if (token_is_word(&tokens[0], "CASE") && token_is_word(&tokens[count - 1], "END"))
		return infer_case(tokens, count, variables, type);
	if (token_is_name(&tokens[0]) && token_is_symbol(&tokens[1], "(")) {
		size_t closing = tokens_closing(tokens, 1, count);
		if (closing == count - 1)
			return infer_call(tokens, count, variables, type);
		if (closing + 1 < count && token_is_word(&tokens[closing + 1], "OVER"))
			return infer_call(tokens, closing + 1, variables, type);
	}
	bool is_chain = count % 2 == 1;
	for (size_t i = 0; i < count && is_chain; i++)
		is_chain =
			i % 2 == 0 ? token_is_name(&tokens[i]) : token_is_symbol(&tokens[i], ".");
	if (is_chain)
		return infer_column(&tokens[count - 1], type);
	return infer_operation(tokens, count, variables, type);
}
