/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a session's engine, for the files that make it up. One thread per session. */
#pragma once

#include "tests/sim/instance_state.h"

#include <sqlite3.h>

#define SESSION_REASON_SIZE 400

struct tsql_variables;

struct session_engine {
	struct instance *instance;
	struct client_session *client; /* owned by the instance */
	sqlite3 *database;
	int32_t session_id;
	char database_name[NAME_SIZE];
	struct moment now;		  /* of the statement that runs */
	uint64_t serial;		  /* of the statement that runs */
	const struct result_sink *sink;	  /* of the call that runs; NULL between calls */
	int64_t looked_mono_us;		  /* when the sink was last asked in a long query */
	struct tsql_variables *variables; /* of the last call: what its outputs borrow */
	char home_database[NAME_SIZE];	  /* of the login */
	int transaction_count;		  /* @@TRANCOUNT */
	uint64_t transaction_id;	  /* of the last transaction that began */
	bool was_rolled_back;
	char savepoint[NAME_SIZE];	   /* the last SAVE TRANSACTION; "" = none */
	bool has_no_count;		   /* SET NOCOUNT ON */
	int64_t row_count;		   /* @@ROWCOUNT */
	int depth;			   /* of sp_executesql */
	char refusal[SESSION_REASON_SIZE]; /* of the statement being prepared; "" = none */
};

/* Remembers what the session runs, for sys.dm_exec_sql_text. */
void session_note_statement(struct session_engine *engine, const char *sql, size_t size);

/* Registers what T-SQL calls functions; false when SQLite refuses. */
bool functions_register(sqlite3 *database, struct session_engine *engine);

/* The T-SQL type a function answers, or NULL. Pure. */
const char *function_result_type(const char *name, size_t size);
