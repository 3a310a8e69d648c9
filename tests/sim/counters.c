/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters computed from elapsed time. With E(now) the whole events of the flow since its anchor, a
 * column shows base + E x its rate / the event rate, rounded down: exact, monotone, without drift,
 * and moving only when a wait ends. A clear makes the base the negative of what the flow has
 * gained, so the phase of the flow, and a wait in progress, survive it. Guarded by the instance's
 * lock.
 */
#include "tests/sim/counters.h"

#include "tests/sim/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_COLUMN 2

__extension__ typedef unsigned __int128 wide;

static const char *const wait_columns[] = {"waiting_tasks_count", "wait_time_ms",
					   "max_wait_time_ms", "signal_wait_time_ms", NULL};
static const char *const latch_columns[] = {"waiting_requests_count", "wait_time_ms",
					    "max_wait_time_ms", NULL};
static const char *const spinlock_columns[] = {"collisions", "spins", "sleep_time", "backoffs",
					       NULL};

static const struct {
	const char *short_name;
	const char *view_name;
	const char *const *columns;
} view_names[COUNTER_VIEWS] = {
	[COUNTER_WAITS] = {"waits", "sys.dm_os_wait_stats", wait_columns},
	[COUNTER_LATCHES] = {"latches", "sys.dm_os_latch_stats", latch_columns},
	[COUNTER_SPINLOCKS] = {"spinlocks", "sys.dm_os_spinlock_stats", spinlock_columns},
};

const char *const *counter_column_names(enum counter_view view)
{
	return view_names[view].columns;
}

int counter_column(enum counter_view view, const char *name)
{
	const char *const *columns = view_names[view].columns;

	for (int i = 0; columns[i]; i++)
		if (text_is_word(name, strlen(name), columns[i]))
			return i;
	return -1;
}

bool counter_view_parse(const char *name, enum counter_view *view)
{
	for (int i = 0; i < COUNTER_VIEWS; i++) {
		if (!text_is_word(name, strlen(name), view_names[i].short_name) &&
		    !text_is_word(name, strlen(name), view_names[i].view_name) &&
		    !text_is_word(name, strlen(name), view_names[i].view_name + strlen("sys.")))
			continue;
		*view = (enum counter_view)i;
		return true;
	}
	return false;
}

static bool is_maximum(enum counter_view view, int column)
{
	return view != COUNTER_SPINLOCKS && column == MAX_COLUMN;
}

static int64_t flow_events(const struct counter *counter, int64_t now_us)
{
	if (now_us <= counter->anchor_us || counter->flow.period_us == 0)
		return 0;
	wide elapsed_us = (wide)(now_us - counter->anchor_us);
	return (int64_t)(elapsed_us * (wide)counter->flow.gain[COUNTER_EVENTS] /
			 (wide)counter->flow.period_us);
}

static int64_t flow_gain(const struct counter *counter, int column, int64_t now_us)
{
	wide events = (wide)flow_events(counter, now_us);

	if (column == COUNTER_EVENTS || events == 0)
		return (int64_t)events;
	return (int64_t)(events * (wide)counter->flow.gain[column] /
			 (wide)counter->flow.gain[COUNTER_EVENTS]);
}

/* The more waits, the nearer the longest of them comes to the flow's maximum. */
static int64_t flow_maximum(const struct counter *counter, int64_t now_us)
{
	int64_t events = flow_events(counter, now_us) - counter->max_from;

	if (events <= 0)
		return 0;
	int64_t average = counter->flow.gain[1] / counter->flow.gain[COUNTER_EVENTS];
	int64_t grown = (int64_t)((wide)counter->flow.max_ms * (wide)events / (wide)(events + 40));
	return grown > average ? grown : average;
}

int64_t counter_value(const struct counter *counter, enum counter_view view, int column,
		      int64_t now_us)
{
	if (!is_maximum(view, column))
		return counter->base[column] + flow_gain(counter, column, now_us);
	int64_t maximum = flow_maximum(counter, now_us);
	return maximum > counter->base[column] ? maximum : counter->base[column];
}

void counter_set(struct counter *counter, enum counter_view view, int column, int64_t value,
		 int64_t now_us)
{
	if (is_maximum(view, column)) {
		counter->base[column] = value;
		counter->max_from = flow_events(counter, now_us);
	} else {
		counter->base[column] = value - flow_gain(counter, column, now_us);
	}
}

void counter_set_flow(struct counter *counter, enum counter_view view,
		      const struct counter_flow *flow, int64_t now_us)
{
	int64_t settled[COUNTER_COLUMNS];

	for (int i = 0; i < COUNTER_COLUMNS; i++)
		settled[i] = counter_value(counter, view, i, now_us);
	memcpy(counter->base, settled, sizeof(settled));
	counter->flow = *flow;
	counter->anchor_us = now_us;
	counter->max_from = 0;
}

struct counter *counters_find(const struct counters *counters, const char *name)
{
	for (size_t i = 0; i < counters->count; i++)
		if (strcmp(counters->items[i].name, name) == 0)
			return &counters->items[i];
	return NULL;
}

struct counter *counters_add(struct counters *counters, const char *name, int64_t now_us)
{
	if (counters->count == counters->capacity) {
		counters->capacity = counters->capacity == 0 ? 256 : counters->capacity * 2;
		counters->items =
			memory_grow(counters->items, counters->capacity, sizeof(*counters->items));
	}
	struct counter *counter = &counters->items[counters->count++];

	*counter = (struct counter){.name = memory_copy_string(name, strlen(name)),
				    .anchor_us = now_us};
	return counter;
}

size_t counters_remove(struct counters *counters, const char *name)
{
	size_t kept = 0;

	for (size_t i = 0; i < counters->count; i++) {
		if (strcmp(counters->items[i].name, name) == 0)
			free(counters->items[i].name);
		else
			counters->items[kept++] = counters->items[i];
	}
	size_t removed = counters->count - kept;
	counters->count = kept;
	return removed;
}

void counters_clear(struct counters *counters, int64_t now_us)
{
	for (size_t i = 0; i < counters->count; i++)
		for (int column = 0; column < COUNTER_COLUMNS; column++)
			counter_set(&counters->items[i], counters->view, column, 0, now_us);
}

void counters_restart(struct counters *counters, int64_t now_us)
{
	for (size_t i = 0; i < counters->count; i++) {
		struct counter *counter = &counters->items[i];
		memset(counter->base, 0, sizeof(counter->base));
		counter->anchor_us = now_us;
		counter->max_from = 0;
	}
}

bool counters_load(struct counters *counters, const char *directory, const char *file,
		   int64_t now_us)
{
	char path[4096];
	char line[1024];
	bool is_head = true;

	snprintf(path, sizeof(path), "%s/%s", directory, file);
	FILE *stream = fopen(path, "re");
	if (!stream)
		return false;
	while (fgets(line, sizeof(line), stream)) {
		line[strcspn(line, ",\r\n")] = '\0';
		if (!is_head && line[0] != '\0')
			counters_add(counters, line, now_us);
		is_head = false;
	}
	fclose(stream);
	return counters->count > 0;
}

void counters_done(struct counters *counters)
{
	for (size_t i = 0; i < counters->count; i++)
		free(counters->items[i].name);
	free(counters->items);
	*counters = (struct counters){0};
}
