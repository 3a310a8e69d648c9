/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loads the instance can be under: which waits, latches and spinlocks move how fast, and what
 * each of the load's sessions is doing at a moment. The figures of the insert loads are those of
 * the article on OPTIMIZE_FOR_SEQUENTIAL_KEY that the product's tests quote. Guarded by the
 * instance's lock.
 */
#pragma once

#include "tests/sim/counters.h"

#include <stdbool.h>
#include <stdint.h>

struct page_store;

/* The ids of load and idle sessions; far above those of real clients. */
#define WORKLOAD_FIRST_SESSION 3001
#define WORKLOAD_SCHEDULERS    32

enum workload_resource {
	RESOURCE_NONE,
	RESOURCE_LAST_PAGE,
	RESOURCE_QUEUE_PAGE,
	RESOURCE_TEMPDB,
};

struct workload_flow {
	enum counter_view view;
	const char *name;
	int64_t rate_per_s;   /* ms of waiting per second; of spinlocks: spins */
	int64_t events_per_s; /* waits, or collisions */
	int64_t signal_per_s; /* signal ms; of spinlocks: backoffs */
	int64_t max_ms;
	enum workload_resource resource;
};

#define WORKLOAD_FLOWS_MAX 16

struct workload {
	const char *name;
	const char *command;
	uint64_t query_hash;
	int64_t rows_per_s;
	int32_t session_count;
	bool has_sequential_key_option;
	struct workload_flow flows[WORKLOAD_FLOWS_MAX]; /* ends with a NULL name */
};

/* What one session of the load is doing. */
struct workload_task {
	int32_t session_id;
	int32_t scheduler_id;
	uint64_t task_address;
	const char *wait_type; /* NULL: on a processor or waiting for one */
	bool is_runnable;
	int32_t wait_ms;
	char resource[200]; /* "" when none */
	uint64_t resource_address;
	int32_t blocking_session_id; /* 0 = none */
	uint64_t blocking_task_address;
	int32_t second_blocking_session_id; /* 0 = one blocker at most */
};

/* NULL when there is no such load. Pure. */
const struct workload *workload_find(const char *name);

/* What the latch class of all pages moves by: page latches are counted as waits and there. Pure. */
struct workload_flow workload_page_latches(const struct workload *workload);

/* The flow in the counters' own terms. Pure. */
struct counter_flow workload_counter_flow(const struct workload_flow *flow);

/* The state of session `index` (from 0). The same moment gives the same answer. Pure. */
struct workload_task workload_look(const struct workload *workload, const struct page_store *pages,
				   int32_t index, int64_t now_us);

/* The address of the task of session `index`. Pure. */
uint64_t workload_task_address(int32_t index);
