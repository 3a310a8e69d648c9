/* SPDX-License-Identifier: Apache-2.0 */
/* PRELOGIN: the first words of a connection. Pure. */
#pragma once

#include <stdbool.h>

#include "tests/sim/buffer.h"

struct prelogin {
	uint8_t encryption; /* 0 off, 1 on, 2 not supported, 3 required */
	bool asks_federated_authentication;
};

/* Returns false when the options do not lie inside the body. Pure. */
bool prelogin_decode(const uint8_t *body, size_t size_bytes, struct prelogin *prelogin);

/* Adds the answer of a server that has no certificate. */
void prelogin_add_answer(struct buffer *buffer, const struct prelogin *prelogin);
