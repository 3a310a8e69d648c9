/* SPDX-License-Identifier: Apache-2.0 */
/* Which T-SQL type an expression has, as far as its tokens tell; and the variables of a batch. */
#pragma once

#include "tests/sim/rows.h"
#include "tests/sim/tsql_token.h"
#include "tests/sim/tsql_type.h"

struct tsql_variable {
	char *name; /* in lower case, with its @ */
	struct tsql_type type;
	struct cell value;
};

struct tsql_variables {
	struct tsql_variable *items;
	size_t count;
};

/* NULL when it is not declared; letter case does not count. */
struct tsql_variable *variables_find(const struct tsql_variables *variables, const char *name,
				     size_t size);

/* Declares a variable, NULL at first; one of that name is replaced. Borrowed until the next call.
 */
struct tsql_variable *variables_add(struct tsql_variables *variables, const char *name, size_t size,
				    struct tsql_type type);
void variables_done(struct tsql_variables *variables);

/* False when the tokens do not tell. Pure. */
bool tsql_infer(const struct token *tokens, size_t count, const struct tsql_variables *variables,
		struct tsql_type *type);
