/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is to go wrong on the wire: set by the control thread, asked by every session thread. Behind
 * one mutex; knows neither sockets nor tokens.
 */
#pragma once

#include "tests/sim/result.h"

struct faults;

enum fault_cut {
	FAULT_CUT_NONE,
	FAULT_CUT_CLOSE,
	FAULT_CUT_RESET,
};

struct faults *fault_new(void);
void fault_free(struct faults *faults);

/*
 * Executes one control command and writes its answer ("ok" or "error ..."). Returns false when the
 * verb is none of the faults'.
 */
bool fault_control(struct faults *faults, const char *line, char *answer, size_t answer_size);

/* The databases of users are those of a secondary that wants read-only intent. */
bool fault_is_secondary(struct faults *faults);

bool fault_login_is_silent(struct faults *faults);
bool fault_query_is_silent(struct faults *faults);
bool fault_is_dripping(struct faults *faults);
bool fault_dies_before_login(struct faults *faults);
bool fault_ignores_attention(struct faults *faults);

/* Counts a login; false when `login-limit` lets no more in for now. */
bool fault_admits_login(struct faults *faults, int64_t now_mono_ms);

/* How long a batch as a whole waits before it runs, in ms; 0 = no delay or one for some statements.
 */
int64_t fault_batch_delay_ms(struct faults *faults);

/* How long a statement waits because its text holds the delay's substring, in ms. */
int64_t fault_statement_delay_ms(struct faults *faults, const char *sql, size_t size_bytes);

/* True when the statement is to answer *message instead of running; its text is a constant. */
bool fault_statement_error(struct faults *faults, const char *sql, size_t size_bytes,
			   struct sql_message *message);

/* True when logins are to be answered with *message and sent away. */
bool fault_login_error(struct faults *faults, struct sql_message *message);

/* True once per `garbage next`, `truncate next`, `die-mid-metadata next`. */
bool fault_take_garbage(struct faults *faults);
bool fault_take_truncation(struct faults *faults);
bool fault_take_metadata(struct faults *faults);

/* What happens to the connection once row_count rows of a result are sent; uses a one-shot up. */
enum fault_cut fault_take_cut(struct faults *faults, uint64_t row_count);
