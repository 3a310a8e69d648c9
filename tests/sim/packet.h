/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TDS framing: messages out of bytes that arrive in any pieces, and packet headers. Knows no socket
 * and no token.
 */
#pragma once

#include <stdbool.h>

#include "tests/sim/buffer.h"

enum packet_type {
	PACKET_BATCH = 0x01,
	PACKET_RPC = 0x03,
	PACKET_REPLY = 0x04,
	PACKET_ATTENTION = 0x06,
	PACKET_TRANSACTION = 0x0E,
	PACKET_LOGIN7 = 0x10,
	PACKET_PRELOGIN = 0x12,
};

enum {
	PACKET_HEADER_SIZE = 8,
	PACKET_SIZE_LEAST = 512,
	PACKET_SIZE_DEFAULT = 4096,
	PACKET_SIZE_MOST = 32767,
	PACKET_END = 0x01,    /* status bit: last packet of the message */
	PACKET_IGNORE = 0x02, /* status bit: the client gave the message up */
	PACKET_RESET = 0x08,  /* status bit: a pooled session is to start afresh */
	PACKET_RESET_KEEP_TRANSACTION = 0x10,
	PACKET_SIZE_MOST_ENCRYPTED = 16383, /* a packet is one TLS record */
};

/* One whole message; body is borrowed until the next call on the reader. */
struct packet_message {
	uint8_t type;
	uint8_t status; /* the bits of all its packets */
	const uint8_t *body;
	size_t size_bytes;
};

enum packet_result {
	PACKET_INCOMPLETE, /* feed more bytes */
	PACKET_MESSAGE,
	PACKET_BROKEN, /* not TDS, or over the limit: give the connection up */
};

/* Set message_limit; all else zero. */
struct packet_reader {
	size_t message_limit; /* bytes of one message's body */
	struct buffer input;
	struct buffer body;
	uint8_t type;	/* of the message in the making; 0 = none */
	uint8_t status; /* of it */
};

void packet_reader_done(struct packet_reader *reader);
void packet_reader_feed(struct packet_reader *reader, const void *bytes, size_t size);
enum packet_result packet_reader_next(struct packet_reader *reader, struct packet_message *message);

/* Writes the 8 header bytes of a packet that carries body_size bytes. Pure. */
void packet_header_write(uint8_t *header, uint8_t type, uint8_t status, size_t body_size,
			 int32_t session_id, uint8_t packet_id);

/* The packet size that a login's wish leads to, where the server grants so much. Pure. */
size_t packet_size_negotiate(uint32_t wanted, size_t granted, bool is_encrypted);

/*
 * Size of the ALL_HEADERS block in front of a batch, RPC or transaction request; 0 when the bytes
 * do not hold one (TDS 7.1 has none). Pure.
 */
size_t packet_headers_size(const uint8_t *body, size_t size_bytes);
