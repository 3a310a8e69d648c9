/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks for one row of everything. As in a poll, each part begins with a result of one text, its
 * name; what follows belongs to it. Runs in the thread that owns the session.
 */
#include "collectors/probe.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "collectors/embedded.h"

static const struct probe_info infos[PROBE_COUNT] = {
	{"clock", "ticks of the server: restarts are dated, intervals are exact", RIGHT_STATE},
	{"waits", "waits", RIGHT_STATE},
	{"latches", "latches", RIGHT_STATE},
	{"spinlocks", "spinlocks", RIGHT_STATE},
	{"waiting_tasks", "who waits for which page", RIGHT_STATE},
	{"page_owner", "whose a hot page is", RIGHT_STATE},
	{"names", "names of tables and indexes", RIGHT_NAMES},
	{"encryption", "whether the connection is encrypted", RIGHT_CONNECTION},
};

static const char *const statements[SERVER_CLASS_COUNT] = {
	[SERVER_CLASS_A] = "collectors/sql/probe.sql",
	[SERVER_CLASS_C] = "collectors/sql/probe_2019.sql",
	[SERVER_CLASS_D] = "collectors/sql/probe_azure.sql",
};

/* Parts in the order they began, for what is refused has no rows. */
struct asking {
	struct probe *probe;
	int parts[PROBE_COUNT];
	int results[PROBE_COUNT];
	int count;
};

const struct probe_info *probe_info(int i)
{
	return &infos[i];
}

const char *probe_state_name(enum probe_state state)
{
	static const char *const names[] = {
		[PROBE_WORKS] = "ok",	     [PROBE_DENIED] = "denied",
		[PROBE_FAILED] = "failing",  [PROBE_UNSUPPORTED] = "unsupported",
		[PROBE_UNKNOWN] = "unknown",
	};
	return names[state];
}

void probe_cure(const struct probe *probe, int i, const struct server *server, struct strbuf *out)
{
	if (probe->parts[i].state == PROBE_DENIED)
		right_cure(server, right_missing(probe->parts[i].code, infos[i].right), out);
}

static void set_part(struct probe *probe, int part, enum probe_state state, int code,
		     const char *text)
{
	probe->parts[part].state = state;
	probe->parts[part].code = code;
	(void)snprintf(probe->parts[part].text, PROBE_TEXT_SIZE, "%s", text); /* may cut */
}

static bool begin_part(struct asking *asking, int result, const struct session_cell *cell,
		       struct error *err)
{
	for (int i = 0; i < PROBE_COUNT && asking->count < PROBE_COUNT; i++) {
		if (cell->size != strlen(infos[i].name) ||
		    memcmp(cell->text, infos[i].name, cell->size) != 0)
			continue;
		asking->parts[asking->count] = i;
		asking->results[asking->count++] = result;
		set_part(asking->probe, i, PROBE_WORKS, 0, "");
		return true;
	}
	return error_set(err, ERROR_PROTOCOL, 0, "result %d is of no probe", result);
}

static bool take_row(void *context, int result, const struct session_cell *cells, size_t cell_count,
		     struct error *err)
{
	struct asking *asking = context;
	if (cell_count == 1 && cells[0].text)
		return begin_part(asking, result, &cells[0], err);
	if (asking->count == 0)
		return error_set(err, ERROR_PROTOCOL, 0, "result %d is of no probe", result);
	const int part = asking->parts[asking->count - 1];
	/* The list of rights is asked where names are hidden without an error. */
	if (infos[part].right == RIGHT_NAMES && cells[0].integer != 1)
		set_part(asking->probe, part, PROBE_DENIED, 0,
			 "names of objects are hidden from this login");
	return true;
}

static int part_of(const struct asking *asking, int result)
{
	int part = -1;
	for (int i = 0; i < asking->count; i++)
		if (asking->results[i] <= result)
			part = asking->parts[i];
	return part;
}

static void take_errors(const struct asking *asking, const struct session *session)
{
	for (int i = 0; i < session_error_count(session); i++) {
		int result = -1;
		const struct error *fault = session_error_at(session, i, &result);
		const int part = part_of(asking, result);
		if (part < 0 || asking->probe->parts[part].state != PROBE_WORKS)
			continue;
		const enum probe_state state = fault->kind == ERROR_DENIED ? PROBE_DENIED
					       : fault->kind == ERROR_UNSUPPORTED
						       ? PROBE_UNSUPPORTED
						       : PROBE_FAILED;
		set_part(asking->probe, part, state, fault->code, fault->text);
	}
}

/* What the statement does not ask for this class does not have. The rest is unknown until it is
 * answered: an object that is not there ends the batch. */
static void set_unasked(struct probe *probe, const char *sql)
{
	for (int i = 0; i < PROBE_COUNT; i++) {
		char marker[64];
		(void)snprintf(marker, sizeof(marker), "N'%s' AS latchd_view", infos[i].name);
		if (strstr(sql, marker))
			set_part(probe, i, PROBE_UNKNOWN, 0, "the server did not come to it");
		else
			set_part(probe, i, PROBE_UNSUPPORTED, 0, "this version does not have it");
	}
}

bool probe_run(struct session *session, const struct server *server, struct probe *probe,
	       struct error *err)
{
	const struct embedded *file = embedded_find(embedded_collectors, statements[server->class]);
	assert(file);
	struct probe answer = {.is_done = true};
	set_unasked(&answer, file->data);
	struct asking asking = {.probe = &answer};
	struct error fault = ERROR_INIT;
	int result_count = 0;
	if (!session_run(session, file->data, take_row, &asking, &result_count, &fault) &&
	    !session_is_complete(session)) {
		*err = fault;
		return false;
	}
	take_errors(&asking, session);
	*probe = answer;
	return true;
}
