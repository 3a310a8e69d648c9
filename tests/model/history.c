/* SPDX-License-Identifier: Apache-2.0 */
/* Draws, prints and shrinks histories. No clock; prints to stdout only when asked. */
#include "tests/model/history.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const step_names[STEP_KINDS] = {
	[STEP_ADVANCE] = "advance",
	[STEP_POLL] = "poll",
	[STEP_LOST_POLL] = "lost poll",
	[STEP_CLEAR] = "clear",
	[STEP_CLEAR_ALL] = "clear all views",
	[STEP_REGROW] = "regrow",
	[STEP_RESTART] = "restart",
	[STEP_MACHINE_RESTART] = "restart with its machine",
	[STEP_CLUSTER_FAILOVER] = "cluster failover",
	[STEP_GROUP_FAILOVER] = "availability group failover",
	[STEP_CLOCK] = "our clock steps",
	[STEP_LATCHD_RESTART] = "latchd restart",
	[STEP_MONITOR_REBOOT] = "reboot of the monitoring host",
	[STEP_FALL] = "a counter falls alone",
	[STEP_TOGGLE] = "a name vanishes or appears",
	[STEP_LONG_WAIT] = "a long wait begins or ends",
	[STEP_NULL] = "NULL cell",
	[STEP_NEGATIVE] = "negative cell",
	[STEP_DUPLICATE] = "two rows of one name",
	[STEP_DIP] = "a counter is read too low",
	[STEP_SIGNAL_DIP] = "a signal time is read too low",
	[STEP_PADDED] = "padded name",
};

static struct truth_setup draw_setup(struct dice *dice)
{
	static const int64_t polls_ms[] = {400,	  1000,	 1000,	5000,  10000,
					   10000, 10000, 60000, 300000};
	static const int64_t ages_ms[] = {2000, 20000, 90000, 3600000, 86400000, 2592000000};
	struct truth_setup setup = {
		.configured_ms = polls_ms[dice_below(dice, 9)],
		.age_ms = 1000 + dice_below(dice, ages_ms[dice_below(dice, 6)]),
		.numa_nodes = dice_one_in(dice, 3) ? dice_between(dice, 2, 4) : 1,
		.beat_mask = dice_one_in(dice, 3) ? (unsigned)dice_below(dice, 32) : 31,
		.stretch_tenths = dice_below(dice, 40),
		.credits_whole = dice_one_in(dice, 2),
		.has_int_backoffs = dice_one_in(dice, 4),
		.has_ticks = !dice_one_in(dice, 12),
		.has_huge_values = dice_one_in(dice, 8),
	};
	for (int i = 0; i < TRUTH_VIEWS; i++)
		setup.work_names[i] = dice_between(dice, 1, TRUTH_NAMES_MAX - TRUTH_BEATS);
	return setup;
}

static struct step *add_step(struct history *history, struct dice *dice, enum step_kind kind)
{
	struct step *step = &history->steps[history->step_count];
	*step = (struct step){
		.kind = kind,
		.view = (int)dice_below(dice, TRUTH_VIEWS),
		.name = (int)dice_below(dice, TRUTH_NAMES_MAX),
		.mask = dice_one_in(dice, 6) ? (unsigned)dice_between(dice, 1, 7) : 7,
		.salt = (uint64_t)history->step_count,
	};
	if (history->step_count < HISTORY_STEPS_MAX - 1)
		history->step_count++;
	return step;
}

static void add_advance(struct history *history, struct dice *dice, int64_t ms)
{
	add_step(history, dice, STEP_ADVANCE)->ms = ms;
}

static void add_disturbance(struct history *history, struct dice *dice)
{
	static const enum step_kind kinds[] = {
		STEP_CLEAR,	     STEP_CLEAR,     STEP_CLEAR,	   STEP_CLEAR_ALL,
		STEP_CLEAR_ALL,	     STEP_RESTART,   STEP_MACHINE_RESTART, STEP_CLUSTER_FAILOVER,
		STEP_GROUP_FAILOVER, STEP_CLOCK,     STEP_LATCHD_RESTART,  STEP_MONITOR_REBOOT,
		STEP_FALL,	     STEP_FALL,	     STEP_TOGGLE,	   STEP_LONG_WAIT,
		STEP_LONG_WAIT,	     STEP_LONG_WAIT,
	};
	static const int64_t steps_ms[] = {500, 7000, 3600000, 90000000};
	struct step *step =
		add_step(history, dice, kinds[dice_below(dice, sizeof(kinds) / sizeof(kinds[0]))]);
	step->ms = dice_below(dice, dice_one_in(dice, 4) ? 1800000 : 20000);
	step->amount = dice_between(dice, 1, 100);
	if (step->kind == STEP_CLOCK)
		step->amount =
			dice_between(dice, -1, 1) * dice_below(dice, steps_ms[dice_below(dice, 4)]);
	if (step->kind == STEP_CLEAR_ALL)
		step->view = TRUTH_WAITS;
	bool is_clear = step->kind == STEP_CLEAR || step->kind == STEP_CLEAR_ALL;
	if (is_clear && dice_one_in(dice, 2)) {
		int view = step->view;
		add_advance(history, dice, dice_below(dice, history->setup.configured_ms / 2 + 1));
		add_step(history, dice, STEP_REGROW)->view = view;
	}
}

static void add_read_fault(struct history *history, struct dice *dice)
{
	static const enum step_kind kinds[] = {STEP_NULL,      STEP_NEGATIVE,	STEP_DUPLICATE,
					       STEP_DUPLICATE, STEP_DIP,	STEP_DIP,
					       STEP_DIP,       STEP_SIGNAL_DIP, STEP_PADDED};
	struct step *step =
		add_step(history, dice, kinds[dice_below(dice, sizeof(kinds) / sizeof(kinds[0]))]);
	step->amount = dice_between(dice, 1, 1000);
}

static int64_t draw_interval(struct history *history, struct dice *dice)
{
	int64_t configured_ms = history->setup.configured_ms;
	if (dice_one_in(dice, 25))
		return dice_below(dice, INT64_C(3) * 3600 * 1000); /* an outage */
	if (dice_one_in(dice, 60))
		return 0;
	if (dice_one_in(dice, 10))
		return dice_between(dice, 1, 4 * configured_ms);
	return configured_ms - configured_ms / 50 + dice_below(dice, configured_ms / 25 + 1);
}

static void add_round(struct history *history, struct dice *dice)
{
	int64_t interval_ms = draw_interval(history, dice);
	int64_t before_ms = dice_below(dice, interval_ms + 1);
	if (dice_one_in(dice, 3)) {
		add_advance(history, dice, before_ms);
		add_disturbance(history, dice);
		interval_ms -= before_ms;
	}
	add_advance(history, dice, interval_ms);
	while (dice_one_in(dice, 4))
		add_read_fault(history, dice);
	add_step(history, dice, dice_one_in(dice, 20) ? STEP_LOST_POLL : STEP_POLL);
}

void history_draw(struct history *history, uint64_t seed, uint64_t number)
{
	struct dice dice = dice_for(seed, number);
	history->seed = seed;
	history->number = number;
	history->step_count = 0;
	history->setup = draw_setup(&dice);
	int64_t round_count = dice_between(&dice, 2, 24);
	for (int64_t i = 0; i < round_count; i++)
		add_round(history, &dice);
}

struct dice history_dice(const struct history *history, const struct step *step)
{
	return dice_for(history->seed ^ (history->number << 20), step->salt + 1);
}

void step_describe(const struct step *step, char *text, int size)
{
	static const char *const views[] = {"waits", "latches", "spinlocks"};
	snprintf(text, (size_t)size,
		 "%s: ms %" PRId64 ", view %s, name %d, amount %" PRId64 ", mask %u",
		 step_names[step->kind], step->ms, views[step->view], step->name, step->amount,
		 step->mask);
}

void history_print(const struct history *history)
{
	const struct truth_setup *setup = &history->setup;
	printf("server: polled every %" PRId64 " ms, age %" PRId64 " ms, names %" PRId64 " %" PRId64
	       " %" PRId64 ", nodes %" PRId64 ", heartbeats %x, cycles up to %" PRId64
	       " per mille longer\n        %s%s%s%s\n",
	       setup->configured_ms, setup->age_ms, setup->work_names[0], setup->work_names[1],
	       setup->work_names[2], setup->numa_nodes, setup->beat_mask, setup->stretch_tenths,
	       setup->credits_whole ? "a wait in progress at a clear counts whole; " : "",
	       setup->has_int_backoffs ? "backoffs of 32 bits; " : "",
	       setup->has_ticks ? "" : "no ticks; ",
	       setup->has_huge_values ? "values near 2^63" : "");
	for (int i = 0; i < history->step_count; i++) {
		char text[200];
		step_describe(&history->steps[i], text, sizeof(text));
		printf("  %3d %s\n", i, text);
	}
	printf("again: --seed %" PRIu64 " --history %" PRIu64 "\n", history->seed, history->number);
}

static bool drop_steps(struct history *history, int chunk,
		       bool (*fails)(const struct history *history))
{
	bool has_dropped = false;
	for (int at = 0; at < history->step_count;) {
		struct history smaller = *history;
		int end = at + chunk < history->step_count ? at + chunk : history->step_count;
		memmove(&smaller.steps[at], &smaller.steps[end],
			(size_t)(history->step_count - end) * sizeof(smaller.steps[0]));
		smaller.step_count -= end - at;
		if (fails(&smaller)) {
			*history = smaller;
			has_dropped = true;
		} else {
			at += chunk;
		}
	}
	return has_dropped;
}

/* Tries the least, a round value, then halves, each as long as it fails and is nearer to 0. */
static void lessen(struct history *history, int64_t *value, int64_t least,
		   bool (*fails)(const struct history *history))
{
	for (int attempt = 0; attempt < 3;) {
		int64_t kept = *value;
		int64_t tries[] = {least, kept - kept % 1000, kept / 2};
		*value = tries[attempt];
		if (llabs(*value) < llabs(kept) && llabs(*value) >= least && fails(history))
			continue;
		*value = kept;
		attempt++;
	}
}

void history_shrink(struct history *history, bool (*fails)(const struct history *history))
{
	for (int round = 0; round < 3; round++) {
		for (int chunk = history->step_count; chunk > 0; chunk /= 2)
			while (drop_steps(history, chunk, fails) && chunk == 1)
				continue;
		struct truth_setup *setup = &history->setup;
		for (int i = 0; i < TRUTH_VIEWS; i++)
			lessen(history, &setup->work_names[i], 1, fails);
		lessen(history, &setup->numa_nodes, 1, fails);
		lessen(history, &setup->stretch_tenths, 0, fails);
		lessen(history, &setup->age_ms, 1000, fails);
		for (int i = 0; i < history->step_count; i++) {
			lessen(history, &history->steps[i].ms, 0, fails);
			lessen(history, &history->steps[i].amount, 0, fails);
		}
	}
}
