/* SPDX-License-Identifier: Apache-2.0 */
/* One batch on its way through a session's engine. One thread; lives for the call. */
#pragma once

#include "tests/sim/result.h"
#include "tests/sim/session_state.h"
#include "tests/sim/tsql_infer.h"
#include "tests/sim/tsql_split.h"

enum batch_status {
	BATCH_GOES_ON,
	BATCH_REFUSED, /* a right is missing: told to the client; the next statement is run */
	BATCH_FAILED,  /* an error was told to the client; the rest of the batch is not run */
	BATCH_STOPPED, /* the sink does not want any more */
};

struct batch {
	struct session_engine *engine;
	const struct result_sink *sink;
	struct tsql_variables variables;
};

/* Runs all statements of a text. */
enum batch_status batch_run(struct batch *batch, const char *sql, size_t size);

/* Tells the client of an error and ends the statement. */
enum batch_status batch_fail(struct batch *batch, const struct sql_message *message);

/* The same for what SQLite refused last; a missing right is not the end of the batch. */
enum batch_status batch_fail_sqlite(struct batch *batch, int32_t line);

/* Sends a message of severity 0 to 10, and the end of a statement without rows. */
enum batch_status batch_inform(struct batch *batch, int32_t number, uint8_t severity,
			       const char *text, int32_t line);
enum batch_status batch_done(struct batch *batch);

/* Runs a query and sends its rows. */
enum batch_status batch_query(struct batch *batch, const struct token *tokens, size_t count);

/* Evaluates an expression as a T-SQL type; *value is the caller's then. */
enum batch_status batch_evaluate(struct batch *batch, const struct token *tokens, size_t count,
				 const char *type, size_t type_size, struct cell *value);

/* Refuses a statement at that token, error 102. */
enum batch_status batch_fail_syntax(struct batch *batch, const struct token *token);

/* USE and DBCC, which ask what the login may do. */
enum batch_status batch_use(struct batch *batch, const struct statement *statement);
enum batch_status batch_dbcc(struct batch *batch, const struct statement *statement);

/* INSERT ... VALUES and INSERT ... DEFAULT VALUES. */
enum batch_status batch_insert(struct batch *batch, const struct statement *statement);

/* Declares "@a int = 1, @b bit"; the expressions are left alone unless is_evaluated. */
enum batch_status batch_declare(struct batch *batch, struct tsql_variables *variables,
				const struct token *tokens, size_t count, bool is_evaluated);

/* BEGIN, SAVE, COMMIT and ROLLBACK TRANSACTION. */
enum batch_status batch_transaction(struct batch *batch, const struct statement *statement);

/* Declares and fills the parameters of a call; afterwards fills its outputs. */
enum batch_status batch_take_parameters(struct batch *batch, const struct sql_call *call);
void batch_give_outputs(struct batch *batch, const struct sql_call *call);

/* A cell as the wire takes it; scratch is what its bytes may lie in. Pure. */
struct sql_value batch_value(const struct cell *cell, enum sql_type type, char scratch[static 64]);

/* Runs any statement that is no query. */
enum batch_status batch_command(struct batch *batch, const struct statement *statement);
