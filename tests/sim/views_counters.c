/* SPDX-License-Identifier: Apache-2.0 */
/* The three views of counters, and the performance counters. Runs with the instance locked. */
#include "tests/sim/instance_state.h"

#include <stdio.h>

static void add_value(struct rows *rows, const struct counter *counter, enum counter_view view,
		      int column, int64_t now_us)
{
	if (counter->null_mask & (1U << column))
		rows_add_null(rows);
	else
		rows_add_integer(rows, counter_value(counter, view, column, now_us));
}

static void fill_stats(struct view_request *request, struct rows *rows, enum counter_view view)
{
	const struct counters *counters = &request->instance->counters[view];

	for (size_t i = 0; i < counters->count; i++) {
		rows_add_text(rows, counters->items[i].name);
		for (int column = 0; counter_column_names(view)[column]; column++)
			add_value(rows, &counters->items[i], view, column, request->now.mono_us);
	}
}

/* One database's own waits: the background threads are the server's. */
static void fill_database_waits(struct view_request *request, struct rows *rows)
{
	const struct counters *counters = &request->instance->counters[COUNTER_WAITS];

	for (size_t i = 0; i < counters->count; i++) {
		if (counters->items[i].is_heartbeat)
			continue;
		rows_add_text(rows, counters->items[i].name);
		for (int column = 0; counter_column_names(COUNTER_WAITS)[column]; column++)
			add_value(rows, &counters->items[i], COUNTER_WAITS, column,
				  request->now.mono_us);
	}
}

static void fill_wait_stats(struct view_request *request, struct rows *rows)
{
	fill_stats(request, rows, COUNTER_WAITS);
}

static void fill_latch_stats(struct view_request *request, struct rows *rows)
{
	fill_stats(request, rows, COUNTER_LATCHES);
}

static void fill_spinlock_stats(struct view_request *request, struct rows *rows)
{
	const struct counters *counters = &request->instance->counters[COUNTER_SPINLOCKS];
	int64_t now_us = request->now.mono_us;

	for (size_t i = 0; i < counters->count; i++) {
		const struct counter *counter = &counters->items[i];
		int64_t collisions = counter_value(counter, COUNTER_SPINLOCKS, 0, now_us);
		int64_t spins = counter_value(counter, COUNTER_SPINLOCKS, 1, now_us);
		rows_add_text(rows, counter->name);
		add_value(rows, counter, COUNTER_SPINLOCKS, 0, now_us);
		add_value(rows, counter, COUNTER_SPINLOCKS, 1, now_us);
		rows_add_number(rows, collisions == 0 ? 0 : (double)spins / (double)collisions);
		add_value(rows, counter, COUNTER_SPINLOCKS, 2, now_us);
		add_value(rows, counter, COUNTER_SPINLOCKS, 3, now_us);
	}
}

static void add_performance(struct rows *rows, const char *object, const char *counter,
			    const char *instance, int64_t value, int64_t type)
{
	char padded[3][129];

	/* The server pads nchar(128) with blanks. */
	snprintf(padded[0], sizeof(padded[0]), "%-128s", object);
	snprintf(padded[1], sizeof(padded[1]), "%-128s", counter);
	snprintf(padded[2], sizeof(padded[2]), "%-128s", instance);
	for (int i = 0; i < 3; i++)
		rows_add_text(rows, padded[i]);
	rows_add_integer(rows, value);
	rows_add_integer(rows, type);
}

static void fill_performance(struct view_request *request, struct rows *rows)
{
	const struct instance *instance = request->instance;
	int64_t now_us = request->now.mono_us;
	int64_t inserts = page_store_rows(&instance->pages, now_us);
	const struct counter *buffer =
		counters_find(&instance->counters[COUNTER_LATCHES], "BUFFER");
	int64_t latches =
		buffer ? counter_value(buffer, COUNTER_LATCHES, COUNTER_EVENTS, now_us) : 0;
	int64_t latch_ms = buffer ? counter_value(buffer, COUNTER_LATCHES, 1, now_us) : 0;

	add_performance(rows, "SQLServer:SQL Statistics", "Batch Requests/sec", "", inserts,
			272696576);
	add_performance(rows, "SQLServer:Databases", "Transactions/sec", "_Total", inserts + 1200,
			272696576);
	add_performance(rows, "SQLServer:Databases", "Transactions/sec", "Sales", inserts,
			272696576);
	add_performance(rows, "SQLServer:Databases", "Write Transactions/sec", "_Total", inserts,
			272696576);
	add_performance(rows, "SQLServer:Latches", "Latch Waits/sec", "", latches, 272696576);
	add_performance(rows, "SQLServer:Latches", "Average Latch Wait Time (ms)", "", latch_ms,
			1073874176);
	add_performance(rows, "SQLServer:Latches", "Average Latch Wait Time Base", "", latches,
			1073939712);
	add_performance(rows, "SQLServer:Latches", "Total Latch Wait Time (ms)", "", latch_ms,
			272696576);
	add_performance(rows, "SQLServer:Latches", "Number of SuperLatches", "", 12, 65792);
	add_performance(rows, "SQLServer:Access Methods", "Page Splits/sec", "",
			inserts / PAGE_ROWS, 272696576);
}

static const struct view views[] = {
	{"dm_os_wait_stats",
	 "wait_type nvarchar(60) not null, waiting_tasks_count bigint not null, wait_time_ms bigint not null, "
	 "max_wait_time_ms bigint not null, signal_wait_time_ms bigint not null",
	 NULL, false, fill_wait_stats},
	{"dm_db_wait_stats",
	 "wait_type nvarchar(60) not null, waiting_tasks_count bigint not null, wait_time_ms bigint not null, "
	 "max_wait_time_ms bigint not null, signal_wait_time_ms bigint not null",
	 NULL, false, fill_database_waits},
	{"dm_os_latch_stats",
	 "latch_class nvarchar(60), waiting_requests_count bigint, wait_time_ms bigint, "
	 "max_wait_time_ms bigint",
	 NULL, false, fill_latch_stats},
	{"dm_os_spinlock_stats",
	 "name nvarchar(256), collisions bigint, spins bigint, spins_per_collision real, sleep_time bigint, "
	 "backoffs bigint",
	 NULL, false, fill_spinlock_stats},
	{"dm_os_performance_counters",
	 "object_name nchar(128) not null, counter_name nchar(128) not null, instance_name nchar(128), "
	 "cntr_value bigint not null, cntr_type int not null",
	 NULL, false, fill_performance},
};

const struct view *views_of_counters(size_t *count)
{
	*count = sizeof(views) / sizeof(views[0]);
	return views;
}
