/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The answer to one round trip of a target: samples become deltas, and one batch goes to the
 * writer. Runs in the target's thread. Only a batch that was taken moves the baselines: after a
 * full queue the next delta covers the longer interval, and nothing but resolution is lost.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/view_age.h"
#include "daemon/base/alloc.h"
#include "daemon/target_state.h"

static struct live_error live_error_of(const struct error *err, int64_t now_utc_ms)
{
	struct live_error live = {
		.is_set = true, .kind = err->kind, .code = err->code, .at_utc_ms = now_utc_ms};

	snprintf(live.text, sizeof(live.text), "%s", err->text);
	return live;
}

/* Adds the GRANT that cures a missing right to the error that tells of it. The server's words give
 * way when both do not fit. */
static void name_grant(const struct server *server, struct error *err)
{
	enum { TOLD_SIZE = sizeof(((struct live_error *)0)->text) };
	CLEANUP(strbuf_done) struct strbuf cure = STRBUF_INIT;
	const struct error reason = *err;

	if (err->kind == ERROR_DENIED)
		right_cure(server, right_missing(err->code, RIGHT_STATE), &cure);
	if (cure.size == 0)
		return;
	int room = cure.size + 3 < TOLD_SIZE ? TOLD_SIZE - 3 - (int)cure.size : 0;
	(void)error_set(err, reason.kind, reason.code, "%.*s; %s", room, reason.text,
			strbuf_text(&cure));
}

static void note_failure(struct live_collector *live, const struct server *server,
			 const struct error *err, int64_t now_utc_ms)
{
	struct error told = *err;

	name_grant(server, &told);
	live->failure_count++;
	live->last_error = live_error_of(&told, now_utc_ms);
	live->state = COLLECTOR_FAILING;
	if (err->kind == ERROR_UNSUPPORTED)
		live->state = COLLECTOR_UNSUPPORTED;
	if (err->kind == ERROR_DENIED)
		live->state = COLLECTOR_DENIED;
}

/* What is shown of a collector is as old as this from now on. */
static void note_fresh(struct live_collector *live, struct instant then)
{
	live->last_ok_utc_ms = then.utc_ms;
	live->last_ok_mono_ms = then.mono_ms;
}

static void note_view(struct target *target, int collector, const struct collected *collected,
		      struct instant then)
{
	const struct collected_view *view = &collected->views[collector];
	struct live_collector *live = &target->live.collectors[collector];

	if (!view->was_due)
		return;
	live->poll_count++;
	live->last_duration_ms = collected->duration_ms;
	live->interval_ms = target->schedule.rows[collector].interval_ms;
	if (!view->is_ok) {
		note_failure(live, &target->live.server, &view->error, then.utc_ms);
		return;
	}
	live->row_count = view->row_count;
	if (collector >= FAMILY_COUNT)
		note_fresh(live, then);
	live->state = COLLECTOR_OK;
	live->last_error = (struct live_error){0};
	target->live.last_poll_utc_ms = then.utc_ms;
}

static struct baseline *baseline_copy(const struct baseline *baseline)
{
	struct baseline *copy = xcalloc(1, sizeof(*copy));

	*copy = *baseline;
	copy->sample = sample_copy(baseline->sample);
	return copy;
}

/*
 * After the clock was set back intervals lie where the store has others, until the labels have
 * passed the latest of those.
 */
static bool is_dated_back(struct target *target, const struct delta *delta)
{
	bool *is_redating = &target->is_redating[delta->family];

	*is_redating &=
		delta->end_utc_ms - delta->interval_ms < target->stored_end_utc_ms[delta->family];
	return *is_redating && delta->interval_ms > 0;
}

/* The clock was set, or what the store holds was dated by a clock that was. */
static void note_clock(struct target *target, struct instant now)
{
	int64_t step_ms = label_clock_follow(&target->label_clock, now);

	label_clock_date(&target->label_clock, &now);
	target->clock_step_ms += step_ms;
	target->told.gap_utc_ms += step_ms < 0 ? step_ms : 0;
	for (int i = 0; i < FAMILY_COUNT; i++)
		target->is_redating[i] |= now.utc_ms < target->stored_end_utc_ms[i];
}

/* Dates all that was collected by one clock. */
static void date(const struct target *target, struct collected *collected)
{
	for (int i = 0; i < FAMILY_COUNT; i++)
		if (collected->samples[i])
			label_clock_date(&target->label_clock, &collected->samples[i]->taken);
	if (collected->tasks)
		label_clock_date(&target->label_clock, &collected->tasks->taken);
}

/* Fills deltas and baselines of batch and the baselines that follow once it is handed on. */
static void subtract(struct target *target, const struct collected *collected, struct batch *batch,
		     struct baseline *next[FAMILY_COUNT])
{
	for (int i = 0; i < FAMILY_COUNT; i++) {
		if (!collected->samples[i])
			continue;
		struct delta_options options = {
			.configured_ms = target->config.interval_ms[i],
			.waits = i == FAMILY_WAITS ? NULL : batch->deltas[FAMILY_WAITS],
		};
		batch->deltas[i] = delta_between(target->baselines[i], collected->samples[i],
						 &options, &next[i]);
		target_note_standstill(batch->deltas[i], target->baselines[i],
				       collected->samples[i]);
		batch->is_dated_back[i] = is_dated_back(target, batch->deltas[i]);
		batch->baselines[i] = baseline_copy(next[i]);
	}
}

/* At the first look: since the start of the server, or since a clear that nobody saw. */
static int64_t first_since(const struct target *target, const struct sample *sample)
{
	const int64_t age_ms = sample->family == FAMILY_WAITS ? view_age_ms(sample) : -1;
	const int64_t uptime_ms = sample->epoch.ms_ticks - sample->epoch.start_ticks;

	return age_ms < 0 || age_ms >= uptime_ms ? target->live.server.started_utc_ms
						 : sample->taken.utc_ms - age_ms;
}

static void note_counters_since(struct target *target, const struct collected *collected,
				const struct batch *batch)
{
	for (int i = 0; i < FAMILY_COUNT; i++) {
		const struct delta *delta = batch->deltas[i];
		int64_t *since = &target->live.counters_since_utc_ms[i];

		if (!delta)
			continue;
		if (delta->quality == QUALITY_AFTER_CLEAR)
			*since = delta->interval_ms > 0 ? delta->end_utc_ms - delta->interval_ms
							: delta->end_utc_ms;
		else if (*since == 0 || delta->quality == QUALITY_AFTER_RESTART ||
			 delta->quality == QUALITY_AFTER_FAILOVER)
			*since = first_since(target, collected->samples[i]);
	}
}

/* Whether the store takes what it is given: the queue alone would hide for long that it does not.
 */
static bool is_storing(const struct target *target)
{
	struct writer_status status;

	writer_status(target->options.writer, &status);
	return !status.is_failing;
}

/* Waits with a full queue until the next poll is due, then gives up. */
static void hand_on(struct target *target, struct collected *collected, struct instant then)
{
	CLEANUP(batch_freep) struct batch *batch = batch_new(target->options.id);
	struct baseline *next[FAMILY_COUNT] = {0};
	struct error err = ERROR_INIT;

	subtract(target, collected, batch, next);
	target_add_events(target, batch);
	if (target->clock_step_ms != 0)
		target_add_clock_event(target, batch, target->clock_step_ms, then.utc_ms);
	if (collected->tasks && task_sample_is_of_interest(collected->tasks))
		batch->tasks = TAKE(collected->tasks);
	note_counters_since(target, collected, batch);

	struct target_told told = target_told_by(target, batch);
	int64_t ends_utc_ms[FAMILY_COUNT];
	for (int i = 0; i < FAMILY_COUNT; i++)
		ends_utc_ms[i] = batch->deltas[i] ? batch->deltas[i]->end_utc_ms : 0;
	bool is_empty = !batch->tasks && batch->event_count == 0 && !next[FAMILY_WAITS] &&
			!next[FAMILY_LATCHES] && !next[FAMILY_SPINLOCKS];
	bool is_pushed = is_empty || writer_push(target->options.writer, &batch,
						 schedule_next(&target->schedule), &err);
	bool is_stored = is_pushed && !is_empty && is_storing(target);
	for (int i = 0; i < FAMILY_COUNT; i++) {
		struct baseline *old = next[i];
		if (is_stored && next[i])
			note_fresh(&target->live.collectors[i], then);
		if (is_pushed && ends_utc_ms[i] > target->stored_end_utc_ms[i])
			target->stored_end_utc_ms[i] = ends_utc_ms[i];
		if (is_pushed && next[i]) {
			old = target->baselines[i];
			target->baselines[i] = next[i];
		}
		baseline_free(old);
	}
	if (is_pushed) {
		target->told = told;
		target->clock_step_ms = 0;
		complaint_end(&target->push_complaint, "target '%s': polls are stored again",
			      target->config.name);
	} else if (err.kind != ERROR_STOPPED) {
		complaint_say(&target->push_complaint, then.mono_ms,
			      "target '%s': poll not stored: %s", target->config.name, err.text);
	}
}

/* Waits that last are shown as they last; the counters learn of them when they end. */
static void show_tasks(struct target *target, const struct task_sample *tasks)
{
	const struct task *longest = task_sample_longest(tasks);
	struct live_wait *shown = &target->live.longest_wait;

	live_set_tasks(target->options.live, target->options.index, tasks);
	*shown = (struct live_wait){0};
	if (!longest)
		return;
	snprintf(shown->wait_type, sizeof(shown->wait_type), "%s", longest->wait_type);
	shown->wait_ms = longest->wait_ms;
	shown->session_id = longest->session_id;
}

static bool is_nothing_readable(const struct target *target)
{
	for (int i = 0; i < FAMILY_COUNT; i++)
		if (target->config.interval_ms[i] > 0 &&
		    target->live.collectors[i].state != COLLECTOR_DENIED)
			return false;
	return true;
}

/* The first family that says why nothing is readable; the target shows its reason. */
static void judge_state(struct target *target)
{
	bool is_denied = is_nothing_readable(target);

	target->live.state = is_denied ? TARGET_DENIED : TARGET_UP;
	target->live.last_error = (struct live_error){0};
	for (int i = 0; is_denied && i < FAMILY_COUNT; i++)
		if (target->live.collectors[i].last_error.is_set) {
			target->live.last_error = target->live.collectors[i].last_error;
			return;
		}
}

static void note_run(struct target *target, unsigned due, int64_t now_mono_ms)
{
	schedule_ran(&target->schedule, due, now_mono_ms);
	for (int i = 0; i < COLLECTOR_COUNT; i++)
		target->live.collectors[i].skipped_count = target->schedule.rows[i].skipped_count;
}

static void note_round(struct target *target, const struct collected *collected, unsigned due,
		       struct instant then)
{
	note_run(target, due, then.mono_ms);
	schedule_weigh(&target->schedule, due, collected->duration_ms);
	for (int i = 0; i < COLLECTOR_COUNT; i++)
		note_view(target, i, collected, then);
	target->live.epoch = collected->epoch;
	judge_state(target);
}

void target_note_failure(struct target *target, unsigned due, struct error *err, struct instant now)
{
	name_grant(&target->live.server, err);
	note_run(target, due, now.mono_ms);
	for (int i = 0; i < COLLECTOR_COUNT; i++) {
		struct live_collector *live = &target->live.collectors[i];
		if (!(due & 1u << i))
			continue;
		live->poll_count++;
		live->failure_count++;
		live->state = err->kind == ERROR_DENIED ? COLLECTOR_DENIED : COLLECTOR_FAILING;
		live->last_error = live_error_of(err, now.utc_ms);
	}
}

void target_take_in(struct target *target, struct collected *collected, unsigned due,
		    struct instant now)
{
	struct instant then = {now.mono_ms + collected->duration_ms,
			       now.utc_ms + collected->duration_ms};

	if (collected->session_cpu_ms >= 0)
		target->session_cpu_ms = collected->session_cpu_ms;
	note_clock(target, now);
	date(target, collected);
	label_clock_date(&target->label_clock, &then);
	note_round(target, collected, due, then);
	if (collected->tasks) {
		show_tasks(target, collected->tasks);
		lookup_offer(target->lookup, &target->live.server, collected->tasks, then.mono_ms);
	}
	hand_on(target, collected, then);
}
