/* SPDX-License-Identifier: Apache-2.0 */
/* PRELOGIN: the first words of a connection. Pure. */
#pragma once

#include <stdbool.h>

#include "tests/sim/buffer.h"

/* What one side says of encryption. */
enum prelogin_encryption {
	PRELOGIN_ENCRYPT_LOGIN = 0, /* called OFF: the login packet alone */
	PRELOGIN_ENCRYPT_ALL = 1,
	PRELOGIN_ENCRYPT_NOT_SUPPORTED = 2,
	PRELOGIN_ENCRYPT_REQUIRED = 3,
};

enum encryption_policy {
	ENCRYPTION_OFF,	     /* no certificate */
	ENCRYPTION_LOGIN,    /* the client decides; the login packet is encrypted if it can */
	ENCRYPTION_REQUIRED, /* "Force Encryption" */
};

struct prelogin {
	uint8_t encryption; /* enum prelogin_encryption */
	bool asks_federated_authentication;
};

/* Returns false when the options do not lie inside the body. Pure. */
bool prelogin_decode(const uint8_t *body, size_t size_bytes, struct prelogin *prelogin);

/* What a server with this policy answers a client. Pure. */
enum prelogin_encryption prelogin_choose(const struct prelogin *prelogin,
					 enum encryption_policy policy);

void prelogin_add_answer(struct buffer *buffer, const struct prelogin *prelogin,
			 enum prelogin_encryption encryption);
