/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine of one session: its SQLite connection, its current database, its batches. One thread
 * per session; what sessions share is behind the instance's lock. Does not know the wire.
 */
#include "tests/sim/session_state.h"

#include "tests/sim/instance_load.h"
#include "tests/sim/metadata.h"
#include "tests/sim/session_batch.h"
#include "tests/sim/session_rights.h"
#include "tests/sim/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { OPCODES_PER_LOOK = 20000, LOOK_EVERY_US = 20000 };

/* SQLite asks now and then while a query computes; a system call each time would be too many. */
static int is_unwanted(void *argument)
{
	struct session_engine *engine = argument;
	struct timespec now;

	if (!engine->sink)
		return 0;
	clock_gettime(CLOCK_MONOTONIC, &now);
	int64_t now_us = (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
	if (now_us - engine->looked_mono_us < LOOK_EVERY_US)
		return 0;
	engine->looked_mono_us = now_us;
	return !engine->sink->is_wanted(engine->sink->context);
}

/* Views that are made of other views: what SQL Server 2000 had, and old tools still ask for. */
static const char old_views[] =
	"CREATE VIEW sys.sysprocesses AS SELECT session_id AS spid, database_id AS dbid, "
	"host_name AS hostname, program_name, login_name AS loginame, login_time, status, "
	"open_transaction_count AS open_tran FROM dm_exec_sessions";

static bool open_database(struct session_engine *engine)
{
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;

	if (sqlite3_open_v2(":memory:", &engine->database, flags, NULL) != SQLITE_OK)
		return false;
	sqlite3_progress_handler(engine->database, OPCODES_PER_LOOK, is_unwanted, engine);
	/* Without this a misspelt column in double quotes would pass as a text. */
	sqlite3_db_config(engine->database, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
	sqlite3_db_config(engine->database, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
	return sqlite3_exec(engine->database, "ATTACH ':memory:' AS sys", NULL, NULL, NULL) ==
		       SQLITE_OK &&
	       catalog_register(engine->database, engine) &&
	       functions_register(engine->database, engine) &&
	       sqlite3_exec(engine->database, old_views, NULL, NULL, NULL) == SQLITE_OK;
}

static struct client_session *new_client(const struct session_identity *identity,
					 int32_t database_id)
{
	struct client_session *client = memory_new(1, sizeof(*client));

	client->session_id = identity->session_id;
	snprintf(client->login_name, NAME_SIZE, "%s",
		 identity->login_name ? identity->login_name : "");
	snprintf(client->program_name, NAME_SIZE, "%s",
		 identity->program_name ? identity->program_name : "");
	snprintf(client->host_name, NAME_SIZE, "%s",
		 identity->host_name ? identity->host_name : "");
	client->database_id = database_id;
	client->is_encrypted = identity->is_encrypted;
	client->packet_size = identity->packet_size;
	return client;
}

struct session_engine *session_engine_new(struct instance *instance,
					  const struct session_identity *identity)
{
	const struct metadata_database *database =
		metadata_find_database(identity->database ? identity->database : "");
	struct session_engine *engine = memory_new(1, sizeof(*engine));

	engine->instance = instance;
	engine->session_id = identity->session_id;
	engine->now = instance_now(instance);
	snprintf(engine->database_name, NAME_SIZE, "%s", database ? database->name : "master");
	snprintf(engine->home_database, NAME_SIZE, "%s", engine->database_name);
	engine->variables = memory_new(1, sizeof(*engine->variables));
	engine->client = new_client(identity, database ? database->id : DATABASE_MASTER);
	instance_lock(instance);
	engine->client->login_utc_us = instance_now(instance).utc_us;
	engine->client->next = instance->clients;
	instance->clients = engine->client;
	instance_unlock(instance);
	if (open_database(engine)) {
		session_guard_views(engine);
		return engine;
	}
	session_engine_free(engine);
	return NULL;
}

void session_engine_free(struct session_engine *engine)
{
	if (!engine)
		return;
	sqlite3_close_v2(engine->database);
	variables_done(engine->variables);
	free(engine->variables);
	instance_lock(engine->instance);
	struct client_session **link = &engine->instance->clients;
	while (*link && *link != engine->client)
		link = &(*link)->next;
	if (*link)
		*link = engine->client->next;
	instance_release_client(engine->instance, engine->client);
	instance_unlock(engine->instance);
	free(engine->client);
	free(engine);
}

const char *session_engine_database(const struct session_engine *engine)
{
	return engine->database_name;
}

enum batch_status batch_done(struct batch *batch)
{
	return batch->sink->done(batch->sink->context, false, 0, false) ? BATCH_GOES_ON
									: BATCH_STOPPED;
}

enum batch_status batch_inform(struct batch *batch, int32_t number, uint8_t severity,
			       const char *text, int32_t line)
{
	struct sql_message message = {
		.number = number, .state = 1, .severity = severity, .text = text, .line = line};

	if (!batch->sink->message(batch->sink->context, &message))
		return BATCH_STOPPED;
	return batch_done(batch);
}

enum batch_status batch_fail(struct batch *batch, const struct sql_message *message)
{
	if (!batch->sink->message(batch->sink->context, message) ||
	    !batch->sink->done(batch->sink->context, false, 0, true))
		return BATCH_STOPPED;
	return BATCH_FAILED;
}

/* The wire may answer a statement itself (a fault); it then gets nothing from here. */
static enum batch_status run_statement(struct batch *batch, const struct statement *statement)
{
	const char *start = statement->tokens[0].start;
	const struct token *last = &statement->tokens[statement->count - 1];
	size_t size = (size_t)(last->start + last->size - start);
	bool is_answered = false;

	if (!batch->sink->statement(batch->sink->context, start, size, &is_answered))
		return BATCH_STOPPED;
	return is_answered ? BATCH_GOES_ON : batch_command(batch, statement);
}

enum batch_status batch_run(struct batch *batch, const char *sql, size_t size)
{
	struct token_list list;
	struct statement statement;
	size_t position = 0;
	size_t statement_count = 0;
	enum batch_status status = BATCH_GOES_ON;

	session_note_statement(batch->engine, sql, size);
	token_list_init(&list, sql, size);
	while ((status == BATCH_GOES_ON || status == BATCH_REFUSED) &&
	       statement_next(&list, &position, &statement)) {
		status = run_statement(batch, &statement);
		statement_count++;
	}
	token_list_done(&list);
	if (statement_count == 0)
		return batch_done(batch);
	return status;
}

/* A session's batches run in one thread from begin to end. */
static int64_t thread_cpu_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void add_cpu(struct session_engine *engine, int64_t cpu_us)
{
	instance_lock(engine->instance);
	engine->client->cpu_us += cpu_us;
	instance_unlock(engine->instance);
}

static void mark_request(struct session_engine *engine, bool is_running)
{
	instance_lock(engine->instance);
	struct moment now = instance_now(engine->instance);
	engine->client->request_mono_us = is_running ? now.mono_us : 0;
	engine->client->request_utc_us = now.utc_us;
	instance_unlock(engine->instance);
}

bool session_engine_execute(struct session_engine *engine, const char *sql, size_t size_bytes,
			    const struct result_sink *sink)
{
	struct sql_call call = {.sql = sql, .sql_size = size_bytes};

	return session_engine_call(engine, &call, sink);
}

bool session_engine_call(struct session_engine *engine, const struct sql_call *call,
			 const struct result_sink *sink)
{
	struct batch batch = {.engine = engine, .sink = sink};

	int64_t begin_us = thread_cpu_us();

	variables_done(engine->variables);
	engine->sink = sink;
	mark_request(engine, true);
	enum batch_status status = batch_take_parameters(&batch, call);
	if (status == BATCH_GOES_ON)
		status = batch_run(&batch, call->sql, call->sql_size);
	mark_request(engine, false);
	engine->sink = NULL;
	batch_give_outputs(&batch, call);
	*engine->variables = batch.variables;
	add_cpu(engine, thread_cpu_us() - begin_us);
	return status != BATCH_STOPPED;
}

void session_engine_reset(struct session_engine *engine, bool keeps_transaction)
{
	snprintf(engine->database_name, NAME_SIZE, "%s", engine->home_database);
	engine->has_no_count = false;
	if (!keeps_transaction && engine->transaction_count > 0) {
		engine->transaction_count = 0;
		engine->was_rolled_back = true;
	}
}
