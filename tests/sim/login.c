/* SPDX-License-Identifier: Apache-2.0 */
/* LOGIN7: who wants in. Pure. */
#include "tests/sim/login.h"

#include <string.h>

#include "tests/sim/utf16.h"

/* Where (offset u16, character count u16) of each field stands. */
enum login_field {
	FIELD_HOST = 36,
	FIELD_USER = 40,
	FIELD_PASSWORD = 44,
	FIELD_PROGRAM = 48,
	FIELD_EXTENSION = 56,
	FIELD_DATABASE = 68,
};

enum {
	FIXED_SIZE = 72,
	NAME_LIMIT = 128,
	FLAGS_TYPE = 26,
	FLAGS_3 = 27,
	FLAG_READ_ONLY = 0x20,
	FLAG_EXTENSION = 0x10,
	FEATURE_UTF8 = 0x0A,
	FEATURE_END = 0xFF,
};

static void password_reveal(uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		uint8_t plain = bytes[i] ^ 0xA5;
		bytes[i] = (uint8_t)(plain << 4 | plain >> 4);
	}
}

static bool field_read(const uint8_t *body, size_t size_bytes, enum login_field field, char *text)
{
	size_t offset = bytes_u16(body + field);
	size_t unit_count = bytes_u16(body + field + 2);
	if (unit_count > NAME_LIMIT || offset + 2 * unit_count > size_bytes)
		return false;
	uint8_t units[NAME_LIMIT * 2];
	memcpy(units, body + offset, 2 * unit_count);
	if (field == FIELD_PASSWORD)
		password_reveal(units, 2 * unit_count);
	struct buffer name = {0};
	utf16_read(&name, units, unit_count);
	buffer_add_u8(&name, 0);
	memcpy(text, name.bytes, name.size);
	buffer_done(&name);
	return true;
}

/* The extension is the offset of a list of number, size and data of each feature. */
static bool features_read(const uint8_t *body, size_t size_bytes, struct login *login)
{
	login->asks_utf8 = false;
	if ((body[FLAGS_3] & FLAG_EXTENSION) == 0)
		return true;
	size_t offset = bytes_u16(body + FIELD_EXTENSION);
	if (offset + 4 > size_bytes)
		return false;
	size_t at = bytes_u32(body + offset);
	while (at < size_bytes && body[at] != FEATURE_END) {
		if (at + 5 > size_bytes)
			return false;
		login->asks_utf8 |= body[at] == FEATURE_UTF8;
		at += 5 + (size_t)bytes_u32(body + at + 1);
	}
	return at < size_bytes;
}

bool login_decode(const uint8_t *body, size_t size_bytes, struct login *login)
{
	if (size_bytes < FIXED_SIZE || bytes_u32(body) > size_bytes)
		return false;
	login->tds_version = bytes_u32(body + 4);
	login->packet_size = bytes_u32(body + 8);
	login->is_read_only = (body[FLAGS_TYPE] & FLAG_READ_ONLY) != 0;
	return features_read(body, size_bytes, login) &&
	       field_read(body, size_bytes, FIELD_HOST, login->host_name) &&
	       field_read(body, size_bytes, FIELD_USER, login->user) &&
	       field_read(body, size_bytes, FIELD_PASSWORD, login->password) &&
	       field_read(body, size_bytes, FIELD_PROGRAM, login->program_name) &&
	       field_read(body, size_bytes, FIELD_DATABASE, login->database);
}

uint32_t login_version_negotiate(uint32_t wanted)
{
	if (wanted < TDS_VERSION_72)
		return 0;
	return wanted > TDS_VERSION_74 ? TDS_VERSION_74 : wanted;
}
