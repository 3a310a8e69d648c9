/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the catalogue's row of an index says about its key: does it grow, which way. Pure; the
 * statement is index_shape.sql.
 */
#pragma once

#include <stdbool.h>

#include "collectors/page_owner.h"

/*
 * Fills the fields of owner that describe its index from a row of index_shape.sql.
 *
 * Errors:  ERROR_PROTOCOL the row has other columns.
 * Threads: any.
 */
MUST_CHECK bool index_shape_read(const struct session_cell *cells, size_t cell_count,
				 struct page_owner *owner, struct error *err);
