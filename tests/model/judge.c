/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict on an interval, from the side of the truth; see the header. No state. */
#include "tests/model/judge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/model/judge_name.h"

#define BIT(quality) (1U << (quality))

enum {
	START_WANDERS_MS = 1000,
	RESTART_SLACK_MS = 5000,
	DATED_FROM_MS = 5000,
	STEADY_BEATS = 3, /* the first of the table: of known rate from the beginning */
	SMALL_VIEW = 8,
	SLOWEST_CYCLE_MS = 5000,
};

static const struct truth_view *view_of(const struct judgement *judgement)
{
	return &judgement->reading->instance->views[judgement->reading->view];
}

static int64_t now_ticks(const struct judgement *judgement)
{
	return judgement->truth->now_ms - judgement->reading->instance->booted_ms;
}

static int64_t elapsed_here(const struct judgement *judgement)
{
	const struct memory *memory = judgement->memory;
	if (memory->boot == judgement->boot)
		return judgement->taken.mono_ms - memory->taken.mono_ms;
	int64_t elapsed_ms = judgement->taken.utc_ms - memory->taken.utc_ms;
	return elapsed_ms > 0 ? elapsed_ms : 0;
}

static bool is_same_life(const struct judgement *judgement)
{
	const struct memory *memory = judgement->memory;
	return memory->instance == judgement->truth->serving &&
	       memory->node == judgement->reading->instance->node &&
	       memory->life == judgement->reading->instance->life;
}

/* Since the last reading, as it can be known here. */
static int64_t elapsed_ms(const struct judgement *judgement)
{
	if (judgement->truth->setup.has_ticks)
		return now_ticks(judgement) - judgement->memory->ms_ticks;
	return elapsed_here(judgement);
}

static bool life_is_provable(const struct judgement *judgement)
{
	const struct memory *memory = judgement->memory;
	const struct truth_instance *instance = judgement->reading->instance;
	int64_t start_ticks = instance->started_ms - instance->booted_ms;
	if (!judgement->truth->setup.has_ticks)
		return false;
	return memory->process_id != instance->process_id ||
	       llabs(start_ticks - memory->start_ticks) > START_WANDERS_MS ||
	       now_ticks(judgement) < memory->ms_ticks;
}

/* A heartbeat of known rate that had counted for so long that no clear could hide from it. */
static bool beat_is_old(const struct judgement *judgement, int beat)
{
	unsigned mask = judgement->truth->setup.beat_mask;
	if (!judgement->truth->setup.has_ticks || !(mask & 1U << beat))
		return false;
	int name = 0;
	for (int i = 0; i < beat; i++)
		name += (mask & 1U << i) != 0;
	const struct memory_name *old = &judgement->memory->names[name];
	if (old->knowledge != NAME_KNOWN || judgement->reading->names[name].is_rejected)
		return false;
	int64_t enough_ms = elapsed_ms(judgement) * 13 / 10 + 2 * truth_beat_cycle_ms(beat) + 1000;
	return old->counters[1] > enough_ms;
}

static int old_beat_count(const struct judgement *judgement)
{
	int count = 0;
	for (int beat = 0; beat < STEADY_BEATS; beat++)
		count += beat_is_old(judgement, beat);
	return count;
}

static bool has_halved(int view, const struct memory_name *old, const struct reading_name *now)
{
	for (int c = 0; c < TRUTH_COUNTERS; c++) {
		int64_t fall = old->counters[c] - now->counters[c];
		if (counter_is_witness(view, c) && fall > now->counters[c] &&
		    !fall_is_dip(old->counters[c], fall))
			return true;
	}
	return false;
}

static bool clear_is_provable(const struct judgement *judgement)
{
	const struct reading *reading = judgement->reading;
	int halved_count = 0;
	int max_fell_count = 0;
	for (int i = 0; i < view_of(judgement)->name_count; i++) {
		const struct memory_name *old = &judgement->memory->names[i];
		const struct reading_name *now = &reading->names[i];
		if (old->knowledge != NAME_KNOWN || now->is_rejected)
			continue;
		halved_count += has_halved(reading->view, old, now);
		max_fell_count += now->max_ms < old->max_ms;
	}
	if (halved_count >= 2 || max_fell_count >= 2)
		return true;
	return reading->view == TRUTH_WAITS && old_beat_count(judgement) >= 2;
}

static bool is_zero(const struct memory_name *name)
{
	int64_t any = name->max_ms;
	for (int c = 0; c < TRUTH_COUNTERS; c++)
		any |= name->counters[c];
	return any == 0;
}

/* Falls by themselves that look like a clear. */
static bool falls_are_ambiguous(const struct judgement *judgement)
{
	const struct reading *reading = judgement->reading;
	int beat_count = 0;
	for (int beat = 0; beat < TRUTH_BEATS && judgement->truth->setup.has_ticks; beat++)
		beat_count += (judgement->truth->setup.beat_mask & 1U << beat) != 0;
	int fell_count = 0;
	int beat_fell_count = 0;
	int name_count = 0;
	for (int i = 0; i < view_of(judgement)->name_count; i++) {
		const struct memory_name *old = &judgement->memory->names[i];
		bool has_fallen = old->knowledge == NAME_KNOWN &&
				  (old->fall_count != view_of(judgement)->names[i].fall_count ||
				   old->clear_count != view_of(judgement)->clear_count ||
				   old->life != reading->instance->life);
		name_count += old->knowledge == NAME_KNOWN && !is_zero(old);
		fell_count += has_fallen;
		beat_fell_count += has_fallen && i < beat_count;
	}
	bool is_veto =
		reading->view == TRUTH_WAITS && old_beat_count(judgement) > 2 * beat_fell_count;
	return !is_veto && (fell_count >= 2 || (fell_count > 0 && name_count <= SMALL_VIEW &&
						2 * fell_count >= name_count));
}

static unsigned allowed_qualities(const struct judgement *judgement)
{
	const struct memory *memory = judgement->memory;
	if (!memory->is_set)
		return BIT(QUALITY_BASELINE);
	if (memory->instance != judgement->truth->serving ||
	    memory->node != judgement->reading->instance->node)
		return BIT(QUALITY_AFTER_FAILOVER);
	int64_t configured_ms = judgement->truth->setup.configured_ms;
	bool is_gap = 2 * elapsed_ms(judgement) > 5 * configured_ms;
	unsigned steady = BIT(is_gap ? QUALITY_AFTER_GAP : QUALITY_EXACT);
	if (!is_same_life(judgement))
		return life_is_provable(judgement) ? BIT(QUALITY_AFTER_RESTART)
						   : steady | BIT(QUALITY_AFTER_CLEAR);
	if (elapsed_ms(judgement) <= 0)
		return BIT(QUALITY_EXACT);
	if (memory->clear_count != view_of(judgement)->clear_count)
		return BIT(QUALITY_AFTER_CLEAR) | (clear_is_provable(judgement) ? 0 : steady);
	return steady | (falls_are_ambiguous(judgement) ? BIT(QUALITY_AFTER_CLEAR) : 0);
}

static void tell(const struct judgement *judgement, const char *what, int64_t got, int64_t want)
{
	if (!judgement->fault[0])
		snprintf(judgement->fault, FAULT_SIZE, "%s, %s: got %" PRId64 ", want %" PRId64,
			 quality_name(judgement->delta->quality), what, got, want);
}

static int64_t dating_tolerance_ms(const struct judgement *judgement, int64_t since_ms)
{
	int64_t stretch_ms = SLOWEST_CYCLE_MS * judgement->truth->setup.stretch_tenths / 1000;
	return SLOWEST_CYCLE_MS + stretch_ms + since_ms / 10;
}

/* A heartbeat that could be read now and whose rate is known from the beginning. */
static bool has_steady_beat(const struct judgement *judgement)
{
	unsigned mask = judgement->truth->setup.beat_mask;
	int name = 0;
	for (int beat = 0; beat < STEADY_BEATS && judgement->truth->setup.has_ticks; beat++) {
		if (!(mask & 1U << beat))
			continue;
		if (judgement->reading->view != TRUTH_WAITS ||
		    !judgement->reading->names[name].is_rejected)
			return true;
		name++;
	}
	return false;
}

static void judge_date(const struct judgement *judgement)
{
	const struct delta *delta = judgement->delta;
	const struct truth_instance *instance = judgement->reading->instance;
	const struct truth_view *waits = &instance->views[TRUTH_WAITS];
	int64_t since_ms = judgement->truth->now_ms - view_of(judgement)->cleared_ms;
	int64_t tolerance_ms = dating_tolerance_ms(judgement, since_ms);
	bool is_waits = judgement->reading->view == TRUTH_WAITS;
	bool is_true = is_same_life(judgement) &&
		       judgement->memory->clear_count != view_of(judgement)->clear_count;
	if (delta->has_rate && delta->interval_ms < DATED_FROM_MS)
		tell(judgement, "rate of a clear dated under", delta->interval_ms, DATED_FROM_MS);
	if (!is_waits && (!judgement->waits || judgement->waits->quality != QUALITY_AFTER_CLEAR) &&
	    (delta->has_rate || delta->interval_ms != 0))
		tell(judgement, "date that nothing gave", delta->interval_ms, 0);
	for (int i = 0; i < waits->name_count; i++)
		if (waits->names[i].busy == 0 && waits->names[i].fall_count > 0)
			return;
	bool is_datable = has_steady_beat(judgement);
	bool is_comparable = is_datable && is_true &&
			     (is_waits || waits->cleared_ms == view_of(judgement)->cleared_ms);
	if (is_comparable && delta->has_rate && llabs(delta->interval_ms - since_ms) > tolerance_ms)
		tell(judgement, "date of the clear", delta->interval_ms, since_ms);
	if (is_true && is_waits && is_datable && !delta->has_rate &&
	    since_ms > DATED_FROM_MS + tolerance_ms)
		tell(judgement, "a clear without rate so long ago", 0, since_ms);
}

static void judge_restart(const struct judgement *judgement, bool *has_rows)
{
	const struct delta *delta = judgement->delta;
	const struct truth_instance *instance = judgement->reading->instance;
	int64_t here_ms = elapsed_here(judgement);
	int64_t uptime_ms = judgement->truth->now_ms - instance->started_ms;
	int64_t want_ms = uptime_ms < here_ms ? uptime_ms : here_ms;
	int64_t since_ms = judgement->truth->now_ms - view_of(judgement)->cleared_ms;
	*has_rows = uptime_ms <= here_ms + RESTART_SLACK_MS;
	if (!*has_rows)
		want_ms = 0;
	bool was_cleared = since_ms < uptime_ms;
	bool is_right =
		delta->interval_ms == want_ms ||
		(was_cleared && delta->interval_ms < want_ms &&
		 llabs(delta->interval_ms - since_ms) <= dating_tolerance_ms(judgement, since_ms));
	if (!is_right)
		tell(judgement, "covered time", delta->interval_ms, want_ms);
}

static void judge_time(const struct judgement *judgement, bool *has_rows)
{
	const struct delta *delta = judgement->delta;
	enum quality quality = delta->quality;
	bool is_other = quality == QUALITY_AFTER_RESTART || quality == QUALITY_AFTER_FAILOVER;
	int64_t since_ms = quality == QUALITY_BASELINE ? 0
			   : is_other		       ? elapsed_here(judgement)
						       : elapsed_ms(judgement);
	*has_rows = false;
	if (delta->elapsed_ms != since_ms)
		tell(judgement, "elapsed time", delta->elapsed_ms, since_ms);
	if (delta->interval_ms > since_ms || delta->interval_ms < 0)
		tell(judgement, "covered time before the last reading", delta->interval_ms,
		     since_ms);
	if (delta->has_rate && delta->interval_ms <= 0)
		tell(judgement, "rate without covered time", 1, 0);
	if (quality == QUALITY_AFTER_RESTART) {
		judge_restart(judgement, has_rows);
	} else if (quality == QUALITY_AFTER_CLEAR) {
		*has_rows = true;
		judge_date(judgement);
	} else if (quality == QUALITY_EXACT || quality == QUALITY_AFTER_GAP) {
		*has_rows = since_ms > 0;
		if (delta->interval_ms != since_ms || delta->has_rate != (since_ms > 0))
			tell(judgement, "covered time", delta->interval_ms, since_ms);
	} else if (delta->interval_ms != 0 || delta->has_rate) {
		tell(judgement, "covered time", delta->interval_ms, 0);
	}
}

static bool starts_from_zero(enum quality quality)
{
	return quality == QUALITY_AFTER_RESTART || quality == QUALITY_AFTER_CLEAR;
}

void judge_delta(const struct judgement *judgement)
{
	const struct delta *delta = judgement->delta;
	unsigned allowed = allowed_qualities(judgement);
	bool has_rows;
	if (!(allowed & BIT(delta->quality)))
		tell(judgement, "quality", delta->quality, __builtin_ctz(allowed));
	judge_time(judgement, &has_rows);
	if (delta->end_utc_ms != judgement->taken.utc_ms)
		tell(judgement, "end", delta->end_utc_ms, judgement->taken.utc_ms);
	if (!has_rows && delta->row_count > 0)
		tell(judgement, "rows", (int64_t)delta->row_count, 0);
	bool is_doubtful = delta->quality == QUALITY_AFTER_CLEAR &&
			   judgement->memory->clear_count == view_of(judgement)->clear_count &&
			   is_same_life(judgement);
	if (is_doubtful)
		judge_open_accounts(judgement, true);
	if (has_rows && !judgement->fault[0] && !is_doubtful)
		judge_names(judgement, starts_from_zero(delta->quality));
	bool is_baseline = !has_rows && delta->quality != QUALITY_EXACT;
	if (has_rows || is_baseline)
		judge_open_accounts(judgement, is_baseline);
}

static void remember_names(const struct judgement *judgement, struct memory *memory)
{
	enum quality quality = judgement->delta->quality;
	bool has_old = quality == QUALITY_EXACT || quality == QUALITY_AFTER_GAP;
	struct memory_name names[TRUTH_NAMES_MAX] = {0};
	for (int i = 0; i < view_of(judgement)->name_count; i++) {
		struct expected ignored;
		judge_believe(judgement, i, !has_old, &ignored, &names[i]);
	}
	memcpy(memory->names, names, sizeof(names));
}

void judge_remember(const struct judgement *judgement, struct memory *memory)
{
	const struct truth_instance *instance = judgement->reading->instance;
	if (judgement->delta->quality == QUALITY_EXACT && elapsed_ms(judgement) <= 0)
		return;
	remember_names(judgement, memory);
	memory->is_set = true;
	memory->instance = judgement->truth->serving;
	memory->node = instance->node;
	memory->life = instance->life;
	memory->process_id = instance->process_id;
	memory->start_ticks = instance->started_ms - instance->booted_ms;
	memory->ms_ticks = now_ticks(judgement);
	memory->at_ms = judgement->truth->now_ms;
	memory->clear_count = view_of(judgement)->clear_count;
	memory->taken = judgement->taken;
	memory->boot = judgement->boot;
}
