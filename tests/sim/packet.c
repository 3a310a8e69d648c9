/* SPDX-License-Identifier: Apache-2.0 */
/* TDS framing. Belongs to one session thread; knows no socket and no token. */
#include "tests/sim/packet.h"

static size_t packet_length(const uint8_t *header)
{
	return (size_t)header[2] << 8 | header[3];
}

static bool type_is_known(uint8_t type)
{
	switch (type) {
	case PACKET_BATCH:
	case PACKET_RPC:
	case PACKET_ATTENTION:
	case PACKET_TRANSACTION:
	case PACKET_LOGIN7:
	case PACKET_PRELOGIN:
		return true;
	default:
		return false;
	}
}

/* An Attention may come between the packets of a message that the client no longer wants. */
static bool header_is_sound(const struct packet_reader *reader, const uint8_t *header)
{
	if (!type_is_known(header[0]) || packet_length(header) < PACKET_HEADER_SIZE)
		return false;
	return reader->type == 0 || reader->type == header[0] || header[0] == PACKET_ATTENTION;
}

void packet_reader_done(struct packet_reader *reader)
{
	buffer_done(&reader->input);
	buffer_done(&reader->body);
}

void packet_reader_feed(struct packet_reader *reader, const void *bytes, size_t size)
{
	buffer_add(&reader->input, bytes, size);
}

/* Moves one packet from input to body. */
static enum packet_result packet_take(struct packet_reader *reader)
{
	const uint8_t *header = reader->input.bytes;
	if (reader->input.size < PACKET_HEADER_SIZE)
		return PACKET_INCOMPLETE;
	if (!header_is_sound(reader, header))
		return PACKET_BROKEN;
	size_t length = packet_length(header);
	if (reader->input.size < length)
		return PACKET_INCOMPLETE;
	if (reader->type != header[0]) {
		buffer_clear(&reader->body);
		reader->status = 0;
	}
	if (reader->body.size + length - PACKET_HEADER_SIZE > reader->message_limit)
		return PACKET_BROKEN;
	reader->type = header[0];
	reader->status |= header[1];
	buffer_add(&reader->body, header + PACKET_HEADER_SIZE, length - PACKET_HEADER_SIZE);
	buffer_drop(&reader->input, length);
	return PACKET_MESSAGE;
}

enum packet_result packet_reader_next(struct packet_reader *reader, struct packet_message *message)
{
	for (;;) {
		enum packet_result result = packet_take(reader);
		if (result != PACKET_MESSAGE)
			return result;
		if ((reader->status & PACKET_END) == 0)
			continue;
		*message = (struct packet_message){.type = reader->type,
						   .status = reader->status,
						   .body = reader->body.bytes,
						   .size_bytes = reader->body.size};
		reader->type = 0;
		return PACKET_MESSAGE;
	}
}

void packet_header_write(uint8_t *header, uint8_t type, uint8_t status, size_t body_size,
			 int32_t session_id, uint8_t packet_id)
{
	size_t length = body_size + PACKET_HEADER_SIZE;
	header[0] = type;
	header[1] = status;
	header[2] = (uint8_t)(length >> 8);
	header[3] = (uint8_t)length;
	header[4] = (uint8_t)((uint32_t)session_id >> 8);
	header[5] = (uint8_t)session_id;
	header[6] = packet_id;
	header[7] = 0;
}

size_t packet_size_negotiate(uint32_t wanted, size_t granted, bool is_encrypted)
{
	size_t most = is_encrypted && granted > PACKET_SIZE_MOST_ENCRYPTED
			      ? PACKET_SIZE_MOST_ENCRYPTED
			      : granted;
	size_t size = wanted == 0 ? PACKET_SIZE_DEFAULT : wanted;
	if (size < PACKET_SIZE_LEAST)
		return PACKET_SIZE_LEAST;
	return size > most ? most : size;
}

size_t packet_headers_size(const uint8_t *body, size_t size_bytes)
{
	/* A block is its length, then at least one header of 6 bytes or more; SQL text would read
	 * as a length in the millions. */
	if (size_bytes < 4)
		return 0;
	uint32_t total = bytes_u32(body);
	return total >= 4 && total <= size_bytes && total < 0x10000 ? total : 0;
}
