/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How surely clears are found and dated: `clears [--clears N] [--polls N]` prints the figures for
 * polls each 1, 10 and 60 s and fails below what is promised: 99 % of the clears found whose
 * counters regrew past their old values within the interval, 95 % dated within 5 s (or one poll if
 * that is shorter), no clear found in polls that had none. Servers with random nodes, absent
 * heartbeats (two of those of known rate are always there), phases and stretched cycles; a new one
 * every twenty clears. Clears are at least ten polls apart: right after another one the slow
 * heartbeats have nothing to lose yet. One thread; no clock.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/delta.h"
#include "tests/model/reading.h"

enum { CLEARS_PER_SERVER = 20, POLLS_PER_SERVER = 2000, QUIET_POLLS = 10, DATED_WITHIN_MS = 5000 };

struct tally {
	int64_t clear_count;
	int64_t found_count;
	int64_t dated_count;
	int64_t poll_count;
	int64_t false_count;
};

struct watch {
	struct truth truth;
	struct baseline *baseline;
	struct dice dice;
	int64_t interval_ms;
};

static struct truth_setup draw_setup(struct dice *dice, int64_t interval_ms)
{
	static const unsigned known[] = {3, 5, 6, 7, 7, 7};
	return (struct truth_setup){
		.configured_ms = interval_ms,
		.age_ms = 300000 + dice_below(dice, 86400000),
		.work_names = {11, 1, 1},
		.numa_nodes = dice_between(dice, 1, 4),
		.beat_mask = known[dice_below(dice, 6)] | (unsigned)dice_below(dice, 4) << 3,
		.stretch_tenths = dice_below(dice, 40),
		.credits_whole = dice_one_in(dice, 2),
		.has_ticks = true,
	};
}

static enum quality poll(struct watch *watch, int64_t *covered_ms)
{
	struct reading reading;
	struct truth *truth = &watch->truth;
	struct instant taken = {.mono_ms = truth->now_ms, .utc_ms = truth->now_ms};
	reading_take(&reading, truth, TRUTH_WAITS, NULL, 0);
	CLEANUP(sample_freep)
	struct sample *sample = reading_sample(&reading, truth, taken, NULL, 0);
	struct delta_options options = {.configured_ms = watch->interval_ms};
	struct baseline *next;
	CLEANUP(delta_freep)
	struct delta *delta = delta_between(watch->baseline, sample, &options, &next);
	baseline_free(watch->baseline);
	watch->baseline = next;
	*covered_ms = delta->interval_ms;
	return delta->quality;
}

static void advance(struct watch *watch, int64_t ms)
{
	truth_advance(&watch->truth, ms, watch->dice);
	watch->dice.state++;
}

static int64_t draw_interval(struct watch *watch)
{
	int64_t interval_ms = watch->interval_ms;
	return interval_ms - interval_ms / 50 + dice_below(&watch->dice, interval_ms / 25 + 1);
}

static void watch_begin(struct watch *watch, struct dice *dice, int64_t interval_ms)
{
	*watch = (struct watch){.dice = *dice, .interval_ms = interval_ms};
	dice->state++;
	struct truth_setup setup = draw_setup(&watch->dice, interval_ms);
	truth_init(&watch->truth, &setup, watch->dice);
	int64_t ignored;
	(void)poll(watch, &ignored);
}

static void poll_clean(struct watch *watch, struct tally *tally, int64_t count)
{
	for (int64_t i = 0; i < count; i++) {
		int64_t ignored;
		advance(watch, draw_interval(watch));
		tally->false_count += poll(watch, &ignored) == QUALITY_AFTER_CLEAR;
		tally->poll_count++;
	}
}

static void clear_once(struct watch *watch, struct tally *tally)
{
	int64_t length_ms = draw_interval(watch);
	int64_t before_ms = dice_below(&watch->dice, length_ms);
	advance(watch, before_ms);
	truth_clear(&watch->truth, TRUTH_WAITS);
	truth_regrow(&watch->truth, TRUTH_WAITS, watch->dice);
	advance(watch, length_ms - before_ms);
	int64_t covered_ms;
	enum quality quality = poll(watch, &covered_ms);
	int64_t within_ms = length_ms < DATED_WITHIN_MS ? length_ms : DATED_WITHIN_MS;
	bool is_found = quality == QUALITY_AFTER_CLEAR;
	tally->clear_count++;
	tally->found_count += is_found;
	tally->dated_count += is_found && llabs(covered_ms - (length_ms - before_ms)) <= within_ms;
}

static bool measure(int64_t interval_ms, int64_t clear_count, int64_t poll_count)
{
	struct tally tally = {0};
	struct dice dice = dice_for(1, (uint64_t)interval_ms);
	while (tally.clear_count < clear_count || tally.poll_count < poll_count) {
		struct watch watch;
		watch_begin(&watch, &dice, interval_ms);
		for (int i = 0; i < CLEARS_PER_SERVER && tally.clear_count < clear_count; i++) {
			poll_clean(&watch, &tally, dice_between(&watch.dice, QUIET_POLLS, 40));
			clear_once(&watch, &tally);
		}
		if (tally.poll_count < poll_count)
			poll_clean(&watch, &tally, POLLS_PER_SERVER);
		baseline_free(watch.baseline);
	}
	printf("%3" PRId64 " s: %" PRId64 " of %" PRId64 " regrown clears found, %" PRId64
	       " dated within 5 s or a poll, %" PRId64 " false in %" PRId64 " clean polls\n",
	       interval_ms / 1000, tally.found_count, tally.clear_count, tally.dated_count,
	       tally.false_count, tally.poll_count);
	return tally.found_count * 100 >= tally.clear_count * 99 &&
	       tally.dated_count * 100 >= tally.clear_count * 95 && tally.false_count == 0;
}

int main(int argc, char **argv)
{
	int64_t clear_count = 1000;
	int64_t poll_count = 10000;
	for (int i = 1; i + 1 < argc; i += 2) {
		int64_t number = strtoimax(argv[i + 1], NULL, 10);
		if (strcmp(argv[i], "--clears") == 0)
			clear_count = number;
		else if (strcmp(argv[i], "--polls") == 0)
			poll_count = number;
	}
	bool is_kept = true;
	is_kept &= measure(1000, clear_count, poll_count);
	is_kept &= measure(10000, clear_count, poll_count);
	is_kept &= measure(60000, clear_count, poll_count);
	return is_kept ? 0 : 1;
}
