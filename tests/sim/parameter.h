/* SPDX-License-Identifier: Apache-2.0 */
/* A parameter of a procedure call as it travels: name, type, value. Pure. */
#pragma once

#include "tests/sim/buffer.h"
#include "tests/sim/cursor.h"
#include "tests/sim/result.h"

enum parameter_result {
	PARAMETER_READ,
	PARAMETER_BROKEN,
	PARAMETER_UNKNOWN_TYPE, /* *tds_type says which */
};

/*
 * Reads the next parameter. Its text or bytes are put into storage, which has to live as long as
 * the value; decimals and money become SQL_FLOAT, all text types SQL_NVARCHAR, dates SQL_DATETIME2.
 */
enum parameter_result parameter_read(struct cursor *cursor, struct sql_parameter *parameter,
				     struct buffer *storage, uint8_t *tds_type);
