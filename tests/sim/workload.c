/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loads, as data. How many sessions wait for what follows from the same figure as the counter:
 * a wait that gains N ms per second has N/1000 sessions waiting at any moment. Who they are changes
 * every few milliseconds in a fixed pattern, so a moment asked twice looks the same. Pure.
 */
#include "tests/sim/workload.h"

#include "tests/sim/metadata.h"
#include "tests/sim/page_store.h"

#include <stdio.h>
#include <string.h>

#define SLOT_US	     2500
#define TASK_ADDRESS UINT64_C(0x000001F2A4C04CA8)

#define W COUNTER_WAITS
#define L COUNTER_LATCHES
#define S COUNTER_SPINLOCKS

static const struct workload workloads[] = {
	{.name = "idle", .command = "SELECT"},
	{
		.name = "baseline",
		.session_count = 8,
		.rows_per_s = 4000,
		.query_hash = UINT64_C(0x8D3A61B27C09E5F4),
		.command = "INSERT",
		.flows =
			{
				{W, "WRITELOG", 3000, 4000, 90, 35, RESOURCE_NONE},
				{W, "PAGELATCH_EX", 30, 1000, 2, 4, RESOURCE_NONE},
				{W, "SOS_SCHEDULER_YIELD", 40, 600, 38, 12, RESOURCE_NONE},
				{S, "LOGCACHE_ACCESS", 21000, 300, 40, 0, RESOURCE_NONE},
				{S, "LOCK_HASH", 5000, 40, 1, 0, RESOURCE_NONE},
			},
	},
	{
		.name = "last-page",
		.session_count = 64,
		.rows_per_s = 20840,
		.query_hash = UINT64_C(0x8D3A61B27C09E5F4),
		.command = "INSERT",
		.flows =
			{
				{W, "PAGELATCH_EX", 51900, 20840, 2080, 61, RESOURCE_LAST_PAGE},
				{W, "WRITELOG", 1200, 2400, 60, 28, RESOURCE_NONE},
				{W, "PAGELATCH_SH", 120, 300, 6, 22, RESOURCE_LAST_PAGE},
				{W, "LOGBUFFER", 20, 40, 1, 9, RESOURCE_NONE},
				{W, "SOS_SCHEDULER_YIELD", 400, 2500, 396, 14, RESOURCE_NONE},
				{L, "ACCESS_METHODS_HOBT_VIRTUAL_ROOT", 260, 130, 0, 30,
				 RESOURCE_NONE},
				{S, "SOS_TASK", 900000, 6100, 210, 0, RESOURCE_NONE},
				{S, "LOGCACHE_ACCESS", 310000, 1900, 260, 0, RESOURCE_NONE},
				{S, "LOGFLUSHQ", 140000, 700, 31, 0, RESOURCE_NONE},
				{S, "XDESMGR", 96000, 640, 22, 0, RESOURCE_NONE},
				{S, "LOCK_HASH", 41000, 350, 9, 0, RESOURCE_NONE},
			},
	},
	{
		.name = "last-page-optimized",
		.session_count = 64,
		.rows_per_s = 24500,
		.has_sequential_key_option = true,
		.query_hash = UINT64_C(0x8D3A61B27C09E5F4),
		.command = "INSERT",
		.flows =
			{
				{W, "PAGELATCH_EX", 22700, 24500, 910, 48, RESOURCE_LAST_PAGE},
				{W, "BTREE_INSERT_FLOW_CONTROL", 30000, 18000, 1200, 55,
				 RESOURCE_NONE},
				{W, "WRITELOG", 1500, 2900, 70, 28, RESOURCE_NONE},
				{W, "PAGELATCH_SH", 80, 260, 4, 18, RESOURCE_LAST_PAGE},
				{W, "LOGBUFFER", 25, 50, 1, 9, RESOURCE_NONE},
				{W, "SOS_SCHEDULER_YIELD", 450, 2900, 446, 14, RESOURCE_NONE},
				{L, "ACCESS_METHODS_HOBT_VIRTUAL_ROOT", 120, 110, 0, 24,
				 RESOURCE_NONE},
				{S, "SOS_TASK", 520000, 4200, 120, 0, RESOURCE_NONE},
				{S, "LOGCACHE_ACCESS", 360000, 2200, 300, 0, RESOURCE_NONE},
				{S, "LOGFLUSHQ", 160000, 810, 36, 0, RESOURCE_NONE},
				{S, "XDESMGR", 110000, 730, 25, 0, RESOURCE_NONE},
				{S, "LOCK_HASH", 47000, 400, 10, 0, RESOURCE_NONE},
			},
	},
	{
		.name = "hot-page",
		.session_count = 24,
		.query_hash = UINT64_C(0x51C7F0A94E6620BD),
		.command = "UPDATE",
		.flows =
			{
				{W, "PAGELATCH_EX", 9000, 6000, 400, 40, RESOURCE_QUEUE_PAGE},
				{W, "PAGELATCH_SH", 4000, 5000, 200, 30, RESOURCE_QUEUE_PAGE},
				{W, "PAGELATCH_UP", 1000, 900, 50, 22, RESOURCE_QUEUE_PAGE},
				{W, "WRITELOG", 900, 1500, 40, 25, RESOURCE_NONE},
				{L, "ACCESS_METHODS_HOBT_VIRTUAL_ROOT", 600, 400, 0, 30,
				 RESOURCE_NONE},
			},
	},
	{
		.name = "tempdb-pfs",
		.session_count = 32,
		.query_hash = UINT64_C(0xB06E14D873A5F92C),
		.command = "SELECT INTO",
		.flows =
			{
				{W, "PAGELATCH_UP", 14000, 9000, 600, 45, RESOURCE_TEMPDB},
				{W, "PAGELATCH_EX", 800, 700, 40, 20, RESOURCE_TEMPDB},
				{W, "SOS_SCHEDULER_YIELD", 700, 3000, 690, 15, RESOURCE_NONE},
			},
	},
};

#undef W
#undef L
#undef S

const struct workload *workload_find(const char *name)
{
	for (size_t i = 0; i < sizeof(workloads) / sizeof(workloads[0]); i++)
		if (strcmp(workloads[i].name, name) == 0)
			return &workloads[i];
	return NULL;
}

struct workload_flow workload_page_latches(const struct workload *workload)
{
	struct workload_flow sum = {.view = COUNTER_LATCHES, .name = "BUFFER"};

	for (const struct workload_flow *flow = workload->flows; flow->name; flow++) {
		if (strncmp(flow->name, "PAGELATCH_", strlen("PAGELATCH_")) != 0)
			continue;
		sum.rate_per_s += flow->rate_per_s;
		sum.events_per_s += flow->events_per_s;
		if (flow->max_ms > sum.max_ms)
			sum.max_ms = flow->max_ms;
	}
	return sum;
}

struct counter_flow workload_counter_flow(const struct workload_flow *flow)
{
	/* The last is signal time of waits and backoffs of spinlocks; latches have none. */
	struct counter_flow result = {
		.gain = {flow->events_per_s, flow->rate_per_s, 0, flow->signal_per_s},
		.period_us = 1000000,
		.max_ms = flow->max_ms,
	};

	if (flow->view == COUNTER_SPINLOCKS)
		result.gain[2] = flow->signal_per_s * 6 / 10;
	return result;
}

static uint32_t mix(uint64_t value)
{
	value ^= value >> 33;
	value *= UINT64_C(0xff51afd7ed558ccd);
	value ^= value >> 33;
	value *= UINT64_C(0xc4ceb9fe1a85ec53);
	return (uint32_t)(value >> 32);
}

uint64_t workload_task_address(int32_t index)
{
	return TASK_ADDRESS + (uint64_t)index * 0x1400;
}

/* Which flow the session waits in, or NULL. Boundaries are dithered so that the mean is the rate.
 */
static const struct workload_flow *flow_of(const struct workload *workload, int32_t index,
					   int64_t slot)
{
	int64_t rank = (index * INT64_C(29) + slot) % workload->session_count * 1000;
	int64_t boundary = mix((uint64_t)slot) % 1000;

	for (const struct workload_flow *flow = workload->flows; flow->name; flow++) {
		if (flow->view != COUNTER_WAITS || strcmp(flow->name, "SOS_SCHEDULER_YIELD") == 0)
			continue;
		boundary += flow->rate_per_s;
		if (rank + 1000 <= boundary)
			return flow;
	}
	return NULL;
}

static void write_resource(struct workload_task *task, const struct workload_flow *flow,
			   const struct page_store *pages, int32_t index, int64_t now_us)
{
	static const char *const tempdb_pages[] = {"2:1:1", "2:1:1", "2:3:8088",
						   "2:4:1", "2:1:2", "2:1:3"};
	uint32_t choice = mix((uint64_t)(now_us / SLOT_US) * 64 + (uint64_t)index);
	/* The server itself leaves a blank behind some of them. */
	const char *blank = index % 7 == 3 ? " " : "";

	switch (flow->resource) {
	case RESOURCE_NONE:
		return;
	case RESOURCE_LAST_PAGE:
		snprintf(task->resource, sizeof(task->resource), "%d:1:%lld%s", DATABASE_SALES,
			 (long long)page_store_last_page(pages, now_us, index % 16 == 5), blank);
		break;
	case RESOURCE_QUEUE_PAGE:
		snprintf(task->resource, sizeof(task->resource), "%d:1:%d%s", DATABASE_SALES,
			 PAGE_OF_QUEUE, blank);
		break;
	case RESOURCE_TEMPDB:
		snprintf(task->resource, sizeof(task->resource), "%s%s", tempdb_pages[choice % 6],
			 blank);
		break;
	}
	task->resource_address =
		UINT64_C(0x000001F1B8003400) + mix((uint64_t)(unsigned char)task->resource[4]);
}

/* The holder is a session that does not wait for a page itself. */
static void write_blockers(struct workload_task *task, const struct workload *workload,
			   int32_t index, int64_t slot)
{
	for (int32_t i = 0; i < workload->session_count; i++) {
		const struct workload_flow *flow = flow_of(workload, i, slot);
		if (i == index || (flow && flow->resource != RESOURCE_NONE))
			continue;
		if (task->blocking_session_id == 0) {
			task->blocking_session_id = WORKLOAD_FIRST_SESSION + i;
			task->blocking_task_address = workload_task_address(i);
		} else if (index % 5 == 0) {
			task->second_blocking_session_id = WORKLOAD_FIRST_SESSION + i;
			return;
		}
	}
}

struct workload_task workload_look(const struct workload *workload, const struct page_store *pages,
				   int32_t index, int64_t now_us)
{
	int64_t slot = now_us / SLOT_US;
	const struct workload_flow *flow = flow_of(workload, index, slot);
	struct workload_task task = {
		.session_id = WORKLOAD_FIRST_SESSION + index,
		.scheduler_id = index % WORKLOAD_SCHEDULERS,
		.task_address = workload_task_address(index),
	};

	if (!flow) {
		task.is_runnable = mix((uint64_t)slot + (uint64_t)index) % 3 == 0;
		return task;
	}
	task.wait_type = flow->name;
	int64_t average = flow->rate_per_s / flow->events_per_s;
	task.wait_ms = (int32_t)(mix((uint64_t)slot * 64 + (uint64_t)index) % (2 * average + 2));
	write_resource(&task, flow, pages, index, now_us);
	if (flow->resource != RESOURCE_NONE)
		write_blockers(&task, workload, index, slot);
	return task;
}
