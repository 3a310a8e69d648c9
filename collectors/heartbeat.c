/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of heartbeats and what they can prove. Runs in the thread that takes deltas; no state.
 *
 * A heartbeat is one background task that sleeps in cycles. The server books a wait when it ends,
 * so its counter stands still and then jumps by a whole cycle c. Over an interval I an honest
 * heartbeat of rate 1 therefore advances by more than I - c and less than I + c: with c = 5 s and
 * I = 10 s by 5, 10 or 15 s. No narrower tolerance can be asked of it, plus a tenth for scheduling
 * and for the error of its rate.
 *
 * That does not make it a weak witness, for its value counts, not only its advance. If the view
 * was cleared d ms after the earlier sample, the heartbeat now reads at most I - d + c (the cycle
 * in progress may be credited whole). So:
 *   - reading more than 1.1 (I + c) and not fallen proves that there was no clear, whatever else
 *     fell, and whatever the cycle: this is the veto, and an honest stream of a server older than
 *     the interval always has it;
 *   - reading less than that and fallen, or advanced by less than 0.9 I - 1.1 c, it was cleared;
 *     this finds a clear whose counters have regrown past their old values. The second half needs a
 *     cycle well below the interval, or it would mistake a cycle in progress for a clear;
 *   - else it is too young to tell.
 * Two such votes are a clear. A single one may be a counter that fell alone: it wants company.
 */
#include "collectors/heartbeat.h"

#include <math.h>

#include "collectors/verdict.h"

struct heartbeat {
	const char *name;
	double cycle_ms;
	/* Usual rate; 0 where it depends on the machine and must be learned before it says
	   anything: LAZYWRITER_SLEEP counts once per NUMA node. */
	double rate_ms_per_s;
};

/* The order is that of the rates kept with baselines: append, never reorder. Cycles and rates as
 * seen on production servers: within 0.01 % of each other. LOGMGR_QUEUE, CHECKPOINT_QUEUE and
 * XE_DISPATCHER_WAIT wander by more than a few per cent under load and are left out. */
static const struct heartbeat heartbeats[] = {
	{"REQUEST_FOR_DEADLOCK_SEARCH", 5000, 1000},
	{"XE_TIMER_EVENT", 5000, 1000},
	{"SQLTRACE_INCREMENTAL_FLUSH_SLEEP", 4000, 1000},
	{"LAZYWRITER_SLEEP", 1000, 0},
	{"DIRTY_PAGE_POLL", 100, 0},
};
enum { USED_COUNT = sizeof(heartbeats) / sizeof(heartbeats[0]) };
_Static_assert((int)USED_COUNT <= (int)HEARTBEAT_COUNT, "baselines have room for every heartbeat");

static const double SLACK = 0.1;
/* Of one task that always sleeps. */
static const double TASK_RATE_MS_PER_S = 1000;
/* An advance is known to one cycle only, so a rate is believed when it was seen over many. */
static const double LEARN_CYCLES = 20;
static const double LEARN_OVER_MS = 1800000;
/* Error of a rate that was not yet learned, and of any. */
static const double USUAL_ERROR = 0.05;
static const double LEARNED_ERROR = 0.005;
/* From here on a cycle is short enough for a missing advance to mean something. */
static const double VOTE_CYCLES = 1.5;
enum { CERTAIN_VOTES = 2 };

static bool is_learned(const struct baseline *baseline, int i)
{
	return baseline->heartbeat_learned_ms[i] >= LEARN_CYCLES * heartbeats[i].cycle_ms;
}

/*
 * 0 when it is not known or the heartbeat has stopped: it then says nothing. Nor does one that is
 * far from so many tasks that do nothing but sleep: a clear went unseen while its rate was learned.
 */
static double rate_of(const struct baseline *baseline, int i)
{
	if (!is_learned(baseline, i))
		return heartbeats[i].rate_ms_per_s;
	double rate = baseline->heartbeat_ms_per_s[i];
	double whole = round(rate / TASK_RATE_MS_PER_S) * TASK_RATE_MS_PER_S;
	bool is_whole = whole > 0 && fabs(rate - whole) <= SLACK * TASK_RATE_MS_PER_S;
	return is_whole ? rate : 0;
}

static int64_t time_of(const struct sample *sample, int i)
{
	const struct sample_row *row = sample_find(sample, heartbeats[i].name);
	return row ? row->counters[WAITS_TIME_MS] : 0;
}

int heartbeat_steady_ages(const struct sample *waits, int64_t ages_ms[HEARTBEAT_COUNT])
{
	int count = 0;
	for (int i = 0; i < USED_COUNT; i++)
		if (heartbeats[i].rate_ms_per_s > 0 && time_of(waits, i) > 0)
			ages_ms[count++] = time_of(waits, i);
	return count;
}

static enum heartbeat_say judge_one(const struct baseline *before, const struct sample *after,
				    double interval, int i)
{
	double rate = rate_of(before, i);
	int64_t old_ms = time_of(before->sample, i);
	int64_t now_ms = time_of(after, i);
	if (rate <= 0 || old_ms <= 0 || sample_has_rejected(after, heartbeats[i].name))
		return HEARTBEAT_SILENT;
	bool is_lower = now_ms < old_ms;
	if (is_lower && now_ms > 0 && counter_is_dip(old_ms, old_ms - now_ms))
		return HEARTBEAT_SILENT;
	double now = (double)now_ms * 1000.0 / rate;
	double advance = (double)(now_ms - old_ms) * 1000.0 / rate;
	double cycle = heartbeats[i].cycle_ms * (1 + SLACK);
	if (now > interval * (1 + SLACK) + cycle)
		return is_lower ? HEARTBEAT_SILENT : HEARTBEAT_CONTINUED;
	bool may_vote = interval >= VOTE_CYCLES * heartbeats[i].cycle_ms;
	bool is_short = may_vote && advance < interval * (1 - SLACK) - cycle;
	return is_lower || is_short ? HEARTBEAT_CLEARED : HEARTBEAT_SILENT;
}

enum heartbeat_say heartbeat_judge(const struct baseline *before, const struct sample *after,
				   int64_t interval_ms)
{
	int cleared_count = 0;
	int continued_count = 0;
	for (int i = 0; i < USED_COUNT; i++) {
		enum heartbeat_say say = judge_one(before, after, (double)interval_ms, i);
		cleared_count += say == HEARTBEAT_CLEARED;
		continued_count += say == HEARTBEAT_CONTINUED;
	}
	if (cleared_count == continued_count)
		return HEARTBEAT_SILENT;
	if (cleared_count < continued_count)
		return HEARTBEAT_CONTINUED;
	return cleared_count < CERTAIN_VOTES ? HEARTBEAT_DOUBTFUL : HEARTBEAT_CLEARED;
}

static double median(double *values, int count)
{
	for (int i = 1; i < count; i++)
		for (int j = i; j > 0 && values[j] < values[j - 1]; j--) {
			double value = values[j];
			values[j] = values[j - 1];
			values[j - 1] = value;
		}
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* What a heartbeat says of the time since a clear: its reading, and how far it may be off. */
struct reading {
	double ms;
	double cycle_ms;
	double error; /* of its rate */
};

static int take_readings(const struct baseline *before, const struct sample *after,
			 struct reading readings[USED_COUNT])
{
	int count = 0;
	for (int i = 0; i < USED_COUNT; i++) {
		double rate = rate_of(before, i);
		bool is_beating = time_of(before->sample, i) > 0 || time_of(after, i) > 0;
		if (rate <= 0 || !is_beating || sample_has_rejected(after, heartbeats[i].name))
			continue;
		double error = USUAL_ERROR;
		if (is_learned(before, i))
			error = LEARNED_ERROR +
				heartbeats[i].cycle_ms / before->heartbeat_learned_ms[i];
		readings[count++] = (struct reading){
			.ms = (double)time_of(after, i) * 1000.0 / rate,
			.cycle_ms = heartbeats[i].cycle_ms,
			.error = error,
		};
	}
	return count;
}

/* The middle of the span that all readings allow; false when they contradict each other. */
static bool find_agreement(const struct reading *readings, int count, double interval, bool is_wide,
			   double *since)
{
	double low = 0;
	double high = interval;
	for (int i = 0; i < count; i++) {
		double cycle = readings[i].cycle_ms * (is_wide ? 1 + SLACK : 1);
		double error = is_wide ? readings[i].error : 0;
		low = fmax(low, readings[i].ms * (1 - error) - cycle);
		high = fmin(high, readings[i].ms * (1 + error) + cycle);
	}
	*since = (low + high) / 2;
	return low <= high;
}

/*
 * Each heartbeat says "within one cycle of what I read". Where all agree on some span, its middle
 * is the answer: the short cycles make it sharp. Where they do not even with the errors of their
 * rates, the median outvotes a stray.
 */
int64_t heartbeat_since_clear_ms(const struct baseline *before, const struct sample *after,
				 int64_t interval_ms)
{
	struct reading readings[USED_COUNT];
	double values[USED_COUNT];
	double interval = (double)interval_ms;
	double since;
	int count = take_readings(before, after, readings);
	if (count == 0)
		return -1;
	for (int i = 0; i < count; i++)
		values[i] = readings[i].ms;
	if (!find_agreement(readings, count, interval, false, &since) &&
	    !find_agreement(readings, count, interval, true, &since))
		since = median(values, count);
	return since >= interval ? interval_ms : (int64_t)since;
}

void heartbeat_keep(struct baseline *next, const struct baseline *before)
{
	for (int i = 0; i < HEARTBEAT_COUNT; i++) {
		next->heartbeat_ms_per_s[i] = before->heartbeat_ms_per_s[i];
		next->heartbeat_learned_ms[i] = before->heartbeat_learned_ms[i];
	}
}

/* What was learned is doubted when it does not fit: the counter fell and regrew, or the machine has
 * other nodes since a restart. */
static void learn_one(struct baseline *next, int i, double advance_ms, double interval)
{
	double *over_ms = &next->heartbeat_learned_ms[i];
	double expected = rate_of(next, i) * interval / 1000.0;
	double slack = (interval * SLACK + heartbeats[i].cycle_ms * (1 + SLACK)) *
		       fmax(1, rate_of(next, i) / 1000.0);
	if (expected > 0 && advance_ms > 0 && fabs(advance_ms - expected) > slack) {
		*over_ms /= 2;
		return;
	}
	double *rate = &next->heartbeat_ms_per_s[i];
	double whole_ms = *over_ms + interval;
	*rate = (*rate * *over_ms + advance_ms * 1000.0) / whole_ms;
	*over_ms = fmin(whole_ms, LEARN_OVER_MS);
}

/* No clear can have gone unseen, as far as any heartbeat could tell. */
static bool is_sure(const struct baseline *before, const struct sample *after, int64_t interval_ms)
{
	bool has_known = false;
	for (int i = 0; i < USED_COUNT; i++)
		has_known |= rate_of(before, i) > 0 && time_of(after, i) > 0;
	return !has_known || heartbeat_judge(before, after, interval_ms) == HEARTBEAT_CONTINUED;
}

void heartbeat_learn(struct baseline *next, const struct baseline *before,
		     const struct sample *after, int64_t interval_ms, bool is_exact)
{
	bool may_learn = is_exact && is_sure(before, after, interval_ms);
	for (int i = 0; i < USED_COUNT; i++) {
		const struct sample_row *old = sample_find(before->sample, heartbeats[i].name);
		const struct sample_row *now = sample_find(after, heartbeats[i].name);
		double since_ms = before->heartbeat_unread_ms[i] + (double)interval_ms;
		if (sample_has_rejected(after, heartbeats[i].name))
			next->heartbeat_unread_ms[i] = since_ms;
		else if (may_learn && old && now &&
			 now->counters[WAITS_TIME_MS] >= old->counters[WAITS_TIME_MS])
			learn_one(next, i,
				  (double)(now->counters[WAITS_TIME_MS] -
					   old->counters[WAITS_TIME_MS]),
				  since_ms);
	}
}
