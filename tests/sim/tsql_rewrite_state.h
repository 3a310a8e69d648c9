/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of the rewriter, for the files that make it up. */
#pragma once

#include "tests/sim/tsql_rewrite.h"

struct rewriter {
	const struct token *tokens;
	const struct tsql_variables *variables;
	struct rewrite *out;
	struct rewrite_problem *problem; /* number 0 = none so far */
};

/* Rewrites the tokens from..to into the output. */
void rewrite_range(struct rewriter *rewriter, size_t from, size_t to);

/* Adds a piece, with a blank before it where SQL needs or likes one. */
void rewrite_add(struct rewriter *rewriter, const char *piece);
void rewrite_add_token(struct rewriter *rewriter, const struct token *token);

/* Adds a name in double quotes, or a text in single ones. */
void rewrite_add_name(struct rewriter *rewriter, const char *name);
void rewrite_add_text(struct rewriter *rewriter, const char *content);

/* Notes the first thing that is wrong. */
void rewrite_refuse(struct rewriter *rewriter, int32_t number, uint8_t severity,
		    const struct token *token, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/* The end of the list item that begins at `from`: a comma outside brackets, or `to`. */
size_t rewrite_item_end(const struct rewriter *rewriter, size_t from, size_t to);

/* Rewrites a select list, up to the clause behind it; returns where that begins. */
size_t rewrite_select_list(struct rewriter *rewriter, size_t from, size_t to);

/*
 * Rewrites what begins at a name: a call, a table or column name of several parts, or the word
 * alone. Returns the position behind it.
 */
size_t rewrite_name(struct rewriter *rewriter, size_t from, size_t to);
