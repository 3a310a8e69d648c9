/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The answer to one batch on its way to the client: the sink that the engine feeds, with the faults
 * that strike statements and rows. Runs in the session's thread.
 */
#pragma once

#include "tests/sim/stream.h"

struct session_engine;

struct answer {
	struct stream *stream;
	const struct session_engine *engine;
	char server_name[129];
	char database[385]; /* as the client knows it */
	struct sql_column *columns;
	size_t column_count;
	size_t column_capacity;
	uint64_t row_count; /* of the result set under way */
	bool has_done;	    /* a DONE waits for its MORE bit */
	uint16_t done_status;
	uint64_t done_row_count;
	bool is_ending; /* the connection is to end after this answer */
};

void answer_init(struct answer *answer, struct stream *stream, const struct session_engine *engine,
		 const char *database);
void answer_done(struct answer *answer);

/* Starts over for the next batch. */
void answer_begin(struct answer *answer, const char *server_name);

/* Waits; false when Attention or the end of the connection came first. */
bool answer_delay(struct answer *answer, int64_t delay_ms);

/* The sink to hand to the engine; lives as long as the answer. */
struct result_sink answer_sink(struct answer *answer);

/* Adds a message, and after an error its DONE. */
void answer_add_message(struct answer *answer, const struct sql_message *message);

/* Completes and sends the answer, and the second message that an Attention wants. */
bool answer_end(struct answer *answer);
