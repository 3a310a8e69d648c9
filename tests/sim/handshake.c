/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the first byte to a login. Runs in the session's thread.
 *
 * TLS records of the handshake travel inside packets of type 0x12, both ways; afterwards the
 * records stand on the wire alone and the packets inside them. When only the login is encrypted,
 * both sides drop TLS right behind LOGIN7, without saying so.
 */
#include "tests/sim/handshake.h"

#include "tests/sim/tls.h"

enum { SILENCE_MS = 50 };

/* Says nothing and understands nothing while the fault is on. */
static bool stay_silent(struct stream *stream)
{
	while (fault_login_is_silent(stream->faults)) {
		if (!stream_wait(stream, SILENCE_MS))
			return false;
	}
	return true;
}

static bool read_message(struct stream *stream, uint8_t type, struct packet_message *message)
{
	return stay_silent(stream) && stream_read(stream, message) && message->type == type;
}

static bool negotiate_step(struct stream *stream, struct tls *tls, enum tls_result *result)
{
	struct packet_message message;
	if (!read_message(stream, PACKET_PRELOGIN, &message))
		return false;
	tls_feed(tls, message.body, message.size_bytes);
	*result = tls_handshake(tls, &stream->output);
	return stream->output.size == 0 || stream_send_end(stream);
}

static bool negotiate_tls(struct stream *stream, const struct tls_server *server)
{
	struct tls *tls = tls_new(server);
	enum tls_result result = TLS_INCOMPLETE;
	/* Go drivers read no packet that is longer than what they are going to ask for. */
	stream->packet_size = PACKET_SIZE_LEAST;
	stream->reply_type = PACKET_PRELOGIN;
	while (result == TLS_INCOMPLETE && negotiate_step(stream, tls, &result))
		;
	stream->reply_type = PACKET_REPLY;
	stream->packet_size = PACKET_SIZE_DEFAULT;
	if (result == TLS_DONE) {
		stream_begin_tls(stream, tls);
		return true;
	}
	tls_free(tls);
	return false;
}

/* Clients of old may skip PRELOGIN, which means that they know no encryption. */
static bool answer_prelogin(struct stream *stream, const struct packet_message *message,
			    const struct encryption *encryption, enum prelogin_encryption *chosen)
{
	struct prelogin prelogin;
	if (!prelogin_decode(message->body, message->size_bytes, &prelogin))
		return false;
	*chosen = prelogin_choose(&prelogin, encryption->policy);
	prelogin_add_answer(&stream->output, &prelogin, *chosen);
	if (!stream_send_end(stream))
		return false;
	return *chosen == PRELOGIN_ENCRYPT_NOT_SUPPORTED ||
	       negotiate_tls(stream, encryption->server);
}

bool handshake_run(struct stream *stream, const struct encryption *encryption, struct login *login)
{
	enum prelogin_encryption chosen = PRELOGIN_ENCRYPT_NOT_SUPPORTED;
	struct packet_message message;
	if (!stay_silent(stream) || !stream_read(stream, &message))
		return false;
	if (message.type == PACKET_PRELOGIN &&
	    (!answer_prelogin(stream, &message, encryption, &chosen) ||
	     !read_message(stream, PACKET_LOGIN7, &message)))
		return false;
	if (fault_dies_before_login(stream->faults))
		return false;
	bool is_clear = !stream->tls && encryption->policy == ENCRYPTION_REQUIRED;
	if (message.type != PACKET_LOGIN7 || is_clear ||
	    !login_decode(message.body, message.size_bytes, login))
		return false;
	if (chosen == PRELOGIN_ENCRYPT_LOGIN)
		stream_end_tls(stream);
	return true;
}
