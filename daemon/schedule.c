/* SPDX-License-Identifier: Apache-2.0 */
/* Who is due and when. Pure; the target's thread owns the schedule. */
#include "daemon/schedule.h"

enum { TASKS_INTERVAL_MAX_MS = 5000, TASKS_STRETCH_MS = 1000 };

void schedule_init(struct schedule *schedule, const int64_t interval_ms[COLLECTOR_COUNT],
		   int64_t start_mono_ms)
{
	for (int i = 0; i < COLLECTOR_COUNT; i++)
		schedule->rows[i] = (struct schedule_row){
			.configured_ms = interval_ms[i],
			.interval_ms = interval_ms[i],
			.due_mono_ms = interval_ms[i] > 0 ? start_mono_ms : INT64_MAX,
		};
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

static void row_advance(struct schedule_row *row, int64_t now_mono_ms)
{
	int64_t late_ms = now_mono_ms > row->due_mono_ms ? now_mono_ms - row->due_mono_ms : 0;
	int64_t skipped = late_ms / row->interval_ms;

	row->skipped_count += skipped;
	row->due_mono_ms += (skipped + 1) * row->interval_ms;
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
