/* SPDX-License-Identifier: Apache-2.0 */
/* One procedure call out of a request of type 0x03, which may hold several. Pure. */
#pragma once

#include "tests/sim/parameter.h"

enum procedure {
	PROCEDURE_UNKNOWN = 0,
	PROCEDURE_EXECUTESQL = 10,
	PROCEDURE_PREPARE = 11,
	PROCEDURE_EXECUTE = 12,
	PROCEDURE_PREPEXEC = 13,
	PROCEDURE_UNPREPARE = 15,
};

struct call {
	enum procedure procedure;
	char name[513]; /* as the client wrote it; of a number "#10" */
	struct sql_parameter *parameters;
	struct buffer *storages; /* one for each parameter */
	size_t parameter_count;
	uint8_t unknown_type; /* 0 = none; else the call ends at the parameter that has it */
	bool is_last;
};

void call_done(struct call *call);

/* Reads the next call; false when the bytes are no call. The caller owns what is in *call. */
bool call_read(struct cursor *cursor, struct call *call);
