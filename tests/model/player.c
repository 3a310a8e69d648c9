/* SPDX-License-Identifier: Apache-2.0 */
/* Plays histories; see the header. No clock. */
#include "tests/model/player.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/alloc.h"
#include "storage/baseline_frame.h"

enum { FIRST_MONO_MS = 20000, STORED_NAMES_MAX = 64 };
static const int64_t FIRST_UTC_MS = 1700000000000;

struct player {
	struct truth truth;
	int64_t mono_offset_ms;
	int64_t utc_offset_ms;
	int boot;
	struct baseline *baselines[TRUTH_VIEWS];
	struct memory memories[TRUTH_VIEWS];
	struct account accounts[TRUTH_VIEWS][TRUTH_INSTANCES][TRUTH_NAMES_MAX];
	struct read_fault faults[READ_FAULTS_MAX];
	int fault_count;
	bool is_told;
	char *fault;
};

static struct instant now_here(const struct player *player)
{
	return (struct instant){
		.mono_ms = player->truth.now_ms + player->mono_offset_ms,
		.utc_ms = player->truth.now_ms + player->utc_offset_ms,
	};
}

static void note_read_fault(struct player *player, const struct step *step)
{
	if (player->fault_count < READ_FAULTS_MAX)
		player->faults[player->fault_count++] = (struct read_fault){
			.kind = step->kind,
			.view = step->view,
			.name = step->name,
			.amount = step->amount,
		};
}

static void say_delta(const struct player *player, const struct delta *delta)
{
	if (!player->is_told)
		return;
	printf("      at %" PRId64 " %s: %s, covers %" PRId64 " of %" PRId64 " ms%s, %zu rows\n",
	       player->truth.now_ms, family_shape(delta->family)->name,
	       quality_name(delta->quality), delta->interval_ms, delta->elapsed_ms,
	       delta->has_rate ? "" : ", no rate", delta->row_count);
	for (size_t i = 0; i < delta->row_count; i++) {
		const struct delta_row *row = &delta->rows[i];
		printf("          %s %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 ", flags %x\n",
		       row->name, row->counters[0], row->counters[1], row->counters[2],
		       row->counters[3], row->flags);
	}
}

/* One view of a poll. The delta is left in *delta, for the views after the waits. */
static void poll_view(struct player *player, int view, bool is_lost, const struct delta *waits,
		      struct delta **delta)
{
	struct reading reading;
	struct instant taken = now_here(player);
	reading_take(&reading, &player->truth, view, player->faults, player->fault_count);
	CLEANUP(sample_freep)
	struct sample *sample = reading_sample(&reading, &player->truth, taken, player->faults,
					       player->fault_count);
	if (!sample)
		return;
	struct delta_options options = {
		.configured_ms = player->truth.setup.configured_ms,
		.waits = waits,
	};
	struct baseline *next;
	*delta = delta_between(player->baselines[view], sample, &options, &next);
	say_delta(player, *delta);
	if (is_lost) {
		baseline_free(next);
		return;
	}
	struct judgement judgement = {
		.truth = &player->truth,
		.reading = &reading,
		.memory = &player->memories[view],
		.delta = *delta,
		.waits = waits,
		.taken = taken,
		.boot = player->boot,
		.accounts = player->accounts[view][player->truth.serving],
		.fault = player->fault,
	};
	judge_delta(&judgement);
	judge_remember(&judgement, &player->memories[view]);
	baseline_free(player->baselines[view]);
	player->baselines[view] = next;
}

static void play_poll(struct player *player, unsigned mask, bool is_lost)
{
	struct delta *deltas[TRUTH_VIEWS] = {0};
	for (int view = 0; view < TRUTH_VIEWS; view++)
		if (mask & 1U << view)
			poll_view(player, view, is_lost,
				  view == TRUTH_WAITS ? NULL : deltas[TRUTH_WAITS], &deltas[view]);
	for (int view = 0; view < TRUTH_VIEWS; view++)
		delta_free(deltas[view]);
	player->fault_count = 0;
}

/* As the store keeps it: names become ids and names again, in an order of their own. */
static struct baseline *through_store(const struct baseline *baseline, const char *packed_in,
				      const char *read_in)
{
	const struct sample *sample = baseline->sample;
	const char *by_id[STORED_NAMES_MAX] = {0};
	int64_t ids[STORED_NAMES_MAX];
	for (size_t i = 0; i < sample->row_count; i++) {
		ids[i] = (int64_t)((i * 37 + 11) % STORED_NAMES_MAX);
		by_id[ids[i]] = sample->rows[i].name;
	}
	for (size_t i = 0; i < sample->rejected_name_count; i++) {
		size_t place = sample->row_count + i;
		ids[place] = (int64_t)((place * 37 + 11) % STORED_NAMES_MAX);
		by_id[ids[place]] = sample->rejected[i];
	}
	CLEANUP(strbuf_done) struct strbuf body = STRBUF_INIT;
	baseline_frame_pack(&body, baseline, ids, packed_in);
	struct frame_names names = {.by_id = by_id, .count = STORED_NAMES_MAX};
	struct baseline *read = xcalloc(1, sizeof(*read));
	read->sample = sample_new(sample->family, &sample->epoch, sample->taken);
	struct error err = ERROR_INIT;
	if (baseline_frame_unpack(body.data, body.size, &names, read_in, read, &err) &&
	    sample_seal(read->sample, &err))
		return read;
	fprintf(stderr, "%s\n", err.text);
	abort();
}

static void restart_latchd(struct player *player, bool is_rebooted)
{
	for (int view = 0; view < TRUTH_VIEWS; view++) {
		struct baseline *old = player->baselines[view];
		if (old)
			player->baselines[view] =
				through_store(old, "boot", is_rebooted ? "next boot" : "boot");
		baseline_free(old);
	}
}

static void reboot_monitor(struct player *player, int64_t down_ms, struct dice dice)
{
	truth_advance(&player->truth, down_ms, dice);
	player->mono_offset_ms = dice_between(&dice, 5000, 60000) - player->truth.now_ms;
	player->boot++;
	restart_latchd(player, true);
}

static void change_server(struct player *player, const struct step *step, struct dice dice)
{
	struct truth *truth = &player->truth;
	switch ((int)step->kind) {
	case STEP_CLEAR:
		truth_clear(truth, step->view);
		break;
	case STEP_CLEAR_ALL:
		for (int view = 0; view < TRUTH_VIEWS; view++)
			truth_clear(truth, view);
		break;
	case STEP_REGROW:
		truth_regrow(truth, step->view, dice);
		break;
	case STEP_RESTART:
	case STEP_MACHINE_RESTART:
		truth_restart(truth, step->ms, step->kind == STEP_MACHINE_RESTART,
			      step->amount % 8 == 0, dice);
		break;
	case STEP_CLUSTER_FAILOVER:
		truth_fail_over(truth, step->ms, dice);
		break;
	case STEP_GROUP_FAILOVER:
		truth->serving = (truth->serving + 1) % TRUTH_INSTANCES;
		break;
	case STEP_FALL:
		truth_fall(truth, step->view, step->name, step->amount);
		break;
	case STEP_TOGGLE:
		truth_toggle(truth, step->view, step->name);
		break;
	case STEP_LONG_WAIT:
		truth_long_wait(truth, step->view, step->name);
		break;
	default:
		note_read_fault(player, step);
	}
}

static void take_step(struct player *player, const struct history *history, const struct step *step)
{
	struct dice dice = history_dice(history, step);
	switch ((int)step->kind) {
	case STEP_ADVANCE:
		truth_advance(&player->truth, step->ms, dice);
		break;
	case STEP_POLL:
	case STEP_LOST_POLL:
		play_poll(player, step->mask, step->kind == STEP_LOST_POLL);
		break;
	case STEP_CLOCK:
		player->utc_offset_ms += step->amount;
		break;
	case STEP_LATCHD_RESTART:
		restart_latchd(player, false);
		break;
	case STEP_MONITOR_REBOOT:
		reboot_monitor(player, step->ms, dice);
		break;
	default:
		change_server(player, step, dice);
	}
}

bool player_run(const struct history *history, bool is_told, char *fault)
{
	struct player *player = xcalloc(1, sizeof(*player));
	player->mono_offset_ms = FIRST_MONO_MS;
	player->utc_offset_ms = FIRST_UTC_MS;
	player->is_told = is_told;
	player->fault = fault;
	fault[0] = '\0';
	truth_init(&player->truth, &history->setup, dice_for(history->seed, history->number + 1));
	for (int i = 0; i < history->step_count && !fault[0]; i++) {
		if (is_told) {
			char text[200];
			step_describe(&history->steps[i], text, sizeof(text));
			printf("  %3d %s\n", i, text);
		}
		take_step(player, history, &history->steps[i]);
	}
	for (int view = 0; view < TRUTH_VIEWS; view++)
		baseline_free(player->baselines[view]);
	free(player);
	return !fault[0];
}
