/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of heartbeats and what they can prove. Runs in the thread that takes deltas; no state.
 *
 * A heartbeat is one background task that sleeps in cycles. The server books a wait when it ends,
 * so its counter stands still and then jumps by a whole cycle c. Over an interval I an honest
 * heartbeat of rate 1 therefore advances by more than I - c and less than I + c: with c = 5 s and
 * I = 10 s by 5, 10 or 15 s. No narrower tolerance can be asked of it, plus a tenth of I for
 * scheduling.
 *
 * That does not make it a weak witness, for its value counts, not only its advance. If the view
 * was cleared d ms after the earlier sample, the heartbeat now reads at most I - d + c (the cycle
 * in progress may be credited whole). So:
 *   - reading more than 1.1 I + c and not fallen proves that there was no clear, whatever else
 *     fell, and whatever the cycle: this is the veto, and an honest stream of a server older than
 *     the interval always has it. So does an advance within a tenth of I of one that read more
 *     than c and I / 10 before, for no clear leaves it enough time to regrow that far;
 *   - reading less than that and fallen, or advanced by less than 0.9 I - c, it was cleared; this
 *     finds a clear whose counters have regrown past their old values. The second half needs a
 *     cycle well below the interval, or it would mistake a cycle in progress for a clear.
 *   - else it is too young to tell.
 */
#include "collectors/heartbeat.h"

#include <math.h>

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
/* A heartbeat slower than this has stopped, such as the default trace's when it is switched off. */
static const double RATE_MIN_MS_PER_S = 100;
/* An advance is known to one cycle only: rates are smoothed over ten minutes, and a rate that
   starts from nothing wants an interval of several cycles. */
static const double LEARN_OVER_MS = 600000;
static const double LEARN_FIRST_CYCLES = 5;
/* From here on a cycle is short enough for a missing advance to mean something. */
static const double VOTE_CYCLES = 1.5;

static double rate_of(const double rates[HEARTBEAT_COUNT], int i)
{
	return rates[i] > 0 ? rates[i] : heartbeats[i].rate_ms_per_s;
}

/* What a heartbeat reads, in ms of wall clock; negative when it is absent. */
static double reading(const struct sample *sample, int i, double rate)
{
	const struct sample_row *row = sample_find(sample, heartbeats[i].name);
	return row ? (double)row->counters[WAITS_TIME_MS] * 1000.0 / rate : -1;
}

static enum heartbeat_say judge_one(const struct baseline *before, const struct sample *after,
				    double interval, int i)
{
	double rate = rate_of(before->heartbeat_ms_per_s, i);
	if (rate < RATE_MIN_MS_PER_S || sample_has_rejected(after, heartbeats[i].name))
		return HEARTBEAT_SILENT;
	double old = reading(before->sample, i, rate);
	if (old <= 0)
		return HEARTBEAT_SILENT;
	double now = fmax(0, reading(after, i, rate));
	double cycle = heartbeats[i].cycle_ms;
	double slack = SLACK * interval;
	bool is_fallen = now < old;
	if (now > interval + slack + cycle)
		return is_fallen ? HEARTBEAT_SILENT : HEARTBEAT_CONTINUED;
	if (fabs(now - old - interval) <= slack && old >= fmax(cycle, slack))
		return HEARTBEAT_CONTINUED;
	bool may_vote = interval >= VOTE_CYCLES * cycle;
	bool is_short = may_vote && now - old < interval - slack - cycle;
	return is_fallen || is_short ? HEARTBEAT_CLEARED : HEARTBEAT_SILENT;
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
	return cleared_count > continued_count ? HEARTBEAT_CLEARED : HEARTBEAT_CONTINUED;
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

/*
 * Each heartbeat says "within one cycle of what I read". Where all agree on some span, its middle
 * is the answer: the short cycles make it sharp. Where they do not, the median outvotes a stray.
 */
int64_t heartbeat_since_clear_ms(const double rates[HEARTBEAT_COUNT], const struct sample *after,
				 int64_t interval_ms)
{
	double readings[USED_COUNT];
	int count = 0;
	double low = 0;
	double high = (double)interval_ms;
	for (int i = 0; i < USED_COUNT; i++) {
		double rate = rate_of(rates, i);
		if (rate < RATE_MIN_MS_PER_S)
			continue;
		double now = reading(after, i, rate);
		if (now < 0)
			continue;
		readings[count++] = now;
		low = fmax(low, now - heartbeats[i].cycle_ms);
		high = fmin(high, now + heartbeats[i].cycle_ms);
	}
	if (count == 0)
		return -1;
	double since = low <= high ? (low + high) / 2 : median(readings, count);
	return since >= (double)interval_ms ? interval_ms : (int64_t)since;
}

static double learn_one(double rate, double seen, double interval,
			const struct heartbeat *heartbeat)
{
	if (rate <= 0 && interval < LEARN_FIRST_CYCLES * heartbeat->cycle_ms)
		return 0;
	if (rate <= 0)
		return seen;
	return rate + (seen - rate) * interval / (interval + LEARN_OVER_MS);
}

void heartbeat_learn(double rates[HEARTBEAT_COUNT], const struct sample *before,
		     const struct sample *after, int64_t interval_ms)
{
	if (interval_ms <= 0)
		return;
	for (int i = 0; i < USED_COUNT; i++) {
		const struct sample_row *old = sample_find(before, heartbeats[i].name);
		const struct sample_row *now = sample_find(after, heartbeats[i].name);
		if (!old || !now || now->counters[WAITS_TIME_MS] < old->counters[WAITS_TIME_MS])
			continue;
		int64_t advance = now->counters[WAITS_TIME_MS] - old->counters[WAITS_TIME_MS];
		double seen = (double)advance * 1000.0 / (double)interval_ms;
		rates[i] = learn_one(rate_of(rates, i), seen, (double)interval_ms, &heartbeats[i]);
	}
}
