/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The active tasks of user sessions at one instant: dm_os_waiting_tasks joined to dm_exec_requests
 * by task address, each task once however many blockers it has. What the detector reads. Built by
 * one thread, then never changed. Knows no I/O.
 */
#pragma once

#include <stddef.h>

#include "collectors/page_address.h"
#include "daemon/base/cleanup.h"
#include "daemon/base/clock.h"

enum { WAIT_TYPE_SIZE = 61, RESOURCE_TEXT_SIZE = 128, TASKS_MAX = 4096 };

struct task {
	uint64_t address; /* of the task; 0 unknown */
	int32_t session_id;
	int32_t database_id;		/* where the request runs; 0 unknown */
	int32_t scheduler_id;		/* -1 unknown */
	uint64_t query_hash;		/* 0 unknown */
	bool is_insert;			/* the request's command is INSERT (or BULK INSERT) */
	char wait_type[WAIT_TYPE_SIZE]; /* "" when it does not wait */
	int64_t wait_ms;		/* so far, of the current wait */
	struct page_address resource;
	char resource_text[RESOURCE_TEXT_SIZE]; /* as the server wrote it, cut; not stored */
	int32_t blocking_session_id;		/* 0 none, below 0 not known whose; not stored */
};

struct task_sample {
	struct instant taken;
	int32_t scheduler_count; /* VISIBLE ONLINE; 0 unknown */
	struct task *tasks;
	size_t task_count;
	size_t task_capacity;
	int64_t invalid_resource_count;
	bool is_truncated; /* more than TASKS_MAX */
};

/* Begins an empty sample. Owns: the caller frees. Threads: any. */
struct task_sample *task_sample_new(struct instant taken, int32_t scheduler_count);

/* Frees a sample; NULL is fine. Owns: sample. Threads: the owner. */
void task_sample_free(struct task_sample *sample);
DEFINE_CLEANUP(struct task_sample *, task_sample_free);

/* Copies a sample. Owns: the caller frees. Threads: any. */
struct task_sample *task_sample_copy(const struct task_sample *sample);

/*
 * Adds a row of dm_os_waiting_tasks; a second row of the same task address is dropped, a resource
 * text that is better than the one kept replaces it.
 *
 * Threads: the owner.
 */
void task_sample_add_waiting(struct task_sample *sample, const struct task *task);

/*
 * Adds a row of dm_exec_requests: completes the task of the same address, else (when its session is
 * not there yet) adds the request as a task of its own. Call after all waiting rows were added.
 *
 * Threads: the owner.
 */
void task_sample_add_request(struct task_sample *sample, const struct task *request);

/*
 * True when the task waits in a way the detector looks at: PAGELATCH_*, PAGEIOLATCH_*, LATCH_* or
 * BTREE_INSERT_FLOW_CONTROL. Pure.
 */
bool task_is_of_interest(const struct task *task);

/* The task that has waited longest for anything but idleness; NULL when none does. Pure. */
const struct task *task_sample_longest(const struct task_sample *sample);

/* True when any task of the sample is of interest: only then is it worth keeping. Pure. */
bool task_sample_is_of_interest(const struct task_sample *sample);
