/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a statement answers, on its way from the engine to a client: columns, rows, messages, done.
 * The engine (instance) calls the sink; the wire (tds_*) implements it and writes tokens. This
 * header is all that the two halves of the simulator know of each other, besides instance.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The types that the views have. The wire writes each as SQL Server does (INTN, BITN, NVARCHAR
 * ...). */
enum sql_type {
	SQL_TINYINT,
	SQL_SMALLINT,
	SQL_INT,
	SQL_BIGINT,
	SQL_BIT,
	SQL_REAL,
	SQL_FLOAT,
	SQL_DATETIME,  /* value: integer ms since 1900-01-01 00:00 */
	SQL_DATETIME2, /* value: integer microseconds since 0001-01-01 00:00; scale 7 on the wire */
	SQL_NVARCHAR,  /* length: characters, 1..4000; 0 = max */
	SQL_VARBINARY, /* length: bytes, 1..8000 */
};

struct sql_column {
	char name[129];
	enum sql_type type;
	int length; /* of SQL_NVARCHAR and SQL_VARBINARY only */
	bool is_nullable;
};

struct sql_value {
	bool is_null;
	int64_t integer;   /* the integer, bit and time types */
	double number;	   /* SQL_REAL, SQL_FLOAT */
	const void *bytes; /* SQL_NVARCHAR as UTF-8, SQL_VARBINARY; borrowed for the call */
	size_t size_bytes;
};

/* A parameter of a call. */
struct sql_parameter {
	char name[385];	    /* with its @; "" = the declared one at this position */
	enum sql_type type; /* of the value as the client sent it; of an output as it is declared */
	int length;
	bool is_output; /* the engine writes value; its bytes live until the engine's next call */
	struct sql_value value;
};

/* A message of the server. severity <= 10 travels as INFO, above as ERROR. */
struct sql_message {
	int32_t number;
	uint8_t state;
	uint8_t severity;
	const char *text;
	int32_t line;
};

/*
 * Receives what a batch answers, in order. Every function returns false when the client is gone or
 * has sent Attention; the engine then stops the batch at once and returns.
 *
 * columns begins a result set; row follows for each row; done ends a statement (has_count false for
 * SET and DECLARE under NOCOUNT); message may come anywhere between rows. The wire itself works out
 * the MORE bit of the last DONE of the batch.
 *
 * statement is asked before each statement of the batch with its text as the client wrote it. It
 * sets *is_answered when the wire has answered that statement itself (a fault); the engine then
 * skips it, sends nothing for it, not even done, and goes on with the next.
 *
 * is_wanted is for long silent work (WAITFOR, a progress handler): false means stop as above. It
 * costs one system call, so a few dozen times a second is right.
 */
struct result_sink {
	void *context;
	bool (*statement)(void *context, const char *sql, size_t size_bytes, bool *is_answered);
	bool (*is_wanted)(void *context);
	bool (*columns)(void *context, const struct sql_column *columns, size_t column_count);
	bool (*row)(void *context, const struct sql_value *values, size_t value_count);
	bool (*done)(void *context, bool has_count, uint64_t row_count, bool has_error);
	bool (*message)(void *context, const struct sql_message *message);
};
