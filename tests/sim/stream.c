/* SPDX-License-Identifier: Apache-2.0 */
/* One client's socket as messages. Runs in the session's thread; knows no token. */
#include "tests/sim/stream.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "tests/sim/tls.h"

enum {
	MESSAGE_LIMIT = 16 * 1024 * 1024,
	RECEIVE_SIZE = 16384,
	DRIP_MS = 50,
	DRIP_WATCH = POLLRDHUP,
};

static bool stream_break(struct stream *stream)
{
	stream->is_broken = true;
	return false;
}

static bool stream_receive(struct stream *stream)
{
	uint8_t bytes[RECEIVE_SIZE];
	ssize_t size = recv(stream->fd, bytes, sizeof(bytes), 0);
	if (size < 0 && errno == EINTR)
		return true;
	if (size <= 0 || stream->reader.input.size > MESSAGE_LIMIT)
		return stream_break(stream);
	if (stream->tls)
		tls_feed(stream->tls, bytes, (size_t)size);
	else
		packet_reader_feed(&stream->reader, bytes, (size_t)size);
	return true;
}

/* One record at a time: what follows the login's last one may be clear text. */
static bool stream_decrypt(struct stream *stream)
{
	if (!stream->tls)
		return false;
	enum tls_result result = tls_decrypt(stream->tls, &stream->reader.input);
	if (result == TLS_FAILED)
		stream_break(stream);
	return result == TLS_DONE;
}

static enum packet_result stream_next(struct stream *stream, struct packet_message *message)
{
	for (;;) {
		enum packet_result result = packet_reader_next(&stream->reader, message);
		if (result != PACKET_INCOMPLETE || !stream_decrypt(stream))
			return result;
	}
}

/* One byte per 50 ms until all is out or the client is gone. */
static size_t stream_drip(struct stream *stream, const uint8_t *bytes, size_t size)
{
	size_t sent = 0;
	while (sent < size && fault_is_dripping(stream->faults)) {
		struct pollfd watch = {.fd = stream->fd, .events = DRIP_WATCH};
		if (poll(&watch, 1, DRIP_MS) > 0 ||
		    send(stream->fd, bytes + sent, 1, MSG_NOSIGNAL) != 1) {
			stream->is_broken = true;
			break;
		}
		sent++;
	}
	return sent;
}

static bool stream_send_raw(struct stream *stream, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;
	while (size > 0 && !stream->is_broken) {
		if (fault_is_dripping(stream->faults)) {
			size_t dripped = stream_drip(stream, at, size);
			at += dripped;
			size -= dripped;
			continue;
		}
		ssize_t sent = send(stream->fd, at, size, MSG_NOSIGNAL);
		if (sent < 0 && errno == EINTR)
			continue;
		if (sent <= 0)
			return stream_break(stream);
		at += sent;
		size -= (size_t)sent;
	}
	return !stream->is_broken;
}

bool stream_send_bytes(struct stream *stream, const void *bytes, size_t size)
{
	if (!stream->tls)
		return stream_send_raw(stream, bytes, size);
	buffer_clear(&stream->wire);
	if (!tls_encrypt(stream->tls, bytes, size, &stream->wire))
		return stream_break(stream);
	return stream_send_raw(stream, stream->wire.bytes, stream->wire.size);
}

static bool stream_send_packet(struct stream *stream, uint8_t status, const uint8_t *body,
			       size_t size)
{
	uint8_t packet[PACKET_SIZE_MOST + PACKET_HEADER_SIZE];
	packet_header_write(packet, stream->reply_type, status, size, stream->session_id,
			    ++stream->packet_id);
	if (size != 0)
		memcpy(packet + PACKET_HEADER_SIZE, body, size);
	if (!stream->is_truncating)
		return stream_send_bytes(stream, packet, size + PACKET_HEADER_SIZE);
	(void)stream_send_bytes(stream, packet, size / 2 + PACKET_HEADER_SIZE); /* ends anyway */
	return stream_break(stream);
}

void stream_init(struct stream *stream, int fd, int32_t session_id, struct faults *faults)
{
	*stream = (struct stream){.fd = fd,
				  .session_id = session_id,
				  .faults = faults,
				  .packet_size = PACKET_SIZE_DEFAULT,
				  .reply_type = PACKET_REPLY,
				  .reader = {.message_limit = MESSAGE_LIMIT}};
}

void stream_done(struct stream *stream)
{
	packet_reader_done(&stream->reader);
	buffer_done(&stream->output);
	buffer_done(&stream->wire);
	tls_free(stream->tls);
}

void stream_begin_tls(struct stream *stream, struct tls *tls)
{
	tls_feed(tls, stream->reader.input.bytes, stream->reader.input.size);
	buffer_clear(&stream->reader.input);
	stream->tls = tls;
}

void stream_end_tls(struct stream *stream)
{
	tls_take_rest(stream->tls, &stream->reader.input);
	tls_free(stream->tls);
	stream->tls = NULL;
}

bool stream_read(struct stream *stream, struct packet_message *message)
{
	while (!stream->is_broken) {
		enum packet_result result = stream_next(stream, message);
		if (result == PACKET_MESSAGE)
			return true;
		if (stream->is_broken || result == PACKET_BROKEN || !stream_receive(stream))
			return stream_break(stream);
	}
	return false;
}

bool stream_send_full(struct stream *stream)
{
	size_t body_size = stream->packet_size - PACKET_HEADER_SIZE;
	size_t sent = 0;
	while (stream->output.size - sent > body_size) {
		if (!stream_send_packet(stream, 0, stream->output.bytes + sent, body_size))
			return false;
		sent += body_size;
	}
	buffer_drop(&stream->output, sent);
	return true;
}

bool stream_send_end(struct stream *stream)
{
	if (!stream_send_full(stream))
		return false;
	bool is_sent =
		stream_send_packet(stream, PACKET_END, stream->output.bytes, stream->output.size);
	buffer_clear(&stream->output);
	stream->packet_id = 0;
	return is_sent;
}

bool stream_send_torn(struct stream *stream, size_t size)
{
	stream->output.size = size;
	return stream_send_full(stream) &&
	       stream_send_packet(stream, 0, stream->output.bytes, stream->output.size);
}

/* Between a request and its answer a client may send nothing but Attention. */
static bool stream_find_attention(struct stream *stream)
{
	struct packet_message message;
	switch (stream_next(stream, &message)) {
	case PACKET_INCOMPLETE:
		break;
	case PACKET_MESSAGE:
		if (message.type != PACKET_ATTENTION)
			return stream_break(stream);
		stream->has_attention = true;
		break;
	case PACKET_BROKEN:
		return stream_break(stream);
	}
	return !stream->has_attention && !stream->is_broken;
}

bool stream_is_wanted(struct stream *stream)
{
	struct pollfd watch = {.fd = stream->fd, .events = POLLIN};
	if (stream->is_broken || stream->has_attention)
		return false;
	if (poll(&watch, 1, 0) > 0 && !stream_receive(stream))
		return false;
	return stream_find_attention(stream);
}

bool stream_wait(struct stream *stream, int64_t ms)
{
	struct pollfd watch = {.fd = stream->fd, .events = POLLIN};
	if (!stream->is_broken && poll(&watch, 1, (int)ms) > 0)
		return stream_receive(stream);
	return !stream->is_broken;
}
