/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the statement for one call out of a .sql file that runs as it stands: the literals of its
 * DECLARE line are replaced by the caller's integers, the name [master] by the caller's database.
 * Pure text; knows no server.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "daemon/base/error.h"
#include "daemon/base/strbuf.h"

/*
 * Appends what the head of a .sql file says after key ("Purpose", "Rights", "Cost", "Versions"), on
 * one line; nothing when the head has no such key. Threads: any.
 */
void statement_head(const char *sql, const char *key, struct strbuf *out);

struct statement_value {
	const char *name; /* with its @ */
	int64_t value;
};

/*
 * Appends sql to out, with each DECLAREd variable of values set to its value and each [master]
 * replaced by the quoted name of database. database may be NULL: then nothing is replaced.
 *
 * Errors:  ERROR_INVALID a value whose variable the text does not declare; out is then unchanged.
 * Threads: any.
 */
MUST_CHECK bool statement_render(struct strbuf *out, const char *sql,
				 const struct statement_value *values, size_t value_count,
				 const char *database, struct error *err);
