/* SPDX-License-Identifier: Apache-2.0 */
/* The tokens that a server answers with, in the layouts of TDS 7.2 to 7.4. Pure: bytes into a
 * buffer. */
#pragma once

#include "tests/sim/buffer.h"
#include "tests/sim/result.h"

/* The three tokens that end something. */
enum done_token {
	DONE_BATCH = 0xFD,
	DONE_PROCEDURE = 0xFE,
	DONE_IN_PROCEDURE = 0xFF,
};

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
	ENVIRONMENT_BEGIN = 8,
	ENVIRONMENT_COMMIT = 9,
	ENVIRONMENT_ROLLBACK = 10,
	ENVIRONMENT_RESET = 18,
};

void token_add_columns(struct buffer *buffer, const struct sql_column *columns,
		       size_t column_count);
/* A row with many nulls goes as NBCROW when the client knows that (7.3 B and later). */
void token_add_row(struct buffer *buffer, const struct sql_column *columns,
		   const struct sql_value *values, size_t value_count, bool knows_null_bitmap);
void token_add_done(struct buffer *buffer, enum done_token token, uint16_t status,
		    uint64_t row_count);

/* What a procedure returns, and one of its output parameters. */
void token_add_return_status(struct buffer *buffer, int32_t status);
void token_add_return_value(struct buffer *buffer, const struct sql_parameter *parameter,
			    size_t position);

/* ERROR above severity 10, INFO up to it. */
void token_add_message(struct buffer *buffer, const struct sql_message *message,
		       const char *server_name);

void token_add_environment(struct buffer *buffer, enum environment_type type, const char *new_value,
			   const char *old_value);
/* The transaction that began or ended; 0 = none, as in ENVIRONMENT_RESET. */
void token_add_transaction(struct buffer *buffer, enum environment_type type, uint64_t new_id,
			   uint64_t old_id);
void token_add_collation(struct buffer *buffer);
void token_add_login_ack(struct buffer *buffer, uint32_t tds_version);

/* Says yes to UTF-8 (feature 0x0A), the one extension that is known here. */
void token_add_features(struct buffer *buffer);
