/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is told of a target beside its figures. Runs in the target's thread.
 *
 * A restart, failover or gap is one event although each view shows it, and views with other
 * intervals show it later again: the epoch and the end of the gap that were told are remembered,
 * once the writer has them. Clears and anomalies belong to one view.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/view_age.h"
#include "daemon/base/json.h"
#include "daemon/target_state.h"

/* Our clock may have gone on by so much more than the server's ticks, and a fiftieth of them. */
enum { STANDSTILL_MIN_MS = 2000, STANDSTILL_PART = 50 };
/* So much less than the uptime, and a tenth, is no error of the heartbeats. */
enum { EARLIER_CLEAR_MS = 10000 };
enum { NAMES_SHOWN = 5, START_JITTER_MS = 1000, PUSH_WAIT_MS = 500 };

static struct event event_of(const struct target *target, const char *kind, int64_t begin_utc_ms,
			     int64_t end_utc_ms, int family)
{
	struct event event = {
		.target_id = target->options.id,
		.begin_utc_ms = begin_utc_ms,
		.end_utc_ms = end_utc_ms,
		.family = family,
		.details = "{}",
	};

	snprintf(event.kind, sizeof(event.kind), "%s", kind);
	return event;
}

static bool is_same_life(const struct epoch *left, const struct epoch *right)
{
	return strcmp(left->server_name, right->server_name) == 0 &&
	       strcmp(left->node_name, right->node_name) == 0 &&
	       left->process_id == right->process_id &&
	       llabs(left->start_ticks - right->start_ticks) <= START_JITTER_MS;
}

/* The newest epoch of a batch: that of any of its baselines. */
static const struct epoch *epoch_of(const struct batch *batch)
{
	for (int i = 0; i < FAMILY_COUNT; i++)
		if (batch->baselines[i])
			return &batch->baselines[i]->sample->epoch;
	return NULL;
}

bool target_stood_still(const struct delta *delta)
{
	return (delta->quality == QUALITY_EXACT || delta->quality == QUALITY_AFTER_GAP) &&
	       delta->elapsed_ms > delta->interval_ms;
}

void target_note_standstill(struct delta *delta, const struct baseline *before,
			    const struct sample *after)
{
	if (!before || delta->interval_ms == 0 ||
	    before->sample->taken.mono_ms == CLOCK_MONO_UNKNOWN ||
	    (delta->quality != QUALITY_EXACT && delta->quality != QUALITY_AFTER_GAP))
		return;
	int64_t here_ms = after->taken.mono_ms - before->sample->taken.mono_ms;
	int64_t least_ms =
		delta->interval_ms + delta->interval_ms / STANDSTILL_PART + STANDSTILL_MIN_MS;
	if (here_ms > least_ms)
		delta->elapsed_ms = here_ms;
}

static void add_restart(const struct target *target, struct batch *batch, const struct delta *delta)
{
	struct event event = event_of(target, "restart", delta->end_utc_ms - delta->elapsed_ms,
				      delta->end_utc_ms, NO_FAMILY);

	if (delta->interval_ms > 0)
		event.begin_utc_ms = delta->end_utc_ms - delta->interval_ms;
	snprintf(event.text, sizeof(event.text), "'%s' was restarted", target->config.name);
	batch_add_event(batch, &event);
}

static void add_failover(const struct target *target, struct batch *batch,
			 const struct epoch *before, const struct epoch *after, int64_t end_utc_ms)
{
	struct event event = event_of(target, "failover", end_utc_ms, end_utc_ms, NO_FAMILY);

	snprintf(event.text, sizeof(event.text), "'%s' is served by '%s' (%s), it was '%s' (%s)",
		 target->config.name, after->server_name, after->node_name, before->server_name,
		 before->node_name);
	batch_add_event(batch, &event);
}

static void add_gap(const struct target *target, struct batch *batch, const struct delta *delta)
{
	int64_t begin_utc_ms = delta->end_utc_ms - delta->elapsed_ms;
	struct event event = event_of(target, "gap", begin_utc_ms, delta->end_utc_ms, NO_FAMILY);

	if (begin_utc_ms < target->told.gap_utc_ms)
		return;
	if (target_stood_still(delta))
		snprintf(event.text, sizeof(event.text),
			 "the machine of '%s' stood still for %lld s", target->config.name,
			 (long long)((delta->elapsed_ms - delta->interval_ms) / 1000));
	else
		snprintf(event.text, sizeof(event.text), "no poll of '%s' for %lld s",
			 target->config.name, (long long)(delta->elapsed_ms / 1000));
	batch_add_event(batch, &event);
}

static void add_clear(const struct target *target, struct batch *batch, const struct delta *delta)
{
	bool is_dated = delta->interval_ms > 0;
	int64_t covered_ms = is_dated ? delta->interval_ms : delta->elapsed_ms;
	struct event event = event_of(target, "clear", delta->end_utc_ms - covered_ms,
				      delta->end_utc_ms, (int)delta->family);

	snprintf(event.text, sizeof(event.text), "%s of '%s' was cleared%s",
		 family_shape(delta->family)->view, target->config.name,
		 is_dated ? "" : ", when exactly cannot be said");
	batch_add_event(batch, &event);
}

/* The waits were cleared before latchd first saw this server, long after it had started. */
static void add_earlier_clear(const struct target *target, struct batch *batch,
			      const struct delta *delta)
{
	bool is_first =
		delta->quality == QUALITY_BASELINE || delta->quality == QUALITY_AFTER_FAILOVER;
	const struct baseline *first = batch->baselines[delta->family];

	if (!is_first || !first || delta->family != FAMILY_WAITS)
		return;
	const struct epoch *epoch = &first->sample->epoch;
	int64_t uptime_ms = epoch->ms_ticks - epoch->start_ticks;
	int64_t counted_ms = view_age_ms(first->sample);
	if (counted_ms < 0 || counted_ms > uptime_ms - uptime_ms / 10 - EARLIER_CLEAR_MS)
		return;
	struct event event = event_of(target, "clear", delta->end_utc_ms - counted_ms,
				      delta->end_utc_ms, (int)delta->family);
	snprintf(event.text, sizeof(event.text),
		 "%s of '%s' was cleared about %lld s before the first poll",
		 family_shape(delta->family)->view, target->config.name,
		 (long long)(counted_ms / 1000));
	batch_add_event(batch, &event);
}

static void add_anomaly(const struct target *target, struct batch *batch, const struct delta *delta)
{
	CLEANUP(strbuf_done) struct strbuf details = STRBUF_INIT;
	struct json json = json_begin(&details);
	struct event event = event_of(target, "anomaly", delta->end_utc_ms - delta->elapsed_ms,
				      delta->end_utc_ms, (int)delta->family);
	int shown = 0;

	json_open_object(&json);
	json_key(&json, "names");
	json_open_array(&json);
	for (size_t i = 0; i < delta->row_count && shown < NAMES_SHOWN; i++)
		if (delta->rows[i].flags & DELTA_ANOMALY && strlen(delta->rows[i].name) < 64) {
			json_add_text(&json, delta->rows[i].name);
			shown++;
		}
	json_close_array(&json);
	json_close_object(&json);
	snprintf(event.details, sizeof(event.details), "%s", strbuf_text(&details));
	snprintf(event.text, sizeof(event.text),
		 "%lld of the counters in %s of '%s' fell alone; counted as 0",
		 (long long)delta->anomaly_count, family_shape(delta->family)->view,
		 target->config.name);
	batch_add_event(batch, &event);
}

/* Restart, failover and gap: from the first delta that shows one. True when it was one. */
static bool add_shared(const struct target *target, struct batch *batch, const struct delta *delta)
{
	const struct baseline *before = target->baselines[delta->family];
	const struct epoch *epoch = epoch_of(batch);

	if (!before || !epoch)
		return false;
	bool is_told = is_same_life(epoch, &target->told.epoch);
	bool is_same = is_same_life(epoch, &before->sample->epoch);
	bool is_failover = delta->quality == QUALITY_AFTER_FAILOVER ||
			   (delta->quality == QUALITY_BASELINE && !is_same &&
			    strcmp(epoch->server_name, before->sample->epoch.server_name) != 0);

	if (is_failover && !is_told)
		add_failover(target, batch, &before->sample->epoch, epoch, delta->end_utc_ms);
	else if (!is_failover && !is_told &&
		 (delta->quality == QUALITY_AFTER_RESTART ||
		  (delta->quality == QUALITY_BASELINE && !is_same)))
		add_restart(target, batch, delta);
	else if (delta->quality == QUALITY_AFTER_GAP || target_stood_still(delta))
		add_gap(target, batch, delta);
	return batch->event_count > 0;
}

void target_add_events(const struct target *target, struct batch *batch)
{
	bool is_shared_told = false;

	for (int i = 0; i < FAMILY_COUNT; i++) {
		const struct delta *delta = batch->deltas[i];
		if (delta && !is_shared_told)
			is_shared_told = add_shared(target, batch, delta);
	}
	for (int i = 0; i < FAMILY_COUNT; i++) {
		const struct delta *delta = batch->deltas[i];
		if (delta && delta->quality == QUALITY_AFTER_CLEAR)
			add_clear(target, batch, delta);
		if (delta)
			add_earlier_clear(target, batch, delta);
		if (delta && delta->anomaly_count > 0)
			add_anomaly(target, batch, delta);
	}
}

struct target_told target_told_by(const struct target *target, const struct batch *batch)
{
	struct target_told told = target->told;
	const struct epoch *epoch = epoch_of(batch);

	if (epoch)
		told.epoch = *epoch;
	for (size_t i = 0; i < batch->event_count; i++)
		if (strcmp(batch->events[i].kind, "gap") == 0)
			told.gap_utc_ms = batch->events[i].end_utc_ms;
	return told;
}

void target_add_clock_event(const struct target *target, struct batch *batch, int64_t step_ms,
			    int64_t now_utc_ms)
{
	int64_t was_utc_ms = now_utc_ms - step_ms;
	bool is_back = step_ms < 0;
	struct event event = event_of(target, "clock", is_back ? now_utc_ms : was_utc_ms,
				      is_back ? was_utc_ms : now_utc_ms, NO_FAMILY);

	snprintf(event.text, sizeof(event.text),
		 "the clock of latchd's machine was set %s %.1f s%s",
		 is_back ? "back by" : "forward by", (double)llabs(step_ms) / 1000,
		 is_back ? "; what it dated from then on gives way to what is polled now"
			 : "; nothing is known of the time it left out");
	batch_add_event(batch, &event);
}

static bool push_event(struct target *target, const struct event *event, int64_t now_mono_ms)
{
	CLEANUP(batch_freep) struct batch *batch = batch_new(target->options.id);
	struct error err = ERROR_INIT;

	batch_add_event(batch, event);
	if (writer_push(target->options.writer, &batch, now_mono_ms + PUSH_WAIT_MS, &err))
		return true;
	if (err.kind != ERROR_STOPPED)
		complaint_say(&target->push_complaint, now_mono_ms, "target '%s': %s",
			      target->config.name, err.text);
	return false;
}

void target_tell_down(struct target *target, struct instant now, const struct error *reason)
{
	struct event event = event_of(target, "down", now.utc_ms, now.utc_ms, NO_FAMILY);

	if (target->down_since.utc_ms == 0)
		target->down_since = now;
	if (target->is_down_told)
		return;
	event.begin_utc_ms -= now.mono_ms - target->down_since.mono_ms;
	snprintf(event.text, sizeof(event.text), "'%s' is down: %.400s", target->config.name,
		 reason->text);
	target->is_down_told = push_event(target, &event, now.mono_ms);
}

/* The begin is counted back from now: the clock may have been set meanwhile. */
void target_tell_up(struct target *target, struct instant now)
{
	if (target->down_since.utc_ms == 0)
		return;
	int64_t down_ms = now.mono_ms - target->down_since.mono_ms;
	struct event event = event_of(target, "up", now.utc_ms - down_ms, now.utc_ms, NO_FAMILY);
	snprintf(event.text, sizeof(event.text), "'%s' is up again after %lld s",
		 target->config.name, (long long)(down_ms / 1000));
	if (!push_event(target, &event, now.mono_ms))
		return;
	target->down_since = (struct instant){0};
	target->is_down_told = false;
}
