/* SPDX-License-Identifier: Apache-2.0 */
/* LOGIN7: who wants in. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 128 UTF-16 units are at most 384 bytes of UTF-8. */
enum { LOGIN_NAME_SIZE = 128 * 3 + 1 };

enum tds_version {
	TDS_VERSION_72 = 0x72090002,
	TDS_VERSION_73B = 0x730B0003,
	TDS_VERSION_74 = 0x74000004,
};

struct login {
	uint32_t tds_version; /* as the client asked, 0x74000004 for 7.4 */
	uint32_t packet_size; /* wish; 0 = the server's default */
	bool is_read_only;    /* application intent */
	bool asks_utf8;	      /* feature extension 0x0A */
	char host_name[LOGIN_NAME_SIZE];
	char user[LOGIN_NAME_SIZE];
	char password[LOGIN_NAME_SIZE];
	char program_name[LOGIN_NAME_SIZE];
	char database[LOGIN_NAME_SIZE];
};

/* Returns false when a field lies outside the message or is longer than 128 characters. Pure. */
bool login_decode(const uint8_t *body, size_t size_bytes, struct login *login);

/* The version that both sides speak from here on; 0 when the client's is below 7.2. Pure. */
uint32_t login_version_negotiate(uint32_t wanted);
