/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From committed deltas to alerts. Runs in the watcher's thread.
 *
 * The deltas of one commit are one poll. A rule is judged at each commit that brought a family it
 * names, with the newest delta of the others beside it as long as that is fresh. Everything is done
 * on copies of the alerts: they become the state once the batch with them is in the store, so that
 * a failed or lost batch means judging the same commits again, with the same result.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/alloc.h"
#include "daemon/notice.h"
#include "daemon/watched_target.h"
#include "storage/batch.h"

enum {
	LOOK_BACK_MS = 15 * 60 * 1000,
	EVIDENCE_MAX = 3,
	STALE_MIN_MS = 3000,
};

/* A delta that was read, with its commit. */
struct read_delta {
	int64_t commit_id;
	struct delta *delta;
};

struct reading {
	const struct watcher_options *options;
	struct read_delta *items;
	size_t count, capacity;
};

static bool is_named(const struct watcher_options *options, enum family family, const char *name)
{
	for (size_t i = 0; i < options->rule_count; i++)
		for (int j = 0; j < options->rules[i].term_count; j++) {
			const struct rule_term *term = &options->rules[i].terms[j];
			if (term->family == family && strcmp(term->name, name) == 0)
				return true;
		}
	return false;
}

/* A copy with only the rows that rules name. */
static struct delta *copy_named(const struct watcher_options *options, const struct delta *delta)
{
	struct delta *copy = xcalloc(1, sizeof(*copy));
	CLEANUP(strbuf_done) struct strbuf names = STRBUF_INIT;

	*copy = *delta;
	copy->rows = xcalloc(delta->row_count + 1, sizeof(*copy->rows));
	copy->row_count = 0;
	for (size_t i = 0; i < delta->row_count; i++) {
		if (!is_named(options, delta->family, delta->rows[i].name))
			continue;
		copy->rows[copy->row_count++] = delta->rows[i];
		strbuf_add(&names, delta->rows[i].name, strlen(delta->rows[i].name) + 1);
	}
	copy->names = strbuf_take(&names);
	const char *name = copy->names;
	for (size_t i = 0; i < copy->row_count; i++) {
		copy->rows[i].name = name;
		name += strlen(name) + 1;
	}
	return copy;
}

static bool take_delta(void *context, const struct stored_delta *stored)
{
	struct reading *reading = context;

	reading->items = array_grow(reading->items, reading->count, &reading->capacity,
				    sizeof(*reading->items));
	reading->items[reading->count++] = (struct read_delta){
		.commit_id = stored->commit_id,
		.delta = copy_named(reading->options, &stored->delta),
	};
	return true;
}

static int compare_commits(const void *left, const void *right)
{
	const struct read_delta *a = left, *b = right;

	if (a->commit_id != b->commit_id)
		return a->commit_id < b->commit_id ? -1 : 1;
	return (int)a->delta->family - (int)b->delta->family;
}

static bool is_family_used(const struct watcher_options *options, enum family family)
{
	for (size_t i = 0; i < options->rule_count; i++)
		if (rule_uses(&options->rules[i], family))
			return true;
	return false;
}

static bool read_deltas(struct watch *watch, struct reading *reading, struct error *err)
{
	int64_t since_utc_ms = watch->now.utc_ms - LOOK_BACK_MS;

	for (int i = 0; i < FAMILY_COUNT; i++)
		if (is_family_used(watch->options, (enum family)i) &&
		    !query_deltas_after_commit(
			    watch->reader, watch->target->live.id, (enum family)i, since_utc_ms,
			    watch->target->deltas_commit, take_delta, reading, err))
			return false;
	if (reading->count > 0)
		qsort(reading->items, reading->count, sizeof(*reading->items), compare_commits);
	return true;
}

static void reading_done(struct reading *reading)
{
	for (size_t i = 0; i < reading->count; i++)
		delta_free(reading->items[i].delta);
	free(reading->items);
}

/* The hottest active hotspots, for the evidence. */
struct evidence {
	struct hotspot *hotspots;
	size_t count;
};

static bool take_evidence(void *context, const struct hotspot *hotspot)
{
	struct evidence *evidence = context;
	size_t place = evidence->count;

	if (!hotspot->is_active)
		return true;
	while (place > 0 && evidence->hotspots[place - 1].ms_per_sec < hotspot->ms_per_sec)
		place--;
	if (place == EVIDENCE_MAX)
		return true;
	if (evidence->count < EVIDENCE_MAX)
		evidence->count++;
	memmove(&evidence->hotspots[place + 1], &evidence->hotspots[place],
		(evidence->count - 1 - place) * sizeof(*hotspot));
	evidence->hotspots[place] = *hotspot;
	return true;
}

static void add_event(struct watch *watch, const struct alert *alert, const char *status)
{
	struct event event = {
		.target_id = alert->target_id,
		.begin_utc_ms = alert->since_utc_ms,
		.end_utc_ms = alert->since_utc_ms,
		.kind = "alert",
		.family = NO_FAMILY,
		.details = "{}",
	};

	CLEANUP(strbuf_done) struct strbuf text = STRBUF_INIT;

	notice_write_line(alert, watch->target->live.name, status, &text);
	snprintf(event.text, sizeof(event.text), "%s", strbuf_text(&text));
	batch_add_event(watch->batch, &event);
}

/* What was judged cannot be unsaid by a failing query: the message then goes without hotspots. */
static void tell(struct watch *watch, struct alert *alert, const struct rule *rule,
		 const char *status)
{
	struct notice_labels labels = notice_labels_of(rule, &watch->target->live);
	struct evidence evidence = {.hotspots = xcalloc(EVIDENCE_MAX, sizeof(*evidence.hotspots))};
	struct error err = ERROR_INIT;
	int64_t since_utc_ms = watch->now.utc_ms - LOOK_BACK_MS;

	if (!query_hotspots(watch->reader, alert->target_id, since_utc_ms, watch->now.utc_ms,
			    take_evidence, &evidence, &err))
		evidence.count = 0;
	notice_fill_evidence(alert, evidence.hotspots, evidence.count);
	add_event(watch, alert, status);
	for (int i = 0; i < rule->notifier_count; i++) {
		struct outbox_row row = {
			.created_utc_ms = watch->now.utc_ms,
			.due_utc_ms = watch->now.utc_ms,
			.body = notice_body(alert, &labels, watch->target->live.name, status,
					    evidence.hotspots, evidence.count),
		};
		memcpy(row.notifier, rule->notifiers[i], sizeof(row.notifier));
		batch_add_outbox(watch->batch, &row);
	}
	free(evidence.hotspots);
}

/* An episode that has been told as firing and not as resolved. */
static bool is_open(const struct alert *alert)
{
	return alert->fired_utc_ms != 0 && alert->resolved_utc_ms == 0;
}

static void tell_transition(struct watch *watch, struct alert *alert, const struct rule *rule,
			    enum alert_transition transition)
{
	bool is_lost = transition == ALERT_LOST_DATA && !is_open(alert);
	bool is_found = transition == ALERT_FOUND_DATA && !is_open(alert);

	if (transition == ALERT_FIRED || is_lost)
		tell(watch, alert, rule, "firing");
	else if (transition == ALERT_RESOLVED || is_found)
		tell(watch, alert, rule, "resolved");
}

/* The newest deltas, without those that have become stale beside the one just committed. */
static void pick_fresh(const struct watched_target *target, int64_t end_utc_ms,
		       const struct delta *fresh[FAMILY_COUNT])
{
	for (int i = 0; i < FAMILY_COUNT; i++) {
		const struct delta *delta = target->newest[i];
		int64_t interval_ms = target->live.collectors[i].interval_ms;
		fresh[i] = delta && end_utc_ms - delta->end_utc_ms <= interval_ms * 5 / 2 ? delta
											  : NULL;
	}
}

static void judge_commit(struct watch *watch, int64_t commit_id, unsigned families,
			 int64_t end_utc_ms)
{
	const struct delta *fresh[FAMILY_COUNT];

	pick_fresh(watch->target, end_utc_ms, fresh);
	for (size_t i = 0; i < watch->options->rule_count; i++) {
		const struct rule *rule = &watch->options->rules[i];
		struct alert *alert = &watch->alerts[i];
		bool is_touched = false;

		for (int j = 0; j < FAMILY_COUNT; j++)
			if (families & 1u << j && rule_uses(rule, (enum family)j))
				is_touched = true;
		if (!is_touched || commit_id <= alert->evaluated_commit)
			continue;
		struct rule_value value = rule_evaluate(rule, fresh);
		enum alert_transition transition = alert_step(alert, rule, &value);
		alert->evaluated_commit = commit_id;
		tell_transition(watch, alert, rule, transition);
	}
	watch->deltas_commit = commit_id;
}

static void judge_commits(struct watch *watch, struct reading *reading)
{
	for (size_t i = 0; i < reading->count;) {
		int64_t commit_id = reading->items[i].commit_id, end_utc_ms = 0;
		unsigned families = 0;

		for (; i < reading->count && reading->items[i].commit_id == commit_id; i++) {
			struct delta *delta = TAKE(reading->items[i].delta);
			delta_free(watch->target->newest[delta->family]);
			watch->target->newest[delta->family] = delta;
			families |= 1u << delta->family;
			if (delta->end_utc_ms > end_utc_ms)
				end_utc_ms = delta->end_utc_ms;
		}
		judge_commit(watch, commit_id, families, end_utc_ms);
	}
}

static bool is_stale(const struct watch *watch, const struct rule *rule)
{
	for (int i = 0; i < FAMILY_COUNT; i++) {
		const struct live_collector *live = &watch->target->live.collectors[i];
		int64_t heard =
			live->last_ok_mono_ms > 0 ? live->last_ok_mono_ms : watch->started_mono_ms;
		int64_t limit_ms = live->interval_ms * 5 / 2;

		if (rule_uses(rule, (enum family)i) &&
		    watch->now.mono_ms - heard >
			    (limit_ms > STALE_MIN_MS ? limit_ms : STALE_MIN_MS))
			return true;
	}
	return false;
}

static void judge_silence(struct watch *watch)
{
	for (size_t i = 0; i < watch->options->rule_count; i++) {
		const struct rule *rule = &watch->options->rules[i];
		struct alert *alert = &watch->alerts[i];

		if (is_stale(watch, rule))
			tell_transition(watch, alert, rule,
					alert_lose_data(alert, rule, watch->now.utc_ms));
	}
}

/* A judged commit or a silence that counts shows in one of these. */
static bool is_changed(const struct alert *before, const struct alert *after)
{
	return before->evaluated_commit != after->evaluated_commit ||
	       before->state != after->state || before->has_value != after->has_value;
}

bool watch_rules(struct watch *watch, struct error *err)
{
	CLEANUP(reading_done) struct reading reading = {.options = watch->options};

	if (!read_deltas(watch, &reading, err))
		return false;
	judge_commits(watch, &reading);
	judge_silence(watch);
	for (size_t i = 0; i < watch->options->rule_count; i++)
		if (!watch->target->is_listed ||
		    is_changed(&watch->target->alerts[i], &watch->alerts[i]))
			batch_add_alert(watch->batch, &watch->alerts[i]);
	return true;
}
