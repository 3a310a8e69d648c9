/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The socket of a TLS probe: TDS packets of type 0x12, in which the handshake travels until it is
 * over (MS-TDS 2.2.6.5, 3.2.5.2). Knows no TLS. Belongs to the thread that probes.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/base/error.h"

enum { TLS_WIRE_BODY_MAX = 4096 - 8 };

enum tds_encryption {
	TDS_ENCRYPT_LOGIN = 0,
	TDS_ENCRYPT_ALL = 1,
	TDS_ENCRYPT_NOT_SUPPORTED = 2,
	TDS_ENCRYPT_REQUIRED = 3,
};

struct tls_wire {
	int fd;
	int limit_fd; /* becomes readable when the probe's time is over */
	uint8_t out[4 * TLS_WIRE_BODY_MAX];
	size_t out_size;
	uint8_t in[TLS_WIRE_BODY_MAX];
	size_t in_at, in_size;
};

/* Sends all of bytes; errno is ETIMEDOUT when the limit passed. Threads: the owner; blocks. */
MUST_CHECK bool tls_wire_send(struct tls_wire *wire, const uint8_t *bytes, size_t size);

/*
 * Sends PRELOGIN and reads the server's choice of encryption.
 *
 * Errors:  errno; EPROTO for an answer that is none.
 * Threads: the owner; blocks.
 */
MUST_CHECK bool tls_wire_prelogin(struct tls_wire *wire, enum tds_encryption wanted,
				  enum tds_encryption *chosen);

/* Keeps bytes for the next packet; -1 and errno when there is no room. Threads: the owner. */
ssize_t tls_wire_push(struct tls_wire *wire, const void *bytes, size_t size);

/*
 * Sends what was pushed, then takes up to size bytes out of the packets that come; 0 at the end of
 * the connection, -1 and errno on failure. Threads: the owner; blocks.
 */
ssize_t tls_wire_pull(struct tls_wire *wire, void *bytes, size_t size);
