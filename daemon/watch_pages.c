/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From committed task samples and page owners to hotspots. Runs in the watcher's thread. Samples in
 * which nothing of interest waited are not stored; that they were taken is seen in storage/live, so
 * that empty is told apart from unknown.
 */
#include "daemon/watched_target.h"
#include "storage/batch.h"

enum {
	TASKS_LOOK_BACK_MS = 10 * 60 * 1000,
	OWNERS_LOOK_BACK_MS = 10 * 60 * 1000,
	STALE_MIN_MS = 3000,
};

#define RESTORE_LOOK_BACK_MS (INT64_C(30) * 86400 * 1000)
#define IDS_LOOK_BACK_MS     (INT64_C(3600) * 1000)

static bool learn_owner(void *context, const struct page_owner *owner)
{
	struct watched_target *target = context;

	hot_page_learn(target->detector, owner);
	if (owner->looked_up_utc_ms > target->owners_utc_ms)
		target->owners_utc_ms = owner->looked_up_utc_ms;
	return true;
}

static bool add_tasks(void *context, int64_t commit_id, const struct task_sample *sample)
{
	struct watched_target *target = context;

	hot_page_add(target->detector, sample);
	target->tasks_commit = commit_id;
	return true;
}

static bool learn_id(void *context, const struct hotspot *stored)
{
	struct watched_target *target = context;

	hot_page_set_id(target->detector, stored);
	return true;
}

static bool restore_hotspot(void *context, const struct hotspot *stored)
{
	struct watched_target *target = context;

	if (stored->is_active)
		hot_page_restore(target->detector, stored);
	return true;
}

bool watch_restore_hotspots(struct watch *watch, struct error *err)
{
	struct watched_target *target = watch->target;
	int64_t now_utc_ms = watch->now.utc_ms;

	target->owners_utc_ms = now_utc_ms - OWNERS_LOOK_BACK_MS;
	return query_hotspots(watch->reader, target->live.id, now_utc_ms - RESTORE_LOOK_BACK_MS,
			      now_utc_ms, restore_hotspot, target, err);
}

/* Samples stopped coming: said as long as it lasts, so that nothing ends for want of them. */
static void tell_gap(struct watch *watch)
{
	const struct live_collector *live =
		&watch->target->live.collectors[COLLECTOR_WAITING_TASKS];
	int64_t limit_ms = live->interval_ms * 5 / 2;

	if (limit_ms < STALE_MIN_MS)
		limit_ms = STALE_MIN_MS;
	if (live->last_ok_utc_ms > 0 && watch->now.mono_ms - live->last_ok_mono_ms > limit_ms)
		hot_page_gap(watch->target->detector, live->last_ok_utc_ms, watch->now.utc_ms);
}

bool watch_pages(struct watch *watch, struct error *err)
{
	struct watched_target *target = watch->target;
	int64_t now_utc_ms = watch->now.utc_ms;

	if (target->live.collectors[COLLECTOR_WAITING_TASKS].interval_ms == 0)
		return true;
	if (target->needs_ids &&
	    !query_hotspots(watch->reader, target->live.id, now_utc_ms - IDS_LOOK_BACK_MS,
			    now_utc_ms, learn_id, target, err))
		return false;
	target->needs_ids = false;
	if (!query_owners(watch->reader, target->live.id, target->owners_utc_ms, learn_owner,
			  target, err) ||
	    !query_tasks_after_commit(watch->reader, target->live.id,
				      now_utc_ms - TASKS_LOOK_BACK_MS, target->tasks_commit,
				      add_tasks, target, err))
		return false;
	tell_gap(watch);
	size_t count =
		hot_page_judge(target->detector, now_utc_ms, watch->hotspots, WATCH_HOTSPOTS_MAX);
	for (size_t i = 0; i < count; i++) {
		batch_add_hotspot(watch->batch, &watch->hotspots[i]);
		if (watch->hotspots[i].id == 0)
			target->needs_ids = true;
	}
	return true;
}
