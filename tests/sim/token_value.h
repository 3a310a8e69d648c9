/* SPDX-License-Identifier: Apache-2.0 */
/* Types and values of columns and of output parameters, inside their tokens. Pure. */
#pragma once

#include "tests/sim/buffer.h"
#include "tests/sim/result.h"

enum { TOKEN_COLLATION_SIZE = 5 };

void token_collation_add(struct buffer *buffer);
void token_type_add(struct buffer *buffer, const struct sql_column *column);
void token_value_add(struct buffer *buffer, const struct sql_column *column,
		     const struct sql_value *value);
