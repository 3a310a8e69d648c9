/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the procedures that drivers call: sp_executesql and the prepared statements. Session thread.
 */
#pragma once

#include "tests/sim/answer.h"
#include "tests/sim/call.h"

struct prepared;

/* All zeroes but engine and answer, which are borrowed. */
struct procedures {
	struct session_engine *engine;
	struct answer *answer;
	struct prepared *prepared;
	size_t prepared_count;
	int32_t last_handle;
};

void procedures_done(struct procedures *procedures);

/* Forgets the prepared statements, as a pooled session does between two users. */
void procedures_clear(struct procedures *procedures);

/* Runs one call and adds all of its answer. False when nothing more is wanted. */
bool procedures_run(struct procedures *procedures, struct call *call);
