/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The answer to one batch. Runs in the session's thread.
 *
 * The last DONE of an answer must not say MORE, or FreeTDS waits for ever; which one is the last is
 * known only when the batch is over. So one DONE is always held back until the next token or the
 * end.
 */
#include "tests/sim/answer.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "tests/sim/instance.h"
#include "tests/sim/login.h"

enum { ROWS_PER_LOOK = 64, FATAL_SEVERITY = 20, RESET_PAUSE_MS = 100, DEAF_STEP_MS = 50 };

static int64_t clock_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/*
 * Ends the connection in the middle of a row: the first size bytes of what waits are still sent. A
 * reset waits a little, because the client's kernel drops what the client has not read yet.
 */
static bool answer_cut(struct answer *answer, enum fault_cut cut, size_t size)
{
	struct stream *stream = answer->stream;
	bool is_sent = stream_send_torn(stream, size);
	if (cut == FAULT_CUT_RESET && is_sent) {
		struct linger linger = {.l_onoff = 1, .l_linger = 0};
		(void)stream_wait(stream, RESET_PAUSE_MS); /* the connection ends either way */
		(void)setsockopt(stream->fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	}
	stream->is_broken = true;
	return false;
}

static void answer_release_done(struct answer *answer, uint16_t more)
{
	if (answer->has_done)
		token_add_done(&answer->stream->output, answer->done_token,
			       answer->done_status | more, answer->done_row_count);
	answer->has_done = false;
}

static void answer_hold(struct answer *answer, enum done_token token, uint16_t status,
			uint64_t row_count)
{
	answer_release_done(answer, DONE_MORE);
	answer->has_done = true;
	answer->done_token = token;
	answer->done_status = status;
	answer->done_row_count = row_count;
}

static void answer_hold_done(struct answer *answer, uint16_t status, uint64_t row_count)
{
	answer_hold(answer, answer->kind == ANSWER_CALL ? DONE_IN_PROCEDURE : DONE_BATCH, status,
		    row_count);
}

/* One transaction may have ended and another begun in one batch. */
static void answer_follow_transaction(struct answer *answer)
{
	struct buffer *output = &answer->stream->output;
	struct session_transaction now = session_engine_transaction(answer->engine);
	if (now.id == answer->transaction)
		return;
	answer_release_done(answer, DONE_MORE);
	if (answer->transaction != 0)
		token_add_transaction(
			output, now.was_rolled_back ? ENVIRONMENT_ROLLBACK : ENVIRONMENT_COMMIT, 0,
			answer->transaction);
	if (now.id != 0)
		token_add_transaction(output, ENVIRONMENT_BEGIN, now.id, 0);
	answer->transaction = now.id;
}

static void answer_follow_database(struct answer *answer)
{
	const char *database = session_engine_database(answer->engine);
	if (strcmp(database, answer->database) == 0 || strlen(database) >= sizeof(answer->database))
		return;
	answer_release_done(answer, DONE_MORE);
	token_add_environment(&answer->stream->output, ENVIRONMENT_DATABASE, database,
			      answer->database);
	memcpy(answer->database, database, strlen(database) + 1);
}

/* Attention and the end of the connection are looked for now and then: it costs a system call. */
static bool answer_flush(struct answer *answer)
{
	struct stream *stream = answer->stream;
	bool has_full_packet = stream->output.size >= stream->packet_size;
	if (has_full_packet && !stream_send_full(stream))
		return false;
	if (has_full_packet || answer->row_count % ROWS_PER_LOOK == 0)
		return stream_is_wanted(stream);
	return true;
}

void answer_add_message(struct answer *answer, const struct sql_message *message)
{
	answer_release_done(answer, DONE_MORE);
	token_add_message(&answer->stream->output, message, answer->server_name);
	if (message->severity > 10) {
		answer->error_number = message->number;
		answer_hold_done(answer, DONE_ERROR, 0);
	}
	if (message->severity >= FATAL_SEVERITY)
		answer->is_ending = true;
}

static bool sink_statement(void *context, const char *sql, size_t size_bytes, bool *is_answered)
{
	struct answer *answer = context;
	struct faults *faults = answer->stream->faults;
	struct sql_message message;
	*is_answered = false;
	if (!answer_delay(answer, fault_statement_delay_ms(faults, sql, size_bytes)))
		return false;
	if (fault_statement_error(faults, sql, size_bytes, &message)) {
		answer_add_message(answer, &message);
		*is_answered = true;
	}
	return !answer->is_ending && stream_is_wanted(answer->stream);
}

static bool sink_is_wanted(void *context)
{
	struct answer *answer = context;
	return stream_is_wanted(answer->stream);
}

static bool sink_columns(void *context, const struct sql_column *columns, size_t column_count)
{
	struct answer *answer = context;
	struct buffer *output = &answer->stream->output;
	answer_release_done(answer, DONE_MORE);
	if (column_count > answer->column_capacity) {
		free(answer->columns);
		answer->columns = calloc(column_count, sizeof(*columns));
		if (!answer->columns)
			abort();
		answer->column_capacity = column_count;
	}
	memcpy(answer->columns, columns, column_count * sizeof(*columns));
	answer->column_count = column_count;
	answer->row_count = 0;
	size_t begin = output->size;
	token_add_columns(output, columns, column_count);
	if (fault_take_metadata(answer->stream->faults))
		return answer_cut(answer, FAULT_CUT_CLOSE, begin + (output->size - begin) / 2);
	return answer_flush(answer);
}

static bool sink_row(void *context, const struct sql_value *values, size_t value_count)
{
	struct answer *answer = context;
	struct buffer *output = &answer->stream->output;
	enum fault_cut cut = fault_take_cut(answer->stream->faults, answer->row_count);
	size_t begin = output->size;
	token_add_row(output, answer->columns, values, value_count, answer->knows_null_bitmap);
	if (cut != FAULT_CUT_NONE)
		return answer_cut(answer, cut, begin + (output->size - begin) / 2);
	answer->row_count++;
	return answer_flush(answer);
}

/* A result that is shorter than an armed cut is cut where its DONE would stand. */
static bool sink_done(void *context, bool has_count, uint64_t row_count, bool has_error)
{
	struct answer *answer = context;
	enum fault_cut cut = FAULT_CUT_NONE;
	if (answer->row_count > 0)
		cut = fault_take_cut(answer->stream->faults, UINT64_MAX);
	if (cut != FAULT_CUT_NONE)
		return answer_cut(answer, cut, answer->stream->output.size);
	answer_follow_database(answer);
	answer_follow_transaction(answer);
	uint16_t status = has_count ? DONE_COUNT : 0;
	if (has_error)
		status |= DONE_ERROR;
	answer_hold_done(answer, status, row_count);
	answer->row_count = 0;
	return answer_flush(answer);
}

static bool sink_message(void *context, const struct sql_message *message)
{
	struct answer *answer = context;
	if (message->severity >= FATAL_SEVERITY) {
		answer_add_message(answer, message);
		return false;
	}
	answer_release_done(answer, DONE_MORE);
	if (message->severity > 10)
		answer->error_number = message->number;
	token_add_message(&answer->stream->output, message, answer->server_name);
	return answer_flush(answer);
}

void answer_init(struct answer *answer, struct stream *stream, const struct session_engine *engine,
		 const char *database, uint32_t tds_version)
{
	*answer = (struct answer){.stream = stream,
				  .engine = engine,
				  .knows_null_bitmap = tds_version >= TDS_VERSION_73B};
	strncpy(answer->database, database, sizeof(answer->database) - 1);
}

void answer_done(struct answer *answer)
{
	free(answer->columns);
	*answer = (struct answer){0};
}

void answer_begin(struct answer *answer, enum answer_kind kind, const char *server_name)
{
	strncpy(answer->server_name, server_name, sizeof(answer->server_name) - 1);
	answer->kind = kind;
	answer->error_number = 0;
	answer->has_done = false;
	answer->row_count = 0;
}

bool answer_delay(struct answer *answer, int64_t delay_ms)
{
	int64_t until_ms = clock_ms() + delay_ms;
	for (int64_t left_ms = delay_ms; left_ms > 0; left_ms = until_ms - clock_ms()) {
		if (!stream_is_wanted(answer->stream) || !stream_wait(answer->stream, left_ms))
			return false;
	}
	return true;
}

struct result_sink answer_sink(struct answer *answer)
{
	return (struct result_sink){
		.context = answer,
		.statement = sink_statement,
		.is_wanted = sink_is_wanted,
		.columns = sink_columns,
		.row = sink_row,
		.done = sink_done,
		.message = sink_message,
	};
}

void answer_add_return(struct answer *answer, const struct sql_parameter *parameters,
		       size_t parameter_count)
{
	struct buffer *output = &answer->stream->output;
	answer_follow_database(answer);
	answer_follow_transaction(answer);
	answer_release_done(answer, DONE_MORE);
	token_add_return_status(output, answer->error_number);
	for (size_t i = 0; i < parameter_count && answer->error_number == 0; i++) {
		if (parameters[i].is_output)
			token_add_return_value(output, &parameters[i], i);
	}
	answer_hold(answer, DONE_PROCEDURE, answer->error_number != 0 ? DONE_ERROR : 0, 0);
	answer->error_number = 0;
}

/* Until the client has gone or the fault is switched off. */
static bool answer_ignore_attention(struct answer *answer)
{
	while (fault_ignores_attention(answer->stream->faults)) {
		if (!stream_wait(answer->stream, DEAF_STEP_MS))
			return false;
	}
	return true;
}

bool answer_end(struct answer *answer)
{
	struct stream *stream = answer->stream;
	if (stream->is_broken || (stream->has_attention && !answer_ignore_attention(answer)))
		return false;
	answer_follow_database(answer);
	answer_follow_transaction(answer);
	if (!answer->has_done || answer->done_token == DONE_IN_PROCEDURE)
		answer_hold(answer, DONE_BATCH, 0, 0);
	answer_release_done(answer, 0);
	if (!stream_send_end(stream))
		return false;
	if (!stream->has_attention)
		return !answer->is_ending;
	stream->has_attention = false;
	token_add_done(&stream->output, DONE_BATCH, DONE_ATTENTION, 0);
	return stream_send_end(stream) && !answer->is_ending;
}
