/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks a server who it is, once after each login. Runs in the thread that owns the session; what a
 * login without rights cannot see stays unknown here and is reported by the collectors.
 */
#include "collectors/server.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collectors/collect.h"
#include "collectors/embedded.h"

enum {
	EDITION_AZURE_DATABASE = 5,
	EDITION_SYNAPSE_DEDICATED = 6,
	EDITION_MANAGED_INSTANCE = 8,
	EDITION_SYNAPSE_SERVERLESS = 11,
	EDITION_FABRIC = 12,
	MAJOR_2012 = 11,
	MAJOR_2019 = 15,
};

/* What the three statements fill. */
struct asked {
	struct server *server;
	struct epoch *epoch;
};

static bool run_file(struct session *session, const char *path, session_row_fn *row, void *context,
		     int *result_count, struct error *err)
{
	const struct embedded *file = embedded_find(embedded_collectors, path);
	assert(file);
	return session_run(session, file->data, row, context, result_count, err);
}

static bool take_identity(void *context, int result, const struct session_cell *cells,
			  size_t cell_count, struct error *err)
{
	const struct asked *asked = context;
	struct server *server = asked->server;
	if (result != 0 || cell_count != 8)
		return error_set(err, ERROR_PROTOCOL, 0, "server identity has %zu columns",
				 cell_count);
	session_cell_copy(&cells[0], server->version, sizeof(server->version));
	server->major = (int32_t)strtol(server->version, NULL, 10);
	server->engine_edition = (int32_t)cells[1].integer;
	session_cell_copy(&cells[2], server->edition, sizeof(server->edition));
	session_cell_copy(&cells[3], asked->epoch->server_name, sizeof(asked->epoch->server_name));
	session_cell_copy(&cells[4], asked->epoch->node_name, sizeof(asked->epoch->node_name));
	asked->epoch->process_id = cells[5].integer;
	session_cell_copy(&cells[6], server->login, sizeof(server->login));
	session_cell_copy(&cells[7], server->database, sizeof(server->database));
	return true;
}

/* UTC ms of "2026-01-02T03:04:05.123..."; 0 when it is not such a text. */
static int64_t utc_ms_of(const char *text)
{
	struct tm broken = {0};
	const char *rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &broken);
	if (!rest)
		return 0;
	const double fraction = *rest == '.' ? strtod(rest, NULL) : 0;
	return (int64_t)timegm(&broken) * 1000 + (int64_t)(fraction * 1000);
}

static bool take_state(void *context, int result, const struct session_cell *cells,
		       size_t cell_count, struct error *err)
{
	const struct asked *asked = context;
	/* By its columns: a statement that is refused has no result to be counted. */
	(void)result;
	if (cell_count == 1) {
		asked->server->scheduler_count = (int32_t)cells[0].integer;
		return true;
	}
	if (cell_count != 3)
		return error_set(err, ERROR_PROTOCOL, 0, "server state has %zu columns",
				 cell_count);
	asked->epoch->start_ticks = cells[0].is_null ? -1 : cells[0].integer;
	asked->epoch->ms_ticks = cells[1].is_null ? -1 : cells[1].integer;
	char now_text[40];
	session_cell_copy(&cells[2], now_text, sizeof(now_text));
	const int64_t now_utc_ms = utc_ms_of(now_text);
	if (now_utc_ms > 0 && asked->epoch->start_ticks >= 0)
		asked->server->started_utc_ms =
			now_utc_ms - (asked->epoch->ms_ticks - asked->epoch->start_ticks);
	return true;
}

static bool take_encryption(void *context, int result, const struct session_cell *cells,
			    size_t cell_count, struct error *err)
{
	(void)result;
	(void)err;
	const struct asked *asked = context;
	if (cell_count == 1 && !cells[0].is_null)
		asked->server->is_encrypted = cells[0].integer == 1;
	return true;
}

static bool take_azure(void *context, int result, const struct session_cell *cells,
		       size_t cell_count, struct error *err)
{
	struct server *server = ((const struct asked *)context)->server;
	if (result != 0 || cell_count != 3)
		return error_set(err, ERROR_PROTOCOL, 0, "the database has %zu columns",
				 cell_count);
	session_cell_copy(&cells[0], server->login, sizeof(server->login));
	server->database_id = (int32_t)cells[1].integer;
	session_cell_copy(&cells[2], server->service_objective, sizeof(server->service_objective));
	return true;
}

/* Runs what may fail for want of a right; false only when the session cannot go on. */
static bool ask_optional(struct session *session, const char *path, session_row_fn *row,
			 void *context, struct error *err)
{
	int result_count = 0;
	struct error reason = ERROR_INIT;
	if (run_file(session, path, row, context, &result_count, &reason) ||
	    session_is_complete(session))
		return true;
	*err = reason;
	return false;
}

bool server_decide_class(struct server *server, struct error *err)
{
	switch (server->engine_edition) {
	case EDITION_SYNAPSE_DEDICATED:
	case EDITION_SYNAPSE_SERVERLESS:
		return error_set(err, ERROR_UNSUPPORTED, 0, "Azure Synapse is not supported");
	case EDITION_AZURE_DATABASE:
	case EDITION_FABRIC:
		server->class = SERVER_CLASS_D;
		return true;
	case EDITION_MANAGED_INSTANCE:
		server->class = SERVER_CLASS_C;
		return true;
	default:
		server->class = server->major >= MAJOR_2019 ? SERVER_CLASS_C : SERVER_CLASS_A;
	}
	if (server->major < MAJOR_2012)
		return error_set(err, ERROR_UNSUPPORTED, 0,
				 "version '%s' is older than SQL Server 2012", server->version);
	return true;
}

/* "GP_S_Gen5_2", "HS_S_Gen5_2"; "S0" to "S12" are of another kind. */
static bool is_serverless(const struct server *server)
{
	return strstr(server->service_objective, "_S_");
}

const char *server_warning(const struct server *server, int i)
{
	const struct {
		bool is_meant;
		const char *text;
	} warnings[] = {
		{server->class == SERVER_CLASS_D,
		 "waits are those of this one database; when its counters were cleared cannot be dated"},
		{server->class == SERVER_CLASS_D && strcmp(server->database, "master") == 0,
		 "connected to 'master': set `database` to the one to be watched"},
		{server->class == SERVER_CLASS_D && is_serverless(server),
		 "a serverless database that is polled never pauses"},
		{server->class == SERVER_CLASS_D && server->started_utc_ms == 0,
		 "the server does not tell since when it is up"},
	};
	for (size_t at = 0; at < sizeof(warnings) / sizeof(warnings[0]); at++)
		if (warnings[at].is_meant && i-- == 0)
			return warnings[at].text;
	return NULL;
}

bool collect_server(struct session *session, struct server *server, struct epoch *epoch,
		    struct error *err)
{
	struct server answer = {.is_encrypted = -1};
	struct epoch life = {.start_ticks = -1, .ms_ticks = -1};
	struct asked asked = {.server = &answer, .epoch = &life};
	int result_count = 0;
	if (!run_file(session, "collectors/sql/session.sql", NULL, NULL, &result_count, err))
		return error_prefix(err, "session options");
	if (!run_file(session, "collectors/sql/server.sql", take_identity, &asked, &result_count,
		      err))
		return error_prefix(err, "server identity");
	if (answer.version[0] == '\0')
		return error_set(err, ERROR_PROTOCOL, 0, "the server does not say its version");
	if (!server_decide_class(&answer, err))
		return false;
	if (answer.class == SERVER_CLASS_D &&
	    !ask_optional(session, "collectors/sql/server_azure.sql", take_azure, &asked, err))
		return error_prefix(err, "database");
	if (!ask_optional(session, "collectors/sql/server_state.sql", take_state, &asked, err) ||
	    !ask_optional(session, "collectors/sql/connection.sql", take_encryption, &asked, err))
		return error_prefix(err, "server state");
	*server = answer;
	*epoch = life;
	return true;
}
