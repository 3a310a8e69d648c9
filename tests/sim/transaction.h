/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of the transaction manager (packet type 0x0E) as the T-SQL that does the same. Pure. */
#pragma once

#include <stdbool.h>

#include "tests/sim/buffer.h"
#include "tests/sim/cursor.h"

/* Adds the T-SQL; false when the request is broken or of a kind that is not known here. */
bool transaction_add_sql(struct cursor *cursor, struct buffer *sql);
