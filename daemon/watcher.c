/* SPDX-License-Identifier: Apache-2.0 */
/* The round over all targets, once a second. Runs in the watcher's thread. */
#include "daemon/watcher.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/base/alloc.h"
#include "daemon/base/log.h"
#include "daemon/base/stop.h"
#include "daemon/notice.h"
#include "daemon/thread.h"
#include "daemon/watched_target.h"
#include "storage/batch.h"

enum { TICK_MS = 1000, BORROW_MS = 1000, PUSH_WAIT_MS = 2000 };

struct watcher {
	struct watcher_options options;
	struct stop *stop;
	struct thread *thread;
	struct watched_target *targets;
	size_t target_count;
	struct alert *scratch; /* copies of one target's alerts */
	struct hotspot *hotspots;
	struct instant started;
	struct complaint complaint;
};

static struct watched_target *find_target(struct watcher *watcher, int64_t id)
{
	for (size_t i = 0; i < watcher->target_count; i++)
		if (watcher->targets[i].live.id == id)
			return &watcher->targets[i];
	return NULL;
}

static void begin_alerts(struct watcher *watcher, struct watched_target *target)
{
	for (size_t i = 0; i < watcher->options.rule_count; i++) {
		const struct rule *rule = &watcher->options.rules[i];
		struct notice_labels labels = notice_labels_of(rule, &target->live);

		target->alerts[i] = alert_initial(rule, target->live.id, watcher->started.utc_ms);
		notice_fill_labels(&target->alerts[i], &labels);
	}
}

struct watcher *watcher_new(const struct watcher_options *options, struct instant now)
{
	struct watcher *watcher = xcalloc(1, sizeof(*watcher));

	watcher->options = *options;
	watcher->started = now;
	watcher->stop = stop_new();
	watcher->target_count = live_target_count(options->live);
	watcher->targets = xcalloc(watcher->target_count, sizeof(*watcher->targets));
	watcher->scratch = xcalloc(options->rule_count + 1, sizeof(*watcher->scratch));
	watcher->hotspots = xcalloc(WATCH_HOTSPOTS_MAX, sizeof(*watcher->hotspots));
	for (size_t i = 0; i < watcher->target_count; i++) {
		struct watched_target *target = &watcher->targets[i];
		struct hot_page_options detector = options->detector;

		live_get_target(options->live, i, &target->live);
		detector.interval_ms = target->live.collectors[COLLECTOR_WAITING_TASKS].interval_ms;
		target->detector = hot_page_new(target->live.id, &detector);
		target->alerts = xcalloc(options->rule_count + 1, sizeof(*target->alerts));
		begin_alerts(watcher, target);
	}
	return watcher;
}

/* What the store holds of the alerts goes on, with the labels and texts of today's rules. */
static bool restore_alert(void *context, const struct alert *stored)
{
	struct watcher *watcher = context;
	struct watched_target *target = find_target(watcher, stored->target_id);

	for (size_t i = 0; target && i < watcher->options.rule_count; i++) {
		struct alert *alert = &target->alerts[i];
		if (strcmp(alert->rule, stored->rule) != 0)
			continue;
		struct alert fresh = *alert;
		*alert = *stored;
		memcpy(alert->labels, fresh.labels, sizeof(alert->labels));
		memcpy(alert->severity, fresh.severity, sizeof(alert->severity));
		alert->threshold = fresh.threshold;
	}
	return true;
}

/* The rules go on after the oldest commit that any of them has judged last. */
static void begin_commits(struct watcher *watcher)
{
	for (size_t i = 0; i < watcher->target_count; i++) {
		struct watched_target *target = &watcher->targets[i];

		target->deltas_commit = INT64_MAX;
		for (size_t j = 0; j < watcher->options.rule_count; j++)
			if (target->alerts[j].evaluated_commit < target->deltas_commit)
				target->deltas_commit = target->alerts[j].evaluated_commit;
		if (target->deltas_commit == INT64_MAX)
			target->deltas_commit = 0;
		target->is_restored = true;
	}
}

static bool restore(struct watcher *watcher, struct instant now, struct error *err)
{
	CLEANUP(reader_returnp)
	struct reader *reader =
		reader_borrow(watcher->options.readers, now.mono_ms + BORROW_MS, err);

	if (!reader || !query_alerts(reader, restore_alert, watcher, err))
		return false;
	for (size_t i = 0; i < watcher->target_count; i++) {
		struct watch watch = {.target = &watcher->targets[i], .reader = reader, .now = now};
		if (!watch_restore_hotspots(&watch, err))
			return false;
	}
	begin_commits(watcher);
	return true;
}

/* Reads and judges; the reader is returned before anything waits for the writer. */
static bool judge(struct watcher *watcher, struct watch *watch, struct error *err)
{
	CLEANUP(reader_returnp)
	struct reader *reader =
		reader_borrow(watcher->options.readers, watch->now.mono_ms + BORROW_MS, err);

	watch->reader = reader;
	return reader && watch_rules(watch, err) && watch_pages(watch, err);
}

static bool is_worth_storing(const struct batch *batch)
{
	return batch->alert_count > 0 || batch->hotspot_count > 0 || batch->event_count > 0 ||
	       batch->outbox_count > 0;
}

/* Says what changed, once it is in the store. */
static void log_changes(const struct watcher *watcher, const struct watched_target *target,
			const struct alert *after)
{
	for (size_t i = 0; i < watcher->options.rule_count; i++) {
		const struct alert *before = &target->alerts[i];
		if (before->state == after[i].state ||
		    (before->state < ALERT_FIRING && after[i].state < ALERT_FIRING))
			continue;
		CLEANUP(strbuf_done) struct strbuf text = STRBUF_INIT;
		notice_write_line(&after[i], target->live.name, alert_state_name(after[i].state),
				  &text);
		log_info("%s", strbuf_text(&text));
	}
}

static bool look_at(struct watcher *watcher, size_t index, struct instant now, struct error *err)
{
	struct watched_target *target = &watcher->targets[index];
	size_t alerts_size = watcher->options.rule_count * sizeof(struct alert);
	CLEANUP(batch_freep) struct batch *batch = batch_new(target->live.id);
	struct watch watch = {
		.options = &watcher->options,
		.target = target,
		.batch = batch,
		.now = now,
		.started_mono_ms = watcher->started.mono_ms,
		.alerts = watcher->scratch,
		.deltas_commit = target->deltas_commit,
		.hotspots = watcher->hotspots,
	};

	live_get_target(watcher->options.live, index, &target->live);
	memcpy(watch.alerts, target->alerts, alerts_size);
	if (!judge(watcher, &watch, err))
		return false;
	bool has_outbox = batch->outbox_count > 0;
	if (is_worth_storing(batch) &&
	    !writer_push_and_wait(watcher->options.writer, &batch, now.mono_ms + PUSH_WAIT_MS, err))
		return false;
	log_changes(watcher, target, watch.alerts);
	memcpy(target->alerts, watch.alerts, alerts_size);
	target->deltas_commit = watch.deltas_commit;
	target->is_listed = true;
	if (has_outbox && watcher->options.on_outbox)
		watcher->options.on_outbox(watcher->options.context);
	return true;
}

int64_t watcher_step(struct watcher *watcher, struct instant now)
{
	struct error err = ERROR_INIT;
	bool is_well = true;

	if (watcher->target_count > 0 && !watcher->targets[0].is_restored)
		is_well = restore(watcher, now, &err);
	for (size_t i = 0; is_well && i < watcher->target_count; i++) {
		if (stop_is_requested(watcher->stop))
			return INT64_MAX;
		is_well = look_at(watcher, i, now, &err);
	}
	if (is_well)
		complaint_end(&watcher->complaint, "watching goes on");
	else if (err.kind != ERROR_STOPPED)
		complaint_say(&watcher->complaint, now.mono_ms, "watching stands still: %s",
			      err.text);
	return now.mono_ms + TICK_MS;
}

static void watcher_body(void *context)
{
	struct watcher *watcher = context;

	while (!stop_wait_until(watcher->stop, watcher_step(watcher, clock_now())))
		;
}

bool watcher_start(struct watcher *watcher, struct error *err)
{
	watcher->thread = thread_start("watcher", watcher_body, watcher, err);
	return watcher->thread;
}

static void watcher_free(struct watcher *watcher)
{
	for (size_t i = 0; i < watcher->target_count; i++) {
		for (int j = 0; j < FAMILY_COUNT; j++)
			delta_free(watcher->targets[i].newest[j]);
		hot_page_free(watcher->targets[i].detector);
		free(watcher->targets[i].alerts);
	}
	free(watcher->targets);
	free(watcher->scratch);
	free(watcher->hotspots);
	stop_free(watcher->stop);
	free(watcher);
}

bool watcher_stop_until(struct watcher *watcher, int64_t deadline_mono_ms)
{
	if (!watcher)
		return true;
	stop_request(watcher->stop);
	if (!thread_join_until(watcher->thread, deadline_mono_ms))
		return false;
	watcher_free(watcher);
	return true;
}
