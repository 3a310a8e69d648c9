/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts the tokens of a batch into statements, at semicolons and at words that begin one. Pure. */
#pragma once

#include "tests/sim/tsql_token.h"

enum statement_kind {
	STATEMENT_QUERY,	/* SELECT, WITH */
	STATEMENT_SET_OPTION,	/* SET NOCOUNT ON ... */
	STATEMENT_SET_VARIABLE, /* SET @x = ... */
	STATEMENT_DECLARE,
	STATEMENT_USE,
	STATEMENT_PRINT,
	STATEMENT_DBCC,
	STATEMENT_EXECUTE,
	STATEMENT_TRANSACTION, /* BEGIN, SAVE, COMMIT, ROLLBACK TRANSACTION */
	STATEMENT_WAITFOR,
	STATEMENT_INSERT,
	STATEMENT_UNKNOWN,
};

struct statement {
	enum statement_kind kind;
	const struct token *tokens;
	size_t count;
};

/* The statement that begins at *position, which moves behind it; false at the end of the batch. */
bool statement_next(const struct token_list *list, size_t *position, struct statement *statement);

/* The position of the bracket that closes the one at `open`, or `end` when there is none. Pure. */
size_t tokens_closing(const struct token *tokens, size_t open, size_t end);
