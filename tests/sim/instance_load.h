/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The load an instance is under: flows of fixed rates (workload) or sessions that contend
 * (contention), what its tasks look like at a moment, and the statements of clients that join in.
 * The functions expect the instance locked, unless they say otherwise.
 */
#pragma once

#include "tests/sim/instance_state.h"

/* One task as the views show it. */
struct instance_task {
	struct workload_task task;
	const char *command;
	uint64_t query_hash;
	const char *last_wait_type;
	int64_t elapsed_ms;
	int64_t cpu_ms;
};

/* Lets the contending sessions come to now and books what they waited for. */
void instance_follow(struct instance *instance, struct moment now);

/* Orders a load by its words: a workload of fixed rates, or one that contends. False with *problem
 * (static text). */
bool instance_order_load(struct instance *instance, char *const *words, size_t word_count,
			 struct moment now, const char **problem);

/* Turns OPTIMIZE_FOR_SEQUENTIAL_KEY of the hot index on or off under the load that runs. */
void instance_set_option(struct instance *instance, bool is_on, struct moment now);

/* The name of the load that runs. */
const char *instance_load_name(const struct instance *instance);

/* Schedulers that take user work. */
int32_t instance_scheduler_count(const struct instance *instance);

/* Tasks of the load; false when that one has no request at the moment. */
int32_t instance_task_count(const struct instance *instance);
bool instance_task_look(const struct instance *instance, int32_t index, struct moment now,
			struct instance_task *task);

/* The task of a client that is inserting; false when it does something else. */
bool instance_client_look(const struct client_session *client, const struct instance *instance,
			  struct instance_task *task);

/* The address of the task of a session. Pure. */
uint64_t instance_task_address(int32_t session_id);

/* The text of a statement by its hash; NULL when nobody runs it. Borrowed while locked. */
const char *instance_statement_text(const struct instance *instance, uint64_t query_hash);

/*
 * Inserts rows into a table for a client and waits until they are committed. False when is_wanted
 * says so. Takes the lock itself; *is_known tells whether the model has such a table.
 */
bool instance_insert(struct instance *instance, struct client_session *client, int32_t object_id,
		     int64_t row_count, bool (*is_wanted)(void *context), void *context,
		     bool *is_known);

/* Lets the client's worker go; called when the session ends. */
void instance_release_client(struct instance *instance, struct client_session *client);

/*
 * A thread that keeps the contending sessions at the present, so that no reader has to wait for
 * them; not needed on a clock of a test. Both take the lock themselves.
 */
void instance_pace_start(struct instance *instance);
void instance_pace_stop(struct instance *instance);
