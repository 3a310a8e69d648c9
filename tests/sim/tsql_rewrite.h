/* SPDX-License-Identifier: Apache-2.0 */
/* Turns one T-SQL query into the SQLite query that means the same. Pure. */
#pragma once

#include "tests/sim/text.h"
#include "tests/sim/tsql_infer.h"
#include "tests/sim/tsql_token.h"

/* What is known of a result column that is an expression. */
struct column_hint {
	char *name;
	struct tsql_type type;
};

struct rewrite {
	struct text sql;
	struct column_hint *hints;
	size_t hint_count;
	size_t nameless_count; /* columns called "?1", "?2" ... here and nothing in T-SQL */
	bool is_assignment;    /* SELECT @x = ..., columns named after the variables */
};

/* Why a query is refused, as the server would say it. */
struct rewrite_problem {
	int32_t number;
	uint8_t severity;
	int32_t line;
	char text[400];
};

/* False with *problem filled. Free *rewrite with rewrite_done in both cases. */
bool tsql_rewrite(const struct token *tokens, size_t count, const struct tsql_variables *variables,
		  struct rewrite *rewrite, struct rewrite_problem *problem);
void rewrite_done(struct rewrite *rewrite);

/* The type known for a column of that name, or NULL. */
const struct tsql_type *rewrite_hint(const struct rewrite *rewrite, const char *name);
