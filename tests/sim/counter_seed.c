/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a server shows after three quiet days: heartbeats at their usual rates and chunks, a few
 * waits with figures read on a real server, and a scattering of small ones chosen by name. Most
 * names stay at zero. Guarded by the instance's lock.
 */
#include "tests/sim/instance_state.h"
#include "tests/sim/text.h"

#include <string.h>

/* task_count background tasks, each waiting chunk_ms at a time without a pause. */
static const struct {
	const char *name;
	int64_t chunk_ms;
	int64_t task_count;
} heartbeats[] = {
	{"REQUEST_FOR_DEADLOCK_SEARCH", 5000, 1},
	{"XE_TIMER_EVENT", 5000, 1},
	{"SQLTRACE_INCREMENTAL_FLUSH_SLEEP", 4000, 1},
	{"LAZYWRITER_SLEEP", 1000, 1},
	{"DIRTY_PAGE_POLL", 100, 1},
	{"LOGMGR_QUEUE", 125, 1},
	{"CHECKPOINT_QUEUE", 30000, 1},
	{"XE_DISPATCHER_WAIT", 60000, 1},
	{"SP_SERVER_DIAGNOSTICS_SLEEP", 300000, 1},
	{"PWAIT_EXTENSIBILITY_CLEANUP_TASK", 300000, 1},
	{"QDS_PERSIST_TASK_MAIN_LOOP_SLEEP", 60000, 1},
	{"QDS_CLEANUP_STALE_QUERIES_TASK_MAIN_LOOP_SLEEP", 60000, 1},
	{"QDS_ASYNC_QUEUE", 60000, 1},
	{"HADR_FILESTREAM_IOMGR_IOCOMPLETION", 500, 1},
	{"DISPATCHER_QUEUE_SEMAPHORE", 45000, 2},
	{"SLEEP_TASK", 970, 2},
	{"BROKER_TO_FLUSH", 1000, 1},
	{"WAIT_XTP_OFFLINE_CKPT_NEW_LOG", 5000, 1},
};

/* count, time, maximum, signal: captured on a real server. */
static const struct {
	const char *name;
	int64_t values[COUNTER_COLUMNS];
} captured[] = {
	{"ASYNC_IO_COMPLETION", {10, 176, 45, 0}},
	{"AZURE_IMDS_VERSIONS", {3, 180853, 60411, 0}},
	{"CMEMTHREAD", {1684, 2102, 88, 1557}},
	{"LCK_M_S", {2, 307, 216, 0}},
	{"LCK_M_U", {12, 1587, 261, 0}},
	{"MSQL_XP", {213, 614, 18, 0}},
	{"PREEMPTIVE_OS_AUTHENTICATIONOPS", {2899, 7177, 46, 0}},
	{"PREEMPTIVE_OS_QUERYREGISTRY", {96457, 40971, 51, 0}},
	{"RESOURCE_SEMAPHORE_QUERY_COMPILE", {9, 1387, 228, 0}},
	{"SOS_SCHEDULER_YIELD", {313164, 31124, 4562, 29184}},
	{"THREADPOOL", {29, 561, 70, 0}},
	{"WAIT_ON_SYNC_STATISTICS_REFRESH", {35, 402, 48, 0}},
	{"WRITELOG", {719, 466, 11, 32}},
	{"MEMORY_ALLOCATION_EXT", {1904221, 5120, 9, 0}},
	{"PAGEIOLATCH_SH", {18220, 30412, 212, 640}},
	{"PAGELATCH_EX", {41020, 1230, 14, 310}},
};

static uint64_t hash_name(const char *name)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *name != '\0'; name++)
		hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
	return hash >> 7;
}

/* Of a hundred names so many are not zero. */
static unsigned seeded_percent(enum counter_view view)
{
	switch (view) {
	case COUNTER_WAITS:
		return 13;
	case COUNTER_LATCHES:
		return 20;
	case COUNTER_SPINLOCKS:
	case COUNTER_VIEWS:
		break;
	}
	return 32;
}

static bool never_happens(const char *name)
{
	return strncmp(name, "BTREE_INSERT_FLOW", 17) == 0 ||
	       strncmp(name, "PAGELATCH_", 10) == 0 || strncmp(name, "HADR_", 5) == 0;
}

static void seed_small(struct counter *counter, enum counter_view view, int64_t now_us)
{
	uint64_t hash = hash_name(counter->name);
	int64_t events = 3 + (int64_t)(hash / 100 % 4000);

	if (hash % 100 >= seeded_percent(view) || never_happens(counter->name))
		return;
	counter->base[COUNTER_EVENTS] = events;
	counter->base[1] = events * (1 + (int64_t)(hash / 7000 % 6));
	counter->base[2] =
		view == COUNTER_SPINLOCKS ? events / 40 : 10 + (int64_t)(hash / 900 % 300);
	counter->base[3] = view == COUNTER_SPINLOCKS ? events / 20 : events / 8;
	if (hash % 3 != 0)
		return;
	/* One in three of them goes on, a few times a minute. */
	int64_t per_minute = 2 + (int64_t)(hash / 50 % 30);
	struct counter_flow flow = {
		.gain = {per_minute, per_minute * 3, 0, per_minute / 2},
		.period_us = 60000000,
		.max_ms = counter->base[2],
	};
	counter_set_flow(counter, view, &flow, now_us);
}

static void seed_heartbeats(struct counters *counters, int64_t start_us)
{
	for (size_t i = 0; i < sizeof(heartbeats) / sizeof(heartbeats[0]); i++) {
		struct counter *counter = counters_find(counters, heartbeats[i].name);
		if (!counter)
			continue;
		int64_t tasks = heartbeats[i].task_count;
		struct counter_flow flow = {
			.gain = {tasks, tasks * heartbeats[i].chunk_ms},
			.period_us = heartbeats[i].chunk_ms * 1000,
			.max_ms = heartbeats[i].chunk_ms,
		};
		memset(counter->base, 0, sizeof(counter->base));
		counter->is_heartbeat = true;
		counter_set_flow(counter, COUNTER_WAITS, &flow, start_us);
	}
}

void counter_seed(struct counters *counters, int64_t start_us, int64_t now_us)
{
	for (size_t i = 0; i < counters->count; i++)
		seed_small(&counters->items[i], counters->view, now_us);
	if (counters->view != COUNTER_WAITS)
		return;
	for (size_t i = 0; i < sizeof(captured) / sizeof(captured[0]); i++) {
		struct counter *counter = counters_find(counters, captured[i].name);
		if (!counter)
			continue;
		struct counter_flow still = {0};
		counter_set_flow(counter, COUNTER_WAITS, &still, now_us);
		memcpy(counter->base, captured[i].values, sizeof(counter->base));
	}
	seed_heartbeats(counters, start_us);
}
