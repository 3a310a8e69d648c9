/* SPDX-License-Identifier: Apache-2.0 */
/* One client from its first byte to its last; runs in a thread of its own. */
#pragma once

#include <stdint.h>

#include "tests/sim/prelogin.h"

struct faults;
struct instance;
struct tls_server;

/* How sessions are encrypted; constant while the program runs. */
struct encryption {
	enum encryption_policy policy;
	const struct tls_server *server; /* NULL with ENCRYPTION_OFF */
};

struct session_start {
	int fd; /* stays the caller's, who closes it afterwards */
	int32_t session_id;
	struct instance *instance;
	struct faults *faults;
	struct encryption encryption;
	size_t packet_size; /* the largest that is granted */
};

/* Returns when the client has gone, was sent away, or the descriptor was shut down. */
void session_run(const struct session_start *start);
