/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Identity, then epoch, then clear, then gap: the strongest witness decides for the whole view.
 * Runs in the thread that takes deltas; no state.
 *
 * A clear leaves the epoch as it is, so it must be voted on. Two names that lost more than half, or
 * two highest waits that fell, are enough: nothing else is known to do that. A view of few names
 * can not raise two witnesses, there half of those that were not zero will do. A little fall never
 * votes, for counters are read without a lock. In the waits view the heartbeats outvote all that:
 * see heartbeat.c.
 */
#include "collectors/verdict.h"

#include <string.h>

#include "collectors/heartbeat.h"

enum {
	RESTART_TICKS_MS = 1000,   /* the start ticks of one life wander by less */
	RESTART_SLACK_MS = 5000,   /* our clock against the server's */
	CLEAR_DATED_MIN_MS = 5000, /* under it the error of the dating outweighs the time */
	CLEAR_WITNESSES = 2,
	SMALL_VIEW_NAMES = 8,
	DIP_MAX = 10,
	DIP_PART = 1000,
};

static bool texts_differ(const char *left, const char *right)
{
	return left[0] && right[0] && strcmp(left, right) != 0;
}

static bool is_other_server(const struct epoch *old, const struct epoch *now)
{
	return texts_differ(old->server_name, now->server_name) ||
	       texts_differ(old->node_name, now->node_name);
}

static bool is_other_life(const struct epoch *old, const struct epoch *now)
{
	if (old->start_ticks >= 0 && now->start_ticks >= 0) {
		int64_t moved = now->start_ticks - old->start_ticks;
		if (moved > RESTART_TICKS_MS || moved < -RESTART_TICKS_MS)
			return true;
	}
	if (old->process_id > 0 && now->process_id > 0 && old->process_id != now->process_id)
		return true;
	return old->ms_ticks >= 0 && now->ms_ticks >= 0 && now->ms_ticks < old->ms_ticks;
}

static int64_t elapsed_within_epoch(const struct sample *old, const struct sample *now)
{
	if (old->epoch.ms_ticks >= 0 && now->epoch.ms_ticks >= 0)
		return now->epoch.ms_ticks - old->epoch.ms_ticks;
	return instant_elapsed_ms(&old->taken, &now->taken);
}

bool counter_is_dip(int64_t old, int64_t fall)
{
	int64_t part = old / DIP_PART;
	return fall <= (part > DIP_MAX ? part : DIP_MAX);
}

static bool is_zero(const struct sample_row *row)
{
	int64_t any = row->max_ms;
	for (int i = 0; i < FAMILY_COUNTERS_MAX; i++)
		any |= row->counters[i];
	return any == 0;
}

int counter_that_falls_alone(enum family family)
{
	static const int counters[FAMILY_COUNT] = {
		[FAMILY_WAITS] = WAITS_SIGNAL_MS,
		[FAMILY_LATCHES] = -1,
		[FAMILY_SPINLOCKS] = SPINLOCKS_BACKOFFS,
	};
	return counters[family];
}

static bool is_witness(enum family family, int counter)
{
	return counter != counter_that_falls_alone(family);
}

enum row_motion row_motion_of(enum family family, const struct sample_row *old,
			      const struct sample_row *now)
{
	bool has_dipped = false;
	for (int i = 0; i < family_shape(family)->counter_count; i++) {
		int64_t fall = old->counters[i] - now->counters[i];
		if (fall <= 0 || !is_witness(family, i))
			continue;
		if (!counter_is_dip(old->counters[i], fall))
			return ROW_FELL;
		has_dipped = true;
	}
	if (!has_dipped)
		return ROW_ROSE;
	return now->max_ms < old->max_ms || is_zero(now) ? ROW_FELL : ROW_DIPPED;
}

static bool has_lost_half(enum family family, const struct sample_row *old,
			  const struct sample_row *now)
{
	for (int i = 0; i < family_shape(family)->counter_count; i++) {
		int64_t fall = old->counters[i] - now->counters[i];
		if (is_witness(family, i) && fall > 0 && fall > now->counters[i])
			return true;
	}
	return false;
}

static int compare_places(const struct row_pairs *pairs)
{
	if (pairs->before_row >= pairs->before->row_count)
		return 1;
	if (pairs->after_row >= pairs->after->row_count)
		return -1;
	return strcmp(pairs->before->rows[pairs->before_row].name,
		      pairs->after->rows[pairs->after_row].name);
}

bool row_pairs_next(struct row_pairs *pairs)
{
	while (pairs->before_row < pairs->before->row_count ||
	       pairs->after_row < pairs->after->row_count) {
		int order = compare_places(pairs);
		pairs->was_there = order <= 0;
		pairs->is_there = order >= 0;
		if (order > 0) {
			pairs->now = pairs->after->rows[pairs->after_row++];
			pairs->old = (struct sample_row){.name = pairs->now.name};
			return true;
		}
		pairs->old = pairs->before->rows[pairs->before_row++];
		if (order == 0) {
			pairs->now = pairs->after->rows[pairs->after_row++];
			return true;
		}
		pairs->now = (struct sample_row){.name = pairs->old.name};
		if (!sample_has_rejected(pairs->after, pairs->old.name))
			return true;
	}
	return false;
}

/* is_suspected: a heartbeat says so too, then a single other fall will do. */
static bool vote_of_names(const struct sample *before, const struct sample *after,
			  bool is_suspected)
{
	struct row_pairs pairs = {.before = before, .after = after};
	/* Those whose rows were rejected now as well: they do not bear witness. */
	size_t name_count = 0;
	for (size_t i = 0; i < before->row_count; i++)
		name_count += !is_zero(&before->rows[i]);
	size_t fell_count = 0;
	size_t halved_count = 0;
	size_t max_fell_count = 0;
	while (row_pairs_next(&pairs)) {
		bool has_fallen = row_motion_of(after->family, &pairs.old, &pairs.now) == ROW_FELL;
		fell_count += has_fallen;
		halved_count += has_fallen && has_lost_half(after->family, &pairs.old, &pairs.now);
		max_fell_count += pairs.now.max_ms < pairs.old.max_ms;
	}
	if (halved_count >= CLEAR_WITNESSES || max_fell_count >= CLEAR_WITNESSES)
		return true;
	if (is_suspected && fell_count >= CLEAR_WITNESSES)
		return true;
	return name_count <= SMALL_VIEW_NAMES && fell_count > 0 && 2 * fell_count >= name_count;
}

/* Azure SQL Database has none, and its waits are those of one database: no heartbeat counts. */
static bool has_ticks(const struct sample *sample)
{
	return sample->epoch.ms_ticks >= 0;
}

static bool is_cleared(const struct baseline *before, const struct sample *after,
		       int64_t interval_ms)
{
	if (after->family != FAMILY_WAITS || !has_ticks(after))
		return vote_of_names(before->sample, after, false);
	enum heartbeat_say say = heartbeat_judge(before, after, interval_ms);
	if (say == HEARTBEAT_CLEARED || say == HEARTBEAT_CONTINUED)
		return say == HEARTBEAT_CLEARED;
	return vote_of_names(before->sample, after, say == HEARTBEAT_DOUBTFUL);
}

static bool is_gap(int64_t interval_ms, int64_t configured_ms)
{
	return configured_ms > 0 && (double)interval_ms > 2.5 * (double)configured_ms;
}

/* Milliseconds since the clear; -1 when nothing dates it. */
static int64_t since_clear_ms(const struct baseline *before, const struct sample *after,
			      const struct delta *waits, int64_t interval_ms)
{
	if (after->family == FAMILY_WAITS && !has_ticks(after))
		return -1;
	if (after->family == FAMILY_WAITS)
		return heartbeat_since_clear_ms(before, after, interval_ms);
	if (!waits || waits->quality != QUALITY_AFTER_CLEAR)
		return -1;
	return waits->interval_ms < interval_ms ? waits->interval_ms : interval_ms;
}

static struct verdict after_clear(const struct baseline *before, const struct sample *after,
				  const struct delta *waits, int64_t elapsed_ms)
{
	int64_t since = since_clear_ms(before, after, waits, elapsed_ms);
	return (struct verdict){
		.quality = QUALITY_AFTER_CLEAR,
		.has_rows = true,
		.has_rate = since >= CLEAR_DATED_MIN_MS,
		.interval_ms = since > 0 ? since : 0,
		.elapsed_ms = elapsed_ms,
	};
}

static struct verdict after_restart(const struct sample *before, const struct sample *after)
{
	struct verdict verdict = {
		.quality = QUALITY_AFTER_RESTART,
		.elapsed_ms = instant_elapsed_ms(&before->taken, &after->taken),
	};
	const struct epoch *epoch = &after->epoch;
	if (epoch->start_ticks < 0 || epoch->ms_ticks < epoch->start_ticks)
		return verdict;
	int64_t uptime_ms = epoch->ms_ticks - epoch->start_ticks;
	if (uptime_ms - RESTART_SLACK_MS > verdict.elapsed_ms)
		return verdict;
	verdict.has_rows = true;
	/* No longer than that, or it would cover again what the last interval covered. */
	verdict.interval_ms = uptime_ms < verdict.elapsed_ms ? uptime_ms : verdict.elapsed_ms;
	verdict.has_rate = verdict.interval_ms > 0;
	return verdict;
}

struct verdict verdict_of(const struct baseline *before, const struct sample *after,
			  const struct delta_options *options)
{
	if (!before || !before->sample)
		return (struct verdict){.quality = QUALITY_BASELINE};
	const struct sample *old = before->sample;
	if (is_other_server(&old->epoch, &after->epoch))
		return (struct verdict){
			.quality = QUALITY_AFTER_FAILOVER,
			.elapsed_ms = instant_elapsed_ms(&old->taken, &after->taken),
		};
	if (is_other_life(&old->epoch, &after->epoch))
		return after_restart(old, after);
	int64_t elapsed_ms = elapsed_within_epoch(old, after);
	if (elapsed_ms > 0 && is_cleared(before, after, elapsed_ms))
		return after_clear(before, after, options->waits, elapsed_ms);
	return (struct verdict){
		.quality = is_gap(elapsed_ms, options->configured_ms) ? QUALITY_AFTER_GAP
								      : QUALITY_EXACT,
		.has_rows = elapsed_ms > 0,
		.has_rate = elapsed_ms > 0,
		.interval_ms = elapsed_ms,
		.elapsed_ms = elapsed_ms,
	};
}
