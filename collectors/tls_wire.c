/* SPDX-License-Identifier: Apache-2.0 */
/* Packets around a TLS handshake. Runs in the thread that probes. */
#include "collectors/tls_wire.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "collectors/time_limit.h"

enum { HEAD_SIZE = 8, TYPE_REPLY = 0x04, TYPE_PRELOGIN = 0x12, STATUS_END = 0x01 };
enum { OPTION_ENCRYPTION = 1, OPTION_END = 0xFF, OPTION_SIZE = 5 };

static bool is_in_time(struct tls_wire *wire, short events)
{
	if (time_limit_wait(wire->limit_fd, wire->fd, events))
		return true;
	errno = ETIMEDOUT;
	return false;
}

bool tls_wire_send(struct tls_wire *wire, const uint8_t *bytes, size_t size)
{
	while (size > 0) {
		ssize_t sent = send(wire->fd, bytes, size, MSG_NOSIGNAL);
		if (sent < 0 && errno == EAGAIN && is_in_time(wire, POLLOUT))
			continue;
		if (sent < 0)
			return false;
		bytes += sent;
		size -= (size_t)sent;
	}
	return true;
}

/* Exactly size bytes; at the end of the connection false with errno 0. */
static bool receive(struct tls_wire *wire, uint8_t *bytes, size_t size)
{
	while (size > 0) {
		ssize_t got = recv(wire->fd, bytes, size, 0);
		if (got < 0 && errno == EAGAIN && is_in_time(wire, POLLIN))
			continue;
		if (got == 0)
			errno = 0;
		if (got <= 0)
			return false;
		bytes += got;
		size -= (size_t)got;
	}
	return true;
}

static bool send_packet(struct tls_wire *wire, const uint8_t *body, size_t size, bool is_last)
{
	uint8_t packet[HEAD_SIZE + TLS_WIRE_BODY_MAX] = {TYPE_PRELOGIN, is_last ? STATUS_END : 0};
	size_t whole = HEAD_SIZE + size;

	packet[2] = (uint8_t)(whole >> 8);
	packet[3] = (uint8_t)(whole & 0xff);
	memcpy(packet + HEAD_SIZE, body, size);
	return tls_wire_send(wire, packet, whole);
}

static bool flush(struct tls_wire *wire)
{
	for (size_t done = 0; done < wire->out_size;) {
		size_t size = wire->out_size - done;
		if (size > TLS_WIRE_BODY_MAX)
			size = TLS_WIRE_BODY_MAX;
		if (!send_packet(wire, wire->out + done, size, done + size == wire->out_size))
			return false;
		done += size;
	}
	wire->out_size = 0;
	return true;
}

/* The body of the next packet into in. */
static bool receive_packet(struct tls_wire *wire)
{
	uint8_t head[HEAD_SIZE];

	if (!receive(wire, head, sizeof(head)))
		return false;
	size_t whole = (size_t)head[2] << 8 | head[3];
	bool is_known = head[0] == TYPE_PRELOGIN || head[0] == TYPE_REPLY;
	if (!is_known || whole < HEAD_SIZE || whole > HEAD_SIZE + TLS_WIRE_BODY_MAX) {
		errno = EPROTO;
		return false;
	}
	wire->in_at = 0;
	wire->in_size = whole - HEAD_SIZE;
	return receive(wire, wire->in, wire->in_size);
}

static bool find_encryption(const struct tls_wire *wire, enum tds_encryption *chosen)
{
	for (size_t at = 0; at + OPTION_SIZE <= wire->in_size && wire->in[at] != OPTION_END;
	     at += OPTION_SIZE) {
		size_t offset = (size_t)wire->in[at + 1] << 8 | wire->in[at + 2];
		if (wire->in[at] != OPTION_ENCRYPTION)
			continue;
		if (offset >= wire->in_size || wire->in[offset] > TDS_ENCRYPT_REQUIRED)
			return false;
		*chosen = (enum tds_encryption)wire->in[offset];
		return true;
	}
	return false;
}

bool tls_wire_prelogin(struct tls_wire *wire, enum tds_encryption wanted,
		       enum tds_encryption *chosen)
{
	/* Version 7.4 of a client, the encryption wanted, no instance, no thread, no MARS. */
	const uint8_t body[] = {
		0,
		0,
		26,
		0,
		6,
		1,
		0,
		32,
		0,
		1,
		2,
		0,
		33,
		0,
		1,
		3,
		0,
		34,
		0,
		4,
		4,
		0,
		38,
		0,
		1,
		OPTION_END,
		/* 26 */ 9,
		0,
		0,
		0,
		0,
		0,
		/* 32 */ (uint8_t)wanted,
		/* 33 */ 0,
		/* 34 */ 0,
		0,
		0,
		0,
		/* 38 */ 0,
	};

	if (!send_packet(wire, body, sizeof(body), true) || !receive_packet(wire))
		return false;
	wire->in_at = wire->in_size;
	if (find_encryption(wire, chosen))
		return true;
	errno = EPROTO;
	return false;
}

ssize_t tls_wire_push(struct tls_wire *wire, const void *bytes, size_t size)
{
	if (size > sizeof(wire->out) - wire->out_size && !flush(wire))
		return -1;
	if (size > sizeof(wire->out)) {
		errno = EMSGSIZE;
		return -1;
	}
	memcpy(wire->out + wire->out_size, bytes, size);
	wire->out_size += size;
	return (ssize_t)size;
}

ssize_t tls_wire_pull(struct tls_wire *wire, void *bytes, size_t size)
{
	if (!flush(wire))
		return -1;
	while (wire->in_at == wire->in_size)
		if (!receive_packet(wire))
			return errno == 0 ? 0 : -1;
	size_t there = wire->in_size - wire->in_at;
	if (size > there)
		size = there;
	memcpy(bytes, wire->in + wire->in_at, size);
	wire->in_at += size;
	return (ssize_t)size;
}
