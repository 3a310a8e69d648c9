/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The simulated SQL Server instance: views, counters, databases, workload. Any number of session
 * threads use one instance at a time; each owns its struct session_engine (a SQLite connection of
 * its own). The instance does not know the wire.
 */
#pragma once

#include "tests/sim/result.h"

struct instance;
struct session_engine;

/* The clocks of the simulated machine; tests put their own in. Called from any thread. */
struct instance_clock {
	int64_t (*mono_us)(void *context);
	int64_t (*utc_us)(void *context); /* microseconds since 1970 */
	void *context;
};

struct instance_options {
	const char *data_directory; /* wait_types.csv, latch_classes.csv, spinlocks.csv */
	const char *server_name;    /* what SERVERPROPERTY('ServerName') answers at the start */
	const char *workload;	    /* a name that workload_find knows, "idle" with NULL */
	const char *profile;	    /* a name that profile_find knows, "2019" with NULL */
	const char *const *logins;  /* as accounts_add takes them */
	size_t login_count;	    /* 0 = one login "latchd", password "latchd", all rights */
	const struct instance_clock *clock; /* copied; NULL = those of this machine */
};

/* Who is logged in; shown in sys.dm_exec_sessions. Strings are copied. */
struct session_identity {
	int32_t session_id; /* 51..2050, unique among open sessions; the load's own are above */
	const char *login_name;
	const char *program_name;
	const char *host_name;
	const char *database; /* "" = master */
	bool is_encrypted;    /* all of the connection is, not the login alone */
	int32_t packet_size;
};

/* Builds an instance that has been up for three days. NULL and *reason on failure (static or
 * strdup'ed text). */
struct instance *instance_new(const struct instance_options *options, const char **reason);
void instance_free(struct instance *instance);

/* True when the login may enter; the wire sends 18456 otherwise. */
bool instance_login_is_valid(struct instance *instance, const char *user, const char *password);

/* True when the database exists and the login may enter it (4060 otherwise). */
bool instance_has_database(struct instance *instance, const char *user, const char *database);

struct session_engine *session_engine_new(struct instance *instance,
					  const struct session_identity *identity);
void session_engine_free(struct session_engine *engine);

/* Name of the current database of the session (after USE); borrowed until the next call on this
 * engine. */
const char *session_engine_database(const struct session_engine *engine);

/* Runs one T-SQL batch (UTF-8) and feeds the sink. Returns false when the sink did (session should
 * end or was cancelled). */
bool session_engine_execute(struct session_engine *engine, const char *sql, size_t size_bytes,
			    const struct result_sink *sink);

/* A text with parameters, as sp_executesql takes it. Behind both texts stands a zero. */
struct sql_call {
	const char *sql;
	size_t sql_size;
	const char *declarations; /* "@a int, @b nvarchar(10) OUTPUT" */
	size_t declarations_size;
	struct sql_parameter *parameters;
	size_t parameter_count;
};

/* Runs a text with parameters; as session_engine_execute. */
bool session_engine_call(struct session_engine *engine, const struct sql_call *call,
			 const struct result_sink *sink);

/* The open transaction of the session; id 0 = none. */
struct session_transaction {
	uint64_t id;
	bool was_rolled_back; /* how the last one ended */
};
struct session_transaction session_engine_transaction(const struct session_engine *engine);

/* What a connection pool wants between two users: the login's database, no options, and unless
 * keeps_transaction no transaction. */
void session_engine_reset(struct session_engine *engine, bool keeps_transaction);

/* ServerName as it stands now, copied; the wire puts it into tokens. */
void instance_server_name(struct instance *instance, char *name, size_t name_size);

/*
 * Executes one control command that concerns the instance and writes the answer ("ok ..." or
 * "error ...", one line) to answer. Returns false when the verb is not one of the instance's, so
 * that the wire can try its own (refuse, silent, delay, die ...).
 */
bool instance_control(struct instance *instance, const char *line, char *answer,
		      size_t answer_size);
