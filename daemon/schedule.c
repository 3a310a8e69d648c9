/* SPDX-License-Identifier: Apache-2.0 */
/* Who is due and when. Pure; the target's thread owns the schedule. */
#include "daemon/schedule.h"

enum {
	TASKS_INTERVAL_MAX_MS = 5000,
	TASKS_STRETCH_MS = 1000,
	FIRST_WAIT_MAX_MS = 60 * 1000,
	FRESH_WAIT_MAX_MS = 1000,
};

#define PHASES_MS (INT64_C(24) * 3600 * 1000)

int64_t schedule_phase(const char *target_name)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

	for (const char *at = target_name; *at; at++)
		hash = (hash ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
	return (int64_t)((hash ^ hash >> 32) % (uint64_t)PHASES_MS);
}

int64_t schedule_wait(int64_t phase_ms, int64_t interval_ms, int64_t now_utc_ms)
{
	int64_t wait_ms = (phase_ms - now_utc_ms) % interval_ms;

	return wait_ms < 0 ? wait_ms + interval_ms : wait_ms;
}

void schedule_init(struct schedule *schedule, const int64_t interval_ms[COLLECTOR_COUNT],
		   int64_t phase_ms, unsigned fresh, struct instant now)
{
	for (int i = 0; i < COLLECTOR_COUNT; i++) {
		struct schedule_row *row = &schedule->rows[i];
		int64_t most_ms = fresh & 1u << i ? FRESH_WAIT_MAX_MS : FIRST_WAIT_MAX_MS;

		*row = (struct schedule_row){.configured_ms = interval_ms[i],
					     .interval_ms = interval_ms[i],
					     .due_mono_ms = INT64_MAX};
		if (interval_ms[i] == 0)
			continue;
		if (most_ms > interval_ms[i])
			most_ms = interval_ms[i];
		row->grid_mono_ms =
			now.mono_ms + schedule_wait(phase_ms, interval_ms[i], now.utc_ms);
		row->due_mono_ms = now.mono_ms + schedule_wait(phase_ms, most_ms, now.utc_ms);
	}
}

unsigned schedule_due(const struct schedule *schedule, int64_t now_mono_ms)
{
	unsigned due = 0;

	for (int i = 0; i < COLLECTOR_COUNT; i++)
		if (schedule->rows[i].due_mono_ms <= now_mono_ms)
			due |= 1u << i;
	return due;
}

int64_t schedule_next(const struct schedule *schedule)
{
	int64_t next = INT64_MAX;

	for (int i = 0; i < COLLECTOR_COUNT; i++)
		if (schedule->rows[i].due_mono_ms < next)
			next = schedule->rows[i].due_mono_ms;
	return next;
}

/* The number of the last instant of the row's phase up to that time. */
static int64_t turn_at(const struct schedule_row *row, int64_t mono_ms)
{
	int64_t since_ms = mono_ms - row->grid_mono_ms;

	return since_ms >= 0 ? since_ms / row->interval_ms
			     : -((row->interval_ms - 1 - since_ms) / row->interval_ms);
}

static void row_advance(struct schedule_row *row, int64_t now_mono_ms)
{
	int64_t end_mono_ms = now_mono_ms > row->due_mono_ms ? now_mono_ms : row->due_mono_ms;
	int64_t last_turn = turn_at(row, end_mono_ms);

	row->skipped_count += last_turn - turn_at(row, row->due_mono_ms);
	row->due_mono_ms = row->grid_mono_ms + (last_turn + 1) * row->interval_ms;
}

void schedule_ran(struct schedule *schedule, unsigned ran, int64_t now_mono_ms)
{
	for (int i = 0; i < COLLECTOR_COUNT; i++)
		if (ran & 1u << i && schedule->rows[i].interval_ms > 0)
			row_advance(&schedule->rows[i], now_mono_ms);
}

void schedule_weigh(struct schedule *schedule, unsigned ran, int64_t duration_ms)
{
	struct schedule_row *row = &schedule->rows[COLLECTOR_WAITING_TASKS];

	if (!(ran & 1u << COLLECTOR_WAITING_TASKS) || row->interval_ms == 0)
		return;
	bool was_alone = ran == 1u << COLLECTOR_WAITING_TASKS;
	if (was_alone && duration_ms * 10 > row->interval_ms) {
		if (row->interval_ms + TASKS_STRETCH_MS <= TASKS_INTERVAL_MAX_MS)
			row->interval_ms += TASKS_STRETCH_MS;
		return;
	}
	/* Half the price that stretches it, so that the interval does not swing to and fro. */
	if (row->interval_ms > row->configured_ms &&
	    duration_ms * 20 < row->interval_ms - TASKS_STRETCH_MS)
		row->interval_ms -= TASKS_STRETCH_MS;
}
