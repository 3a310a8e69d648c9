/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cuts T-SQL text into tokens. Strings, comments and bracketed names are one token each, so nothing
 * behind here ever looks inside them by accident. Pure; borrows the text.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum token_kind {
	TOKEN_WORD,	       /* a bare name or keyword, also #temporary */
	TOKEN_QUOTED,	       /* [name] or "name" */
	TOKEN_STRING,	       /* 'text' or N'text' */
	TOKEN_NUMBER,	       /* 1, 1.5, 1e3 */
	TOKEN_BINARY,	       /* 0x1F */
	TOKEN_VARIABLE,	       /* @name */
	TOKEN_SERVER_VARIABLE, /* @@name */
	TOKEN_SYMBOL,	       /* one operator, also <=, <>, !=, >= */
	TOKEN_UNCLOSED,	       /* a string, comment or name without its end */
};

struct token {
	enum token_kind kind;
	const char *start; /* into the text, not terminated */
	size_t size;
	int32_t line; /* from 1 */
};

struct token_list {
	struct token *tokens;
	size_t count;
};

/* Blanks and comments are left out. Free with token_list_done. */
void token_list_init(struct token_list *list, const char *sql, size_t size);
void token_list_done(struct token_list *list);

/* Pure. */
bool token_is_word(const struct token *token, const char *word);
bool token_is_symbol(const struct token *token, const char *symbol);

/* True for a bare or quoted name. Pure. */
bool token_is_name(const struct token *token);

/* The content without quotes, doubled quotes undone; the caller frees it. */
char *token_content(const struct token *token);
