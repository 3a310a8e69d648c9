/* SPDX-License-Identifier: Apache-2.0 */
/* The true servers; see the header. No clock, no I/O; one thread. */
#include "tests/model/truth.h"

#include <string.h>

enum { COUNT, TIME, SIGNAL };
enum { COLLISIONS, SPINS, SLEEP, BACKOFFS };
enum { LAZY_WRITER = 3, BULK_CYCLES = 60, FIRST_TICKS_MS = 5000 };

static const struct {
	const char *name;
	int64_t cycle_ms;
	int64_t work_ms; /* between two cycles it works for up to so long */
} beats[TRUTH_BEATS] = {
	{"REQUEST_FOR_DEADLOCK_SEARCH", 5000, 2},
	{"XE_TIMER_EVENT", 5000, 1},
	{"SQLTRACE_INCREMENTAL_FLUSH_SLEEP", 4000, 3},
	{"LAZYWRITER_SLEEP", 1000, 2},
	{"DIRTY_PAGE_POLL", 100, 1},
};

static const char *const work_names[TRUTH_VIEWS][TRUTH_NAMES_MAX - TRUTH_BEATS] = {
	{"PAGELATCH_EX", "WRITELOG", "LCK_M_X", "lck_m_x", "SOS_SCHEDULER_YIELD", "CXPACKET",
	 "ASYNC_NETWORK_IO", "PAGEIOLATCH_SH", "UNKNOWN_TO_ALL", "THREADPOOL", "IO_COMPLETION"},
	{"BUFFER", "ACCESS_METHODS_HOBT_VIRTUAL_ROOT", "FCB", "LOG_MANAGER", "DBCC_CHECK", "fcb",
	 "TRACE_CONTROLLER", "APPEND_ONLY_STORAGE_INSERT_POINT", "VERSIONING_STATE", "BACKUP_FILE",
	 "NESTING_TRANSACTION_FULL"},
	{"LOCK_HASH", "SOS_CACHESTORE", "LOGCACHE_ACCESS", "X_PACKET_LIST", "MUTEX", "lock_hash",
	 "BACKUP_CTX", "SPL_TREE", "DP_LIST", "OPT_IDX_STATS", "SECURITY_CACHE"},
};

int64_t truth_beat_cycle_ms(int beat)
{
	return beats[beat].cycle_ms;
}

int64_t truth_shown(const struct truth_name *name, int counter)
{
	return name->is_there ? name->done[counter] - name->gone[counter] : 0;
}

static struct truth_instance *serving(struct truth *truth)
{
	return &truth->instances[truth->serving];
}

static void name_forget(struct truth_name *name)
{
	for (int i = 0; i < TRUTH_COUNTERS; i++) {
		name->before_clear[i] = truth_shown(name, i);
		name->gone[i] = name->done[i];
	}
	name->max_before_clear_ms = name->max_ms;
	name->max_ms = 0;
}

static void note_wait(struct truth_name *name, int64_t length_ms)
{
	if (length_ms > name->max_ms)
		name->max_ms = length_ms;
}

static void do_waits(struct truth_name *name, bool has_signal, int64_t count, int64_t length_ms,
		     int64_t signal_percent)
{
	if (!name->is_there || count <= 0)
		return;
	name->done[COUNT] += count;
	name->done[TIME] += count * length_ms;
	if (has_signal)
		name->done[SIGNAL] += count * length_ms * signal_percent / 100;
	note_wait(name, length_ms);
}

static void do_spins(struct truth_name *name, bool is_wrapping, int64_t collisions,
		     struct dice *dice)
{
	if (!name->is_there || collisions <= 0)
		return;
	name->done[COLLISIONS] += collisions;
	name->done[SPINS] += collisions * dice_between(dice, 1, 4000);
	name->done[SLEEP] += collisions / 50;
	name->done[BACKOFFS] += is_wrapping ? dice_below(dice, INT64_C(1) << 29) : collisions / 9;
}

static void work(struct truth *truth, int view, struct truth_name *name, int64_t ms,
		 struct dice *dice)
{
	static const int64_t per_s[] = {0, 1, 20, 1000, 40000};
	int64_t most = ms * per_s[name->busy] / 1000;
	if (name->busy == 0 || (name->busy == 1 && !dice_one_in(dice, 8)))
		return;
	int64_t count = dice_below(dice, most + 2);
	if (view == TRUTH_SPINLOCKS)
		do_spins(name, truth->setup.has_int_backoffs && name->busy >= 3, count, dice);
	else
		do_waits(name, view == TRUTH_WAITS, count, dice_between(dice, 1, 150),
			 dice_below(dice, 60));
}

static void task_begin(struct truth *truth, struct truth_instance *instance,
		       struct truth_task *task, int64_t begin_ms, struct dice *dice)
{
	int64_t cycle_ms = beats[task->beat].cycle_ms;
	int64_t stretch_ms = cycle_ms * truth->setup.stretch_tenths / 1000;
	task->begun_ms = begin_ms;
	task->due_ms = begin_ms + cycle_ms + dice_below(dice, stretch_ms + 1);
	instance->views[TRUTH_WAITS].names[task->name].done[COUNT]++;
}

static void task_end(struct truth *truth, struct truth_instance *instance, struct truth_task *task)
{
	struct truth_view *view = &instance->views[TRUTH_WAITS];
	struct truth_name *name = &view->names[task->name];
	int64_t from_ms = task->begun_ms;
	if (!truth->setup.credits_whole && view->cleared_ms > from_ms)
		from_ms = view->cleared_ms;
	name->done[TIME] += task->due_ms - from_ms;
	note_wait(name, task->due_ms - from_ms);
}

/* Many cycles at once: as many as surely end before now_ms, all of their mean length. */
static void task_skip(struct truth *truth, struct truth_instance *instance, struct truth_task *task,
		      int64_t now_ms)
{
	int64_t cycle_ms = beats[task->beat].cycle_ms;
	int64_t slept_ms = cycle_ms + cycle_ms * truth->setup.stretch_tenths / 2000;
	int64_t whole_ms = slept_ms + beats[task->beat].work_ms / 2;
	int64_t cycles = (now_ms - task->due_ms) / whole_ms - BULK_CYCLES / 2;
	struct truth_name *name = &instance->views[TRUTH_WAITS].names[task->name];
	name->done[COUNT] += cycles;
	name->done[TIME] += cycles * slept_ms;
	note_wait(name, slept_ms);
	task->begun_ms += cycles * whole_ms;
	task->due_ms += cycles * whole_ms;
}

static void task_run(struct truth *truth, struct truth_instance *instance, struct truth_task *task,
		     int64_t now_ms, struct dice *dice)
{
	while (task->due_ms <= now_ms) {
		task_end(truth, instance, task);
		int64_t work_ms = dice_below(dice, beats[task->beat].work_ms + 1);
		task_begin(truth, instance, task, task->due_ms + work_ms, dice);
		if (now_ms - task->due_ms > BULK_CYCLES * beats[task->beat].cycle_ms)
			task_skip(truth, instance, task, now_ms);
	}
}

static void instance_advance(struct truth *truth, struct truth_instance *instance, int64_t ms,
			     struct dice *dice)
{
	if (instance->started_ms > truth->now_ms) {
		ms -= instance->started_ms - truth->now_ms;
		if (ms <= 0)
			return;
	}
	for (int view = 0; view < TRUTH_VIEWS; view++)
		for (int i = 0; i < instance->views[view].name_count; i++)
			work(truth, view, &instance->views[view].names[i], ms, dice);
}

void truth_advance(struct truth *truth, int64_t ms, struct dice dice)
{
	if (ms <= 0)
		return;
	for (int i = 0; i < TRUTH_INSTANCES; i++) {
		struct truth_instance *instance = &truth->instances[i];
		instance_advance(truth, instance, ms, &dice);
		for (int task = 0; task < instance->task_count; task++)
			task_run(truth, instance, &instance->tasks[task], truth->now_ms + ms,
				 &dice);
	}
	truth->now_ms += ms;
}

static void add_name(struct truth_view *view, const char *text, int busy)
{
	view->names[view->name_count++] = (struct truth_name){
		.text = text,
		.is_there = true,
		.busy = busy,
		.wait_began_ms = -1,
		.longest_ended_ms = -1,
	};
}

static void add_beats(struct truth *truth, struct truth_instance *instance)
{
	for (int beat = 0; beat < TRUTH_BEATS; beat++) {
		if (!(truth->setup.beat_mask & 1U << beat))
			continue;
		int64_t nodes = beat == LAZY_WRITER ? truth->setup.numa_nodes : 1;
		int name = instance->views[TRUTH_WAITS].name_count;
		for (int64_t node = 0; node < nodes; node++)
			instance->tasks[instance->task_count++] =
				(struct truth_task){.name = name, .beat = beat};
		add_name(&instance->views[TRUTH_WAITS], beats[beat].name, 0);
	}
}

/* All tasks begin somewhere in the first cycle. */
static void life_begin(struct truth *truth, struct truth_instance *instance, int64_t start_ms,
		       struct dice *dice)
{
	instance->life++;
	instance->started_ms = start_ms;
	for (int view = 0; view < TRUTH_VIEWS; view++) {
		struct truth_view *of = &instance->views[view];
		of->cleared_ms = start_ms;
		for (int i = 0; i < of->name_count; i++) {
			name_forget(&of->names[i]);
			of->names[i].wait_began_ms = -1;
		}
	}
	for (int i = 0; i < instance->task_count; i++) {
		struct truth_task *task = &instance->tasks[i];
		task_begin(truth, instance, task,
			   start_ms + dice_below(dice, beats[task->beat].cycle_ms), dice);
	}
}

static void make_huge(struct truth_instance *instance, struct dice *dice)
{
	for (int view = 0; view < TRUTH_VIEWS; view++)
		for (int i = 0; i < instance->views[view].name_count; i++) {
			struct truth_name *name = &instance->views[view].names[i];
			bool is_beat = view == TRUTH_WAITS && name->busy == 0;
			if (is_beat || !dice_one_in(dice, 3))
				continue;
			int last = view == TRUTH_SPINLOCKS ? SLEEP : TIME;
			for (int c = 0; c <= last; c++)
				name->done[c] += INT64_MAX - (INT64_C(1) << 57);
		}
}

static void instance_init(struct truth *truth, int number, struct dice *dice)
{
	struct truth_instance *instance = &truth->instances[number];
	*instance = (struct truth_instance){.server = number, .node = number};
	if (truth->setup.has_ticks)
		add_beats(truth, instance);
	for (int view = 0; view < TRUTH_VIEWS; view++)
		for (int64_t i = 0; i < truth->setup.work_names[view]; i++)
			add_name(&instance->views[view], work_names[view][i],
				 (int)dice_below(dice, 5));
	instance->process_id = 1000 + number;
	int64_t age_ms = number == 0 ? truth->setup.age_ms : dice_below(dice, 30000000);
	instance->booted_ms = -age_ms - FIRST_TICKS_MS - dice_below(dice, 90000000);
	life_begin(truth, instance, -age_ms, dice);
	if (truth->setup.has_huge_values)
		make_huge(instance, dice);
}

void truth_init(struct truth *truth, const struct truth_setup *setup, struct dice dice)
{
	memset(truth, 0, sizeof(*truth));
	truth->setup = *setup;
	for (int i = 0; i < TRUTH_INSTANCES; i++)
		instance_init(truth, i, &dice);
	for (int i = 0; i < TRUTH_INSTANCES; i++) {
		struct truth_instance *instance = &truth->instances[i];
		int64_t age_ms = -instance->started_ms;
		instance_advance(truth, instance, age_ms, &dice);
		for (int task = 0; task < instance->task_count; task++)
			task_run(truth, instance, &instance->tasks[task], 0, &dice);
	}
}

void truth_clear(struct truth *truth, int view)
{
	struct truth_view *of = &serving(truth)->views[view];
	of->cleared_ms = truth->now_ms;
	of->clear_count++;
	for (int i = 0; i < of->name_count; i++)
		name_forget(&of->names[i]);
}

static void name_regrow(struct truth_name *name, int view, struct dice *dice)
{
	if (!name->is_there)
		return;
	for (int i = 0; i < TRUTH_COUNTERS; i++) {
		/* The signal stays within the wait, and huge values have no room. */
		int64_t more = name->before_clear[i];
		if (more < INT64_C(1) << 50)
			name->done[i] += more + (i == SIGNAL && view == TRUTH_WAITS ? 0 : more / 8);
	}
	if (view != TRUTH_SPINLOCKS)
		note_wait(name, name->max_before_clear_ms + dice_below(dice, 5));
	name->longest_ended_ms = INT64_MAX; /* some of it may have been long */
}

void truth_regrow(struct truth *truth, int view, struct dice dice)
{
	struct truth_view *of = &serving(truth)->views[view];
	for (int i = 0; i < of->name_count; i++) {
		bool is_beat = false;
		for (int task = 0; task < serving(truth)->task_count; task++)
			is_beat |= view == TRUTH_WAITS && serving(truth)->tasks[task].name == i;
		if (!is_beat)
			name_regrow(&of->names[i], view, &dice);
	}
}

void truth_restart(struct truth *truth, int64_t down_ms, bool with_machine, bool keeps_process_id,
		   struct dice dice)
{
	struct truth_instance *instance = serving(truth);
	truth_advance(truth, 1, dice);
	int64_t start_ms = truth->now_ms + down_ms;
	if (with_machine)
		instance->booted_ms = start_ms - FIRST_TICKS_MS - dice_below(&dice, 55000);
	if (!keeps_process_id)
		instance->process_id += 10 + dice_below(&dice, 5000);
	life_begin(truth, instance, start_ms, &dice);
	truth_advance(truth, down_ms + 1, dice);
}

void truth_fail_over(struct truth *truth, int64_t down_ms, struct dice dice)
{
	serving(truth)->node += TRUTH_INSTANCES;
	truth_restart(truth, down_ms, true, false, dice);
}

void truth_fall(struct truth *truth, int view, int name, int64_t percent)
{
	struct truth_view *of = &serving(truth)->views[view];
	struct truth_name *which = &of->names[name % of->name_count];
	int counter = (int)(percent % 2);
	int64_t shown = truth_shown(which, counter);
	which->gone[counter] += shown > 1000000000 ? shown / 100 * percent : shown * percent / 100;
	which->fall_count += shown > 0;
}

void truth_toggle(struct truth *truth, int view, int name)
{
	struct truth_view *of = &serving(truth)->views[view];
	struct truth_name *which = &of->names[name % of->name_count];
	for (int i = 0; i < serving(truth)->task_count; i++)
		if (view == TRUTH_WAITS && serving(truth)->tasks[i].name == name % of->name_count)
			return;
	name_forget(which);
	which->is_there = !which->is_there;
	which->fall_count++;
	which->wait_began_ms = -1;
}

void truth_long_wait(struct truth *truth, int view, int name)
{
	struct truth_view *of = &serving(truth)->views[view];
	struct truth_name *which = &of->names[name % of->name_count];
	bool is_ended = which->wait_began_ms >= 0;
	if (!which->is_there || view == TRUTH_SPINLOCKS)
		return;
	if (!is_ended) {
		which->wait_began_ms = truth->now_ms;
		which->done[COUNT]++;
		return;
	}
	int64_t length_ms = truth->now_ms - which->wait_began_ms;
	which->done[TIME] += length_ms;
	note_wait(which, length_ms);
	which->longest_ms = length_ms;
	which->longest_began_ms = which->wait_began_ms;
	which->longest_ended_ms = truth->now_ms;
	which->wait_began_ms = -1;
}
