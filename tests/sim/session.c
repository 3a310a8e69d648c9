/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One client from its first byte to its last. Runs in a thread of its own; what it shares with
 * others are the instance and the faults, which guard themselves.
 */
#include "tests/sim/session.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tests/sim/answer.h"
#include "tests/sim/batch_log.h"
#include "tests/sim/handshake.h"
#include "tests/sim/instance.h"
#include "tests/sim/procedure.h"
#include "tests/sim/token.h"
#include "tests/sim/transaction.h"
#include "tests/sim/utf16.h"

enum { SILENCE_MS = 50, GARBAGE_SIZE = 256, TEXT_SIZE = 512 };

struct session {
	struct stream stream;
	struct answer answer;
	struct instance *instance;
	struct faults *faults;
	struct session_engine *engine;
	struct procedures procedures;
	struct buffer sql; /* the batch under way, UTF-8 */
	struct login login;
	size_t packet_size_granted;
	char server_name[129];
};

typedef bool silence_function(struct faults *faults);

/* Says nothing and understands nothing while the fault is on; only the end of the connection ends
 * it. */
static bool session_stay_silent(struct session *session, silence_function *is_silent)
{
	while (is_silent(session->faults)) {
		if (!stream_wait(&session->stream, SILENCE_MS))
			return false;
	}
	return true;
}

static void session_add_message(struct session *session, int32_t number, uint8_t state,
				uint8_t severity, const char *text)
{
	struct sql_message message = {
		.number = number, .state = state, .severity = severity, .text = text, .line = 1};
	token_add_message(&session->stream.output, &message, session->server_name);
}

/* Ends the answer to a login that does not get in. */
static bool session_refuse(struct session *session)
{
	token_add_done(&session->stream.output, DONE_BATCH, DONE_ERROR, 0);
	(void)stream_send_end(&session->stream); /* the connection ends either way */
	return false;
}

static bool session_refuse_login(struct session *session)
{
	char text[TEXT_SIZE];
	snprintf(text, sizeof(text), "Login failed for user '%s'.", session->login.user);
	session_add_message(session, 18456, 1, 14, text);
	return session_refuse(session);
}

/* What the control socket wants logins to meet; what is about the database ends with 18456 too. */
static bool session_refuse_as_told(struct session *session, const struct sql_message *message)
{
	if (message->number == 18456)
		return session_refuse_login(session);
	session_add_message(session, message->number, message->state, message->severity,
			    message->text);
	if (message->number == 4060 || message->number == 976)
		return session_refuse_login(session);
	return session_refuse(session);
}

static bool session_refuse_database(struct session *session)
{
	char text[TEXT_SIZE];
	snprintf(text, sizeof(text),
		 "Cannot open database \"%s\" requested by the login. The login failed.",
		 session->login.database);
	session_add_message(session, 4060, 1, 11, text);
	return session_refuse_login(session);
}

/* A secondary that only those may read who say that they only read. */
static bool session_refuse_intent(struct session *session)
{
	char text[TEXT_SIZE];
	snprintf(text, sizeof(text),
		 "The target database ('%.128s') is in an availability group and is currently "
		 "accessible for connections when the application intent is set to read only. For "
		 "more information about application intent, see SQL Server Books Online.",
		 session->login.database);
	session_add_message(session, 978, 1, 14, text);
	return session_refuse_login(session);
}

/* As Azure does when more log in than its workers can take. */
static bool session_refuse_storm(struct session *session)
{
	session_add_message(session, 10928, 1, 20,
			    "Resource ID: 1. The request limit for the database is reached. See "
			    "'http://go.microsoft.com/fwlink/?LinkId=267637' for assistance.");
	return session_refuse(session);
}

static size_t packet_size(const struct session *session)
{
	return packet_size_negotiate(session->login.packet_size, session->packet_size_granted,
				     session->stream.tls != NULL);
}

static bool session_greet(struct session *session, uint32_t tds_version)
{
	struct buffer *output = &session->stream.output;
	const char *database = session_engine_database(session->engine);
	char text[TEXT_SIZE];
	char packet_size_text[16];

	token_add_environment(output, ENVIRONMENT_DATABASE, database, "master");
	snprintf(text, sizeof(text), "Changed database context to '%s'.", database);
	session_add_message(session, 5701, 2, 0, text);
	token_add_collation(output);
	token_add_environment(output, ENVIRONMENT_LANGUAGE, "us_english", "");
	session_add_message(session, 5703, 1, 0, "Changed language setting to us_english.");
	token_add_login_ack(output, tds_version);
	snprintf(packet_size_text, sizeof(packet_size_text), "%zu", packet_size(session));
	token_add_environment(output, ENVIRONMENT_PACKET_SIZE, packet_size_text, "4096");
	if (session->login.asks_utf8)
		token_add_features(output);
	token_add_done(output, DONE_BATCH, 0, 0);
	bool is_sent = stream_send_end(&session->stream);
	session->stream.packet_size = packet_size(session);
	answer_init(&session->answer, &session->stream, session->engine, database, tds_version);
	session->procedures =
		(struct procedures){.engine = session->engine, .answer = &session->answer};
	return is_sent;
}

static bool session_enter(struct session *session)
{
	struct login *login = &session->login;
	uint32_t tds_version = login_version_negotiate(login->tds_version);
	if (tds_version == 0) {
		session_add_message(session, 50000, 1, 16,
				    "The simulator speaks TDS 7.2 and later only.");
		return session_refuse_login(session);
	}
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!fault_admits_login(session->faults,
				(int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000))
		return session_refuse_storm(session);
	if (!instance_login_is_valid(session->instance, login->user, login->password))
		return session_refuse_login(session);
	if (login->database[0] != '\0' &&
	    !instance_has_database(session->instance, login->user, login->database))
		return session_refuse_database(session);
	if (login->database[0] != '\0' && !login->is_read_only &&
	    fault_is_secondary(session->faults))
		return session_refuse_intent(session);
	struct sql_message message_of_fault;
	if (fault_login_error(session->faults, &message_of_fault))
		return session_refuse_as_told(session, &message_of_fault);
	struct session_identity identity = {.session_id = session->stream.session_id,
					    .login_name = login->user,
					    .program_name = login->program_name,
					    .host_name = login->host_name,
					    .database = login->database,
					    .is_encrypted = session->stream.tls != NULL,
					    .packet_size = (int32_t)packet_size(session)};
	session->engine = session_engine_new(session->instance, &identity);
	return session->engine && session_greet(session, tds_version);
}

static bool session_send_garbage(struct session *session)
{
	uint8_t garbage[GARBAGE_SIZE];
	uint32_t state = 2463534242;
	for (size_t i = 0; i < sizeof(garbage); i++) {
		state = state * 1664525 + 1013904223;
		garbage[i] = (uint8_t)(state >> 24);
	}
	return stream_send_bytes(&session->stream, garbage, sizeof(garbage));
}

static void session_decode_batch(struct session *session, const struct cursor *body)
{
	buffer_clear(&session->sql);
	utf16_read(&session->sql, body->at, body->left_bytes / 2);
	batch_log_add((const char *)session->sql.bytes, session->sql.size);
}

static void session_execute(struct session *session)
{
	struct result_sink sink = answer_sink(&session->answer);
	buffer_add_u8(&session->sql, 0); /* for whoever reads it as a string */
	/* Why the engine stopped, the answer knows itself. */
	(void)session_engine_execute(session->engine, (const char *)session->sql.bytes,
				     session->sql.size - 1, &sink);
}

/* False when the bytes are no calls; the connection is then given up, as the server does. */
static bool session_run_calls(struct session *session, struct cursor *body)
{
	struct call call = {0};
	bool is_sound = true;
	bool is_wanted = true;
	bool is_last = false;
	while (is_sound && is_wanted && !is_last) {
		is_sound = call_read(body, &call);
		if (is_sound)
			is_wanted = procedures_run(&session->procedures, &call);
		is_last = call.is_last;
		call_done(&call);
	}
	return is_sound;
}

static bool session_run_transaction(struct session *session, struct cursor *body)
{
	buffer_clear(&session->sql);
	if (transaction_add_sql(body, &session->sql)) {
		session_execute(session);
		return true;
	}
	struct sql_message message = {.number = 50000,
				      .state = 1,
				      .severity = 16,
				      .text = "The simulator knows no distributed transactions.",
				      .line = 1};
	answer_add_message(&session->answer, &message);
	return true;
}

static bool session_run_request(struct session *session, const struct packet_message *message)
{
	size_t skipped = packet_headers_size(message->body, message->size_bytes);
	struct cursor body = {.at = message->body + skipped,
			      .left_bytes = message->size_bytes - skipped};
	if (message->type == PACKET_RPC)
		return session_run_calls(session, &body);
	if (message->type == PACKET_TRANSACTION)
		return session_run_transaction(session, &body);
	session_decode_batch(session, &body);
	session_execute(session);
	return true;
}

/* What strikes a request as a whole comes before it. */
static bool session_take_request(struct session *session, const struct packet_message *message)
{
	if (!session_stay_silent(session, fault_query_is_silent))
		return false;
	if (fault_take_garbage(session->faults))
		return session_send_garbage(session);
	session->stream.is_truncating = fault_take_truncation(session->faults);
	if (answer_delay(&session->answer, fault_batch_delay_ms(session->faults)) &&
	    !session_run_request(session, message))
		return false;
	return answer_end(&session->answer);
}

static bool session_answer_attention(struct session *session)
{
	if (fault_ignores_attention(session->faults))
		return true;
	token_add_done(&session->stream.output, DONE_BATCH, DONE_ATTENTION, 0);
	return stream_send_end(&session->stream);
}

/* A pool gives the session to another user; the first request of that one carries the bit. */
static void session_reset(struct session *session, uint8_t status)
{
	if ((status & (PACKET_RESET | PACKET_RESET_KEEP_TRANSACTION)) == 0)
		return;
	session_engine_reset(session->engine, (status & PACKET_RESET_KEEP_TRANSACTION) != 0);
	procedures_clear(&session->procedures);
	token_add_transaction(&session->stream.output, ENVIRONMENT_RESET, 0, 0);
}

static bool session_answer(struct session *session, const struct packet_message *message)
{
	instance_server_name(session->instance, session->server_name, sizeof(session->server_name));
	answer_begin(&session->answer, message->type == PACKET_RPC ? ANSWER_CALL : ANSWER_BATCH,
		     session->server_name);
	switch (message->type) {
	case PACKET_ATTENTION:
		return session_answer_attention(session);
	case PACKET_BATCH:
	case PACKET_RPC:
	case PACKET_TRANSACTION:
		session_reset(session, message->status);
		if ((message->status & PACKET_IGNORE) != 0)
			return answer_end(&session->answer);
		return session_take_request(session, message);
	default:
		return false;
	}
}

void session_run(const struct session_start *start)
{
	struct session session = {.instance = start->instance,
				  .faults = start->faults,
				  .packet_size_granted = start->packet_size};
	struct packet_message message;
	stream_init(&session.stream, start->fd, start->session_id, start->faults);
	instance_server_name(session.instance, session.server_name, sizeof(session.server_name));
	if (handshake_run(&session.stream, &start->encryption, &session.login) &&
	    session_enter(&session)) {
		while (stream_read(&session.stream, &message) && session_answer(&session, &message))
			;
	}
	procedures_done(&session.procedures);
	session_engine_free(session.engine);
	answer_done(&session.answer);
	stream_done(&session.stream);
	buffer_done(&session.sql);
}
