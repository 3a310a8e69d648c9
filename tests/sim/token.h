/* SPDX-License-Identifier: Apache-2.0 */
/* The tokens that a server answers with, in the layouts of TDS 7.2 to 7.4. Pure: bytes into a
 * buffer. */
#pragma once

#include "tests/sim/buffer.h"
#include "tests/sim/result.h"

/* Status bits of DONE. */
enum {
	DONE_MORE = 0x01,
	DONE_ERROR = 0x02,
	DONE_COUNT = 0x10,
	DONE_ATTENTION = 0x20,
};

enum environment_type {
	ENVIRONMENT_DATABASE = 1,
	ENVIRONMENT_LANGUAGE = 2,
	ENVIRONMENT_PACKET_SIZE = 4,
	ENVIRONMENT_COLLATION = 7,
};

void token_add_columns(struct buffer *buffer, const struct sql_column *columns,
		       size_t column_count);
void token_add_row(struct buffer *buffer, const struct sql_column *columns,
		   const struct sql_value *values, size_t value_count);
void token_add_done(struct buffer *buffer, uint16_t status, uint64_t row_count);

/* ERROR above severity 10, INFO up to it. */
void token_add_message(struct buffer *buffer, const struct sql_message *message,
		       const char *server_name);

void token_add_environment(struct buffer *buffer, enum environment_type type, const char *new_value,
			   const char *old_value);
void token_add_collation(struct buffer *buffer);
void token_add_login_ack(struct buffer *buffer, uint32_t tds_version);
