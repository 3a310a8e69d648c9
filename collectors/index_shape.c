/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a row of index_shape.sql. Pure. */
#include "collectors/index_shape.h"

#include <string.h>

enum { DEFAULT_SIZE = 512 };

/* Defaults whose values only grow. NEWSEQUENTIALID grows until the machine starts again. */
static const char *const growing_defaults[] = {
	"NEXT VALUE FOR", "GETDATE",	       "GETUTCDATE",	    "SYSDATETIME",
	"SYSUTCDATETIME", "SYSDATETIMEOFFSET", "CURRENT_TIMESTAMP", "NEWSEQUENTIALID",
};

static bool default_grows(const struct session_cell *cell)
{
	char text[DEFAULT_SIZE];
	session_cell_copy(cell, text, sizeof(text));
	for (size_t i = 0; i < sizeof(growing_defaults) / sizeof(growing_defaults[0]); i++)
		if (strcasestr(text, growing_defaults[i]))
			return true;
	return false;
}

bool index_shape_read(const struct session_cell *cells, size_t cell_count, struct page_owner *owner,
		      struct error *err)
{
	if (cell_count != 7)
		return error_set(err, ERROR_PROTOCOL, 0, "index shape has %zu columns", cell_count);
	session_cell_copy(&cells[0], owner->index, sizeof(owner->index));
	owner->optimize_for_sequential_key = cells[1].is_null ? -1 : (int32_t)cells[1].integer;
	session_cell_copy(&cells[2], owner->leading_column, sizeof(owner->leading_column));
	if (cells[2].is_null) /* a heap has no key */
		return true;
	const bool is_identity = cells[4].integer == 1;
	const bool grows = is_identity || default_grows(&cells[6]);
	const bool falls = is_identity && cells[5].integer < 0;
	const bool is_key_descending = cells[3].integer == 1;
	owner->is_ascending = grows && falls == is_key_descending;
	owner->is_descending = grows && falls != is_key_descending;
	return true;
}
