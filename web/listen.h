/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens listening sockets from addresses as the configuration writes them: "127.0.0.1:9743",
 * "[::1]:0", "localhost:9743", "unix:/run/latchd/api.sock". Knows no HTTP. Main's thread.
 */
#pragma once

#include <stdbool.h>

#include "daemon/base/error.h"

enum { LISTEN_HOST_SIZE = 256 };

struct listen_socket {
	int fd;
	bool is_unix;
	char host[LISTEN_HOST_SIZE]; /* without port and brackets; the path of a unix socket */
	char shown[LISTEN_HOST_SIZE + 32]; /* "http://[::1]:40123", "unix:/run/latchd/api.sock" */
	bool is_everywhere;		   /* 0.0.0.0 or [::] */
};

/*
 * Opens one address. A unix socket that nobody listens on any more is replaced.
 *
 * Owns:    the caller closes fd and unlinks host when is_unix.
 * Errors:  ERROR_INVALID the address cannot be read; ERROR_CONFLICT in use; ERROR_IO.
 * Threads: main.
 */
MUST_CHECK bool listen_open(const char *address, struct listen_socket *opened, struct error *err);
