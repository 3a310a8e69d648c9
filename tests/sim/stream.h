/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One client's socket as messages: reads them, sends packets, watches for Attention and for the end
 * of the connection. Belongs to the session's thread; another thread may shutdown(2) the
 * descriptor, which ends every wait in here.
 */
#pragma once

#include <stdbool.h>

#include "tests/sim/fault.h"
#include "tests/sim/packet.h"

struct tls;

struct stream {
	int fd; /* the listener's; never closed here */
	int32_t session_id;
	struct faults *faults;
	size_t packet_size; /* of what is sent, header included */
	uint8_t packet_id;
	uint8_t reply_type; /* of the packets that are sent */
	bool is_truncating; /* the next packet is to end in its middle, and the connection with it
			     */
	bool is_broken;	    /* nothing more can be read or sent */
	bool has_attention; /* seen by stream_is_wanted; the session answers and clears it */
	struct tls *tls;    /* owned; NULL = clear text */
	struct buffer wire; /* of what tls is to send */
	struct packet_reader reader;
	struct buffer output; /* of the message in the making */
};

void stream_init(struct stream *stream, int fd, int32_t session_id, struct faults *faults);
void stream_done(struct stream *stream);

/* From here on all bytes are TLS records. Takes tls over. */
void stream_begin_tls(struct stream *stream, struct tls *tls);

/* From here on all bytes are clear text again, those already read but not looked at too. */
void stream_end_tls(struct stream *stream);

/* Waits for the next message. False when the connection is over. */
bool stream_read(struct stream *stream, struct packet_message *message);

/* Sends the packets that are full and certainly not the last of their message. */
bool stream_send_full(struct stream *stream);

/* Sends what is left as the last packet of the message. */
bool stream_send_end(struct stream *stream);

/* Sends the first size bytes that are waiting, as a message that never ends. */
bool stream_send_torn(struct stream *stream, size_t size);

/* Sends bytes without a packet around them. */
bool stream_send_bytes(struct stream *stream, const void *bytes, size_t size);

/* Looks, without waiting, for Attention or the end of the connection. */
bool stream_is_wanted(struct stream *stream);

/* Waits for ms or less; collects what arrives but does not look at it. False when broken. */
bool stream_wait(struct stream *stream, int64_t ms);
