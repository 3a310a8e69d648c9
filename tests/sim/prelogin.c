/* SPDX-License-Identifier: Apache-2.0 */
/* PRELOGIN: the first words of a connection. Pure. */
#include "tests/sim/prelogin.h"

enum prelogin_option {
	OPTION_VERSION = 0,
	OPTION_ENCRYPTION = 1,
	OPTION_INSTANCE = 2,
	OPTION_THREAD = 3,
	OPTION_MARS = 4,
	OPTION_FEDERATED = 6,
	OPTION_END = 0xFF,
};

enum { OPTION_SIZE = 5 };

struct option {
	uint8_t token;
	uint8_t data[6];
	uint16_t size;
};

bool prelogin_decode(const uint8_t *body, size_t size_bytes, struct prelogin *prelogin)
{
	struct prelogin read = {.encryption = PRELOGIN_ENCRYPT_NOT_SUPPORTED};
	size_t at = 0;
	for (; at < size_bytes && body[at] != OPTION_END; at += OPTION_SIZE) {
		if (at + OPTION_SIZE > size_bytes)
			return false;
		size_t offset = (size_t)body[at + 1] << 8 | body[at + 2];
		size_t size = (size_t)body[at + 3] << 8 | body[at + 4];
		if (offset + size > size_bytes)
			return false;
		if (body[at] == OPTION_ENCRYPTION && size > 0)
			read.encryption = body[offset];
		if (body[at] == OPTION_FEDERATED)
			read.asks_federated_authentication = true;
	}
	if (at >= size_bytes)
		return false;
	*prelogin = read;
	return true;
}

enum prelogin_encryption prelogin_choose(const struct prelogin *prelogin,
					 enum encryption_policy policy)
{
	if (policy == ENCRYPTION_OFF)
		return PRELOGIN_ENCRYPT_NOT_SUPPORTED;
	switch (prelogin->encryption) {
	case PRELOGIN_ENCRYPT_ALL:
	case PRELOGIN_ENCRYPT_REQUIRED:
		return PRELOGIN_ENCRYPT_ALL;
	case PRELOGIN_ENCRYPT_LOGIN:
		return policy == ENCRYPTION_LOGIN ? PRELOGIN_ENCRYPT_LOGIN
						  : PRELOGIN_ENCRYPT_REQUIRED;
	default:
		return policy == ENCRYPTION_LOGIN ? PRELOGIN_ENCRYPT_NOT_SUPPORTED
						  : PRELOGIN_ENCRYPT_REQUIRED;
	}
}

void prelogin_add_answer(struct buffer *buffer, const struct prelogin *prelogin,
			 enum prelogin_encryption encryption)
{
	const struct option options[] = {
		{OPTION_VERSION, {15, 0, 0x0F, 0xA0, 0, 0}, 6},
		{OPTION_ENCRYPTION, {(uint8_t)encryption}, 1},
		{OPTION_INSTANCE, {0}, 1},
		{OPTION_THREAD, {0}, 0},
		{OPTION_MARS, {0}, 1},
		{OPTION_FEDERATED, {0}, 1},
	};
	size_t count = sizeof(options) / sizeof(options[0]);
	if (!prelogin->asks_federated_authentication)
		count--;
	size_t offset = count * OPTION_SIZE + 1;
	for (size_t i = 0; i < count; i++) {
		buffer_add_u8(buffer, options[i].token);
		buffer_add_u16_big(buffer, (uint16_t)offset);
		buffer_add_u16_big(buffer, options[i].size);
		offset += options[i].size;
	}
	buffer_add_u8(buffer, OPTION_END);
	for (size_t i = 0; i < count; i++)
		buffer_add(buffer, options[i].data, options[i].size);
}
