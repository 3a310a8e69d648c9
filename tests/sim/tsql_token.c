/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts T-SQL text into tokens. Pure; knows no grammar beyond the token. */
#include "tests/sim/tsql_token.h"

#include "tests/sim/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct scanner {
	const char *at;
	const char *end;
	int32_t line;
};

static bool is_name_start(char letter)
{
	return isalpha((unsigned char)letter) || letter == '_' || letter == '#' ||
	       (unsigned char)letter >= 0x80;
}

static bool is_name_part(char letter)
{
	return is_name_start(letter) || isdigit((unsigned char)letter) || letter == '$' ||
	       letter == '@';
}

static char peek(const struct scanner *scanner, size_t ahead)
{
	if ((size_t)(scanner->end - scanner->at) <= ahead)
		return '\0';
	return scanner->at[ahead];
}

/* T-SQL block comments nest. */
static bool skip_block_comment(struct scanner *scanner)
{
	int depth = 0;

	while (scanner->at < scanner->end) {
		if (peek(scanner, 0) == '/' && peek(scanner, 1) == '*') {
			depth++;
			scanner->at += 2;
		} else if (peek(scanner, 0) == '*' && peek(scanner, 1) == '/') {
			scanner->at += 2;
			if (--depth == 0)
				return true;
		} else {
			scanner->line += *scanner->at == '\n';
			scanner->at++;
		}
	}
	return false;
}

/* False when a comment has no end. */
static bool skip_blanks(struct scanner *scanner)
{
	while (scanner->at < scanner->end) {
		if (isspace((unsigned char)*scanner->at)) {
			scanner->line += *scanner->at == '\n';
			scanner->at++;
		} else if (peek(scanner, 0) == '-' && peek(scanner, 1) == '-') {
			while (scanner->at < scanner->end && *scanner->at != '\n')
				scanner->at++;
		} else if (peek(scanner, 0) == '/' && peek(scanner, 1) == '*') {
			if (!skip_block_comment(scanner))
				return false;
		} else {
			break;
		}
	}
	return true;
}

/* Moves past a quoted piece whose opening quote is at `at`; a doubled closing quote is content. */
static bool skip_quoted(struct scanner *scanner, char closing)
{
	scanner->at++;
	while (scanner->at < scanner->end) {
		scanner->line += *scanner->at == '\n';
		if (*scanner->at == closing) {
			if (peek(scanner, 1) != closing) {
				scanner->at++;
				return true;
			}
			scanner->at++;
		}
		scanner->at++;
	}
	return false;
}

static void skip_name(struct scanner *scanner)
{
	while (scanner->at < scanner->end && is_name_part(*scanner->at))
		scanner->at++;
}

static enum token_kind skip_number(struct scanner *scanner)
{
	if (*scanner->at == '0' && (peek(scanner, 1) == 'x' || peek(scanner, 1) == 'X')) {
		scanner->at += 2;
		while (isxdigit((unsigned char)peek(scanner, 0)))
			scanner->at++;
		return TOKEN_BINARY;
	}
	while (isdigit((unsigned char)peek(scanner, 0)) || peek(scanner, 0) == '.')
		scanner->at++;
	bool is_signed = peek(scanner, 1) == '+' || peek(scanner, 1) == '-';
	if ((peek(scanner, 0) == 'e' || peek(scanner, 0) == 'E') &&
	    isdigit((unsigned char)peek(scanner, is_signed ? 2 : 1))) {
		scanner->at += is_signed ? 2 : 1;
		while (isdigit((unsigned char)peek(scanner, 0)))
			scanner->at++;
	}
	return TOKEN_NUMBER;
}

static enum token_kind skip_symbol(struct scanner *scanner)
{
	char first = *scanner->at++;
	char second = peek(scanner, 0);

	if ((first == '<' && (second == '=' || second == '>')) ||
	    ((first == '>' || first == '!') && second == '='))
		scanner->at++;
	return TOKEN_SYMBOL;
}

static enum token_kind skip_token(struct scanner *scanner)
{
	char first = *scanner->at;

	if ((first == 'N' || first == 'n') && peek(scanner, 1) == '\'') {
		scanner->at++;
		return skip_quoted(scanner, '\'') ? TOKEN_STRING : TOKEN_UNCLOSED;
	}
	if (first == '\'')
		return skip_quoted(scanner, '\'') ? TOKEN_STRING : TOKEN_UNCLOSED;
	if (first == '[')
		return skip_quoted(scanner, ']') ? TOKEN_QUOTED : TOKEN_UNCLOSED;
	if (first == '"')
		return skip_quoted(scanner, '"') ? TOKEN_QUOTED : TOKEN_UNCLOSED;
	if (first == '@') {
		bool is_server = peek(scanner, 1) == '@';
		scanner->at += is_server ? 2 : 1;
		skip_name(scanner);
		return is_server ? TOKEN_SERVER_VARIABLE : TOKEN_VARIABLE;
	}
	if (is_name_start(first)) {
		skip_name(scanner);
		return TOKEN_WORD;
	}
	if (isdigit((unsigned char)first) ||
	    (first == '.' && isdigit((unsigned char)peek(scanner, 1))))
		return skip_number(scanner);
	return skip_symbol(scanner);
}

void token_list_init(struct token_list *list, const char *sql, size_t size)
{
	struct scanner scanner = {.at = sql, .end = sql + size, .line = 1};
	size_t capacity = 0;

	*list = (struct token_list){0};
	for (;;) {
		const char *before = scanner.at;
		bool is_closed = skip_blanks(&scanner);
		if (is_closed && scanner.at >= scanner.end)
			return;
		if (list->count == capacity) {
			capacity = capacity == 0 ? 64 : capacity * 2;
			list->tokens = memory_grow(list->tokens, capacity, sizeof(*list->tokens));
		}
		struct token *token = &list->tokens[list->count++];
		*token = (struct token){.start = is_closed ? scanner.at : before,
					.line = scanner.line};
		token->kind = is_closed ? skip_token(&scanner) : TOKEN_UNCLOSED;
		token->size = (size_t)(scanner.at - token->start);
	}
}

void token_list_done(struct token_list *list)
{
	free(list->tokens);
	*list = (struct token_list){0};
}

bool token_is_word(const struct token *token, const char *word)
{
	return token->kind == TOKEN_WORD && text_is_word(token->start, token->size, word);
}

bool token_is_symbol(const struct token *token, const char *symbol)
{
	return token->kind == TOKEN_SYMBOL && text_is_word(token->start, token->size, symbol);
}

bool token_is_name(const struct token *token)
{
	return token->kind == TOKEN_WORD || token->kind == TOKEN_QUOTED;
}

char *token_content(const struct token *token)
{
	const char *start = token->start;
	size_t size = token->size;

	if (token->kind == TOKEN_STRING && *start != '\'') {
		start++;
		size--;
	}
	if (token->kind != TOKEN_STRING && token->kind != TOKEN_QUOTED)
		return memory_copy_string(start, size);
	char closing = start[size - 1];
	char *content = memory_new(size, 1);
	size_t used = 0;
	for (size_t i = 1; i + 1 < size; i++) {
		content[used++] = start[i];
		if (start[i] == closing)
			i++;
	}
	return content;
}
