/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The answer to one batch on its way to the client: the sink that the engine feeds, with the faults
 * that strike statements and rows. Runs in the session's thread.
 */
#pragma once

#include "tests/sim/stream.h"
#include "tests/sim/token.h"

struct session_engine;

/* What the answer is to. */
enum answer_kind {
	ANSWER_BATCH,
	ANSWER_CALL, /* statements end with DONEINPROC, calls with DONEPROC */
};

struct answer {
	struct stream *stream;
	const struct session_engine *engine;
	char server_name[129];
	char database[385];   /* as the client knows it */
	uint64_t transaction; /* as the client knows it */
	bool knows_null_bitmap;
	enum answer_kind kind;
	int32_t error_number; /* of the last error; 0 = none */
	struct sql_column *columns;
	size_t column_count;
	size_t column_capacity;
	uint64_t row_count; /* of the result set under way */
	bool has_done;	    /* a DONE waits for its MORE bit */
	enum done_token done_token;
	uint16_t done_status;
	uint64_t done_row_count;
	bool is_ending; /* the connection is to end after this answer */
};

void answer_init(struct answer *answer, struct stream *stream, const struct session_engine *engine,
		 const char *database, uint32_t tds_version);
void answer_done(struct answer *answer);

/* Starts over for the next request. */
void answer_begin(struct answer *answer, enum answer_kind kind, const char *server_name);

/* Waits; false when Attention or the end of the connection came first. */
bool answer_delay(struct answer *answer, int64_t delay_ms);

/* The sink to hand to the engine; lives as long as the answer. */
struct result_sink answer_sink(struct answer *answer);

/* Adds a message, and after an error its DONE. */
void answer_add_message(struct answer *answer, const struct sql_message *message);

/* Ends one call of an answer to calls: its status, its outputs. */
void answer_add_return(struct answer *answer, const struct sql_parameter *parameters,
		       size_t parameter_count);

/* Completes and sends the answer, and the second message that an Attention wants. */
bool answer_end(struct answer *answer);
