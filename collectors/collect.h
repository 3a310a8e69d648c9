/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One round trip per due set: asks a server for everything that is due, in one batch framed by the
 * server's ticks, and turns the answer into samples. Each view succeeds or fails by itself. Runs in
 * the target's thread; knows neither deltas nor the store.
 */
#pragma once

#include "collectors/sample.h"
#include "collectors/server.h"
#include "collectors/session.h"
#include "collectors/task_sample.h"

/* What can be collected; registry.c holds the table (name, statement, rights). */
enum collector {
	COLLECTOR_WAITS,
	COLLECTOR_LATCHES,
	COLLECTOR_SPINLOCKS,
	COLLECTOR_WAITING_TASKS,
};

enum { COLLECTOR_COUNT = 4 };

struct collector_info {
	const char
		*name; /* "waiting_tasks": in the API and under `intervals:` of the configuration */
	const char *statements[SERVER_CLASS_COUNT]; /* paths of the embedded .sql files */
};

/* A .sql file that can reach a server, and which servers: a bit (1u << enum server_class) each. */
struct statement_info {
	const char *path;
	unsigned classes;
};

/* The row of a collector in the registry. Pure. */
const struct collector_info *collector_info(enum collector collector);

/*
 * All statements that this program can send, in the order in which they are sent first; NULL when
 * i is beyond the last. Nothing else is ever sent. Pure.
 */
const struct statement_info *statement_info(int i);

/* Beside the bits of collectors in what is due: what this session has cost the server so far. */
enum { COLLECT_COST = 1 << COLLECTOR_COUNT };

struct collected_view {
	bool was_due;
	bool is_ok;
	struct error error; /* when due and not ok */
	int64_t row_count;
};

/* The answer to one due set. */
struct collected {
	struct epoch epoch;  /* the first; samples have ticks of their own */
	int64_t duration_ms; /* of the round trip, by our clock */
	struct collected_view views[COLLECTOR_COUNT];
	struct sample *samples[FAMILY_COUNT]; /* sealed; NULL where not due or failed */
	struct task_sample *tasks;	      /* NULL where not due or failed */
	int64_t session_cpu_ms;		      /* -1 unknown; not asked for */
};

/* Frees what an answer holds and zeroes it. Owns: its contents. Threads: the owner. */
void collected_done(struct collected *collected);

/*
 * Asks who the server is, sets the session options, and decides the class of statements.
 *
 * Errors:  those of session_run; ERROR_UNSUPPORTED for versions below 2012 and Synapse.
 * Threads: the owner of session; blocks.
 */
MUST_CHECK bool collect_server(struct session *session, struct server *server, struct epoch *epoch,
			       struct error *err);

/*
 * Collects the due views (a bit (1u << enum collector) each) in one batch. True when the round trip
 * was completed, even when some view failed: see collected->views.
 *
 * Owns:    the caller ends *collected with collected_done; on failure nothing is held.
 * Errors:  those of session_run; ERROR_PROTOCOL when the epoch moved between the two edges of the
 * batch (a restart in between: poll again). Threads: the owner of session; blocks; one of the two
 * readers of the clock.
 */
MUST_CHECK bool session_collect(struct session *session, const struct server *server, unsigned due,
				struct collected *collected, struct error *err);
