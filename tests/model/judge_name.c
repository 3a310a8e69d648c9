/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a delta must say of each name, and what is to be remembered of it. Written from the design,
 * not from the product. No state.
 */
#include "tests/model/judge_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { COUNT, TIME, SIGNAL };
enum { BACKOFFS = 3, DIP_MOST = 10, DIP_PARTS = 1000, LATE_FROM_MS = 200 };

static int counter_count(int view)
{
	static const int counts[TRUTH_VIEWS] = {3, 2, 4};
	return counts[view];
}

/* Counters that fall by themselves and take no other with them; -1 none. */
static int loose_counter(int view)
{
	static const int counters[TRUTH_VIEWS] = {SIGNAL, -1, BACKOFFS};
	return counters[view];
}

bool fall_is_dip(int64_t old, int64_t fall)
{
	int64_t most = old / DIP_PARTS > DIP_MOST ? old / DIP_PARTS : DIP_MOST;
	return fall <= most;
}

bool counter_is_witness(int view, int counter)
{
	return counter < counter_count(view) && counter != loose_counter(view);
}

enum motion { ROSE, DIPPED, FELL };

static bool is_all_zero(int view, const int64_t counters[TRUTH_COUNTERS], int64_t max_ms)
{
	int64_t any = max_ms;
	for (int i = 0; i < counter_count(view); i++)
		any |= counters[i];
	return any == 0;
}

static enum motion motion_of(int view, const struct memory_name *old,
			     const struct reading_name *now)
{
	enum motion motion = ROSE;
	for (int i = 0; i < counter_count(view); i++) {
		int64_t fall = old->counters[i] - now->counters[i];
		if (!counter_is_witness(view, i) || fall <= 0)
			continue;
		if (!fall_is_dip(old->counters[i], fall))
			return FELL;
		motion = DIPPED;
	}
	bool is_reset = now->max_ms < old->max_ms || is_all_zero(view, now->counters, now->max_ms);
	return motion == DIPPED && is_reset ? FELL : motion;
}

static void take_loose(int view, const struct memory_name *old, const struct reading_name *now,
		       struct expected *expected, struct memory_name *next)
{
	int loose = loose_counter(view);
	if (loose < 0)
		return;
	int64_t fall = old->counters[loose] - now->counters[loose];
	if (fall > 0) {
		bool is_dip = fall_is_dip(old->counters[loose], fall);
		expected->counters[loose] = 0;
		expected->flags |= is_dip ? DELTA_JITTER : DELTA_ANOMALY;
		if (is_dip)
			next->counters[loose] = old->counters[loose];
	} else if (view == TRUTH_WAITS && expected->counters[SIGNAL] > expected->counters[TIME]) {
		expected->counters[SIGNAL] = expected->counters[TIME];
		expected->flags |= DELTA_CLAMPED;
	}
}

static struct memory_name known(const struct reading_name *now, const struct truth_name *name)
{
	struct memory_name next = {
		.knowledge = NAME_KNOWN,
		.max_ms = now->max_ms,
		.fall_count = name->fall_count,
		.is_exact = now->is_exact,
	};
	memcpy(next.counters, now->counters, sizeof(next.counters));
	memcpy(next.done, name->done, sizeof(next.done));
	return next;
}

/* is_other_count: the counter began anew since, whether that could be seen or not. */
static void believe_change(int view, const struct memory_name *old, const struct reading_name *now,
			   bool is_other_count, struct expected *expected, struct memory_name *next)
{
	expected->is_counted = true;
	enum motion motion = motion_of(view, old, now);
	if (motion == DIPPED) {
		int64_t max_ms = next->max_ms;
		*next = *old;
		next->max_ms = max_ms;
		next->is_exact = old->is_exact && !is_other_count;
		expected->flags = DELTA_JITTER;
	} else if (motion == FELL) {
		expected->flags = DELTA_ANOMALY;
		for (int i = 0; i < counter_count(view); i++) {
			int64_t fall = old->counters[i] - now->counters[i];
			if (fall > 0 && now->counters[i] > 0 &&
			    fall_is_dip(old->counters[i], fall)) {
				next->counters[i] = old->counters[i];
				next->is_exact = false;
			}
		}
	} else {
		for (int i = 0; i < counter_count(view); i++)
			expected->counters[i] = now->counters[i] - old->counters[i];
		take_loose(view, old, now, expected, next);
	}
}

void judge_believe(const struct judgement *judgement, int i, bool from_zero,
		   struct expected *expected, struct memory_name *next)
{
	const struct reading *reading = judgement->reading;
	const struct reading_name *now = &reading->names[i];
	struct memory_name old = judgement->memory->names[i];
	if (from_zero)
		old = (struct memory_name){.knowledge = NAME_ABSENT};
	const struct truth_view *view = &reading->instance->views[reading->view];
	bool is_other_count = old.clear_count != view->clear_count ||
			      old.life != reading->instance->life ||
			      old.fall_count != view->names[i].fall_count;
	*expected = (struct expected){0};
	if (now->is_rejected) {
		*next = old;
		next->is_exact = old.is_exact && !is_other_count;
		/* What was absent is known to be 0, unless nothing is known of this life yet. */
		if (from_zero)
			*next = (struct memory_name){.knowledge = NAME_UNKNOWN};
		return;
	}
	*next = known(now, &view->names[i]);
	next->clear_count = view->clear_count;
	next->life = reading->instance->life;
	next->at_ms = judgement->truth->now_ms;
	if (old.knowledge != NAME_UNKNOWN)
		believe_change(reading->view, &old, now, is_other_count, expected, next);
	if (!now->is_there)
		*next = (struct memory_name){.knowledge = NAME_ABSENT};
}

static const struct delta_row *find_row(const struct delta *delta, const char *name)
{
	for (size_t i = 0; i < delta->row_count; i++)
		if (strcmp(delta->rows[i].name, name) == 0)
			return &delta->rows[i];
	return NULL;
}

static void tell(const struct judgement *judgement, const char *name, const char *what, int64_t got,
		 int64_t want)
{
	if (!judgement->fault[0])
		snprintf(judgement->fault, FAULT_SIZE,
			 "%s, %s of %s: got %" PRId64 ", want %" PRId64,
			 quality_name(judgement->delta->quality), what, name, got, want);
}

/* Where nothing disturbed the reads, a difference is the true work, by the truth's own account. */
static void judge_against_truth(const struct judgement *judgement, int i,
				const struct delta_row *row)
{
	const struct reading *reading = judgement->reading;
	const struct truth_name *name = &reading->instance->views[reading->view].names[i];
	const struct memory_name *old = &judgement->memory->names[i];
	bool is_clean = old->knowledge == NAME_KNOWN && old->is_exact && name->is_there &&
			reading->names[i].is_exact && !reading->names[i].is_rejected &&
			old->fall_count == name->fall_count;
	for (int c = 0; is_clean && c < counter_count(reading->view); c++) {
		int64_t want = name->done[c] - old->done[c];
		int64_t got = row ? row->counters[c] : 0;
		if (c != loose_counter(reading->view) && got != want)
			tell(judgement, name->text, "true work", got, want);
	}
}

static void judge_late(const struct judgement *judgement, int i, const struct delta_row *row)
{
	const struct reading *reading = judgement->reading;
	const struct truth_name *name = &reading->instance->views[reading->view].names[i];
	const struct memory_name *old = &judgement->memory->names[i];
	const struct reading_name *now = &reading->names[i];
	bool is_late = row && row->flags & DELTA_LATE;
	int64_t interval_ms = judgement->delta->interval_ms;
	bool is_beat = reading->view == TRUTH_WAITS && name->busy == 0;
	bool is_clean = old->knowledge == NAME_KNOWN && old->is_exact && now->is_exact &&
			now->is_there && !now->is_rejected && old->fall_count == name->fall_count;
	if (!is_clean || old->at_ms != judgement->memory->at_ms || interval_ms <= LATE_FROM_MS ||
	    name->longest_ended_ms == INT64_MAX)
		return;
	bool has_ended = name->longest_ended_ms > judgement->memory->at_ms;
	if (has_ended && name->longest_ms > interval_ms && now->max_ms > old->max_ms && !is_late)
		tell(judgement, name->text, "late", 0, 1);
	bool may_have_ended = name->longest_ended_ms >= judgement->memory->at_ms;
	if (is_late && !may_have_ended && !is_beat)
		tell(judgement, name->text, "late", 1, 0);
}

static void judge_name(const struct judgement *judgement, int i, bool from_zero,
		       const struct expected *expected)
{
	const struct reading *reading = judgement->reading;
	const struct truth_name *name = &reading->instance->views[reading->view].names[i];
	const struct delta_row *row = find_row(judgement->delta, name->text);
	static const struct delta_row none;
	const struct delta_row *got = row ? row : &none;
	if (row && !expected->is_counted)
		tell(judgement, name->text, "a row", 1, 0);
	for (int c = 0; c < TRUTH_COUNTERS; c++) {
		if (got->counters[c] < 0)
			tell(judgement, name->text, "sign", got->counters[c], 0);
		if (got->counters[c] != expected->counters[c])
			tell(judgement, name->text, "counter", got->counters[c],
			     expected->counters[c]);
	}
	if ((got->flags & ~(unsigned)DELTA_LATE) != expected->flags)
		tell(judgement, name->text, "flags", got->flags, expected->flags);
	if (!from_zero &&
	    judgement->memory->clear_count == reading->instance->views[reading->view].clear_count &&
	    judgement->memory->life == reading->instance->life && expected->flags == 0 &&
	    expected->is_counted) {
		judge_against_truth(judgement, i, row);
		judge_late(judgement, i, row);
	}
}

/* Nothing is invented: over the whole history no more than what was truly done. */
static void judge_account(const struct judgement *judgement, int i)
{
	const struct reading *reading = judgement->reading;
	const struct truth_name *name = &reading->instance->views[reading->view].names[i];
	const struct delta_row *row = find_row(judgement->delta, name->text);
	struct account *account = &judgement->accounts[i];
	if (!row || !account->is_open)
		return;
	for (int c = 0; c < counter_count(reading->view); c++) {
		account->stored[c] += row->counters[c];
		if (account->stored[c] > name->done[c] - account->start[c])
			tell(judgement, name->text, "sum of all", account->stored[c],
			     name->done[c] - account->start[c]);
	}
}

void judge_names(const struct judgement *judgement, bool from_zero)
{
	const struct delta *delta = judgement->delta;
	const struct reading *reading = judgement->reading;
	int64_t jitter_count = 0;
	int64_t anomaly_count = 0;
	size_t known_count = 0;
	int name_count = reading->instance->views[reading->view].name_count;
	for (int i = 0; i < name_count; i++) {
		struct expected expected;
		struct memory_name next;
		judge_believe(judgement, i, from_zero, &expected, &next);
		judge_name(judgement, i, from_zero, &expected);
		judge_account(judgement, i);
		jitter_count += (expected.flags & DELTA_JITTER) != 0;
		anomaly_count += (expected.flags & DELTA_ANOMALY) != 0;
		known_count +=
			find_row(delta, reading->instance->views[reading->view].names[i].text) !=
			NULL;
	}
	if (delta->jitter_count != jitter_count)
		tell(judgement, "the view", "jitter count", delta->jitter_count, jitter_count);
	if (delta->anomaly_count != anomaly_count)
		tell(judgement, "the view", "anomaly count", delta->anomaly_count, anomaly_count);
	if (delta->row_count != known_count)
		tell(judgement, "the view", "rows", (int64_t)delta->row_count,
		     (int64_t)known_count);
}

/* An account begins with the first reading of a name, and where a clear was believed that may have
 * been none. */
void judge_open_accounts(const struct judgement *judgement, bool is_anew)
{
	const struct reading *reading = judgement->reading;
	const struct truth_view *view = &reading->instance->views[reading->view];
	for (int i = 0; i < view->name_count; i++) {
		struct account *account = &judgement->accounts[i];
		const struct reading_name *now = &reading->names[i];
		const struct memory_name *old = &judgement->memory->names[i];
		struct expected expected;
		struct memory_name next;
		judge_believe(judgement, i, false, &expected, &next);
		bool has_fallen = expected.flags & DELTA_ANOMALY;
		bool is_first = !account->is_open || old->knowledge == NAME_UNKNOWN ||
				(has_fallen && !now->is_exact);
		if ((!is_first && !is_anew) || now->is_rejected)
			continue;
		*account = (struct account){.is_open = true};
		for (int c = 0; c < TRUTH_COUNTERS; c++) {
			bool is_wrapped =
				truth_shown(&view->names[i], c) - now->counters[c] > INT32_MAX;
			account->start[c] = view->names[i].gone[c] + now->counters[c];
			if (!now->is_there || is_wrapped)
				account->start[c] = view->names[i].done[c];
		}
	}
}
