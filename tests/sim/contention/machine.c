/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schedulers and workers. A worker that is signalled stands in the queue of its own scheduler until
 * that is free, however many others are idle; the time from the signal to the processor is signal
 * time and belongs to the wait. Whoever is handed a latch holds it during that time: that is the
 * convoy. Guarded by the instance's lock.
 */
#include "tests/sim/contention/machine.h"

#include "tests/sim/contention/costs.h"
#include "tests/sim/contention/station.h"
#include "tests/sim/text.h"

#include <assert.h>
#include <stdlib.h>

void worker_queue_push(struct worker_queue *queue, struct worker *worker)
{
	worker->next = NULL;
	if (queue->last)
		queue->last->next = worker;
	else
		queue->first = worker;
	queue->last = worker;
	queue->count++;
}

struct worker *worker_queue_pop(struct worker_queue *queue)
{
	struct worker *worker = queue->first;

	if (!worker)
		return NULL;
	queue->first = worker->next;
	if (!queue->first)
		queue->last = NULL;
	queue->count--;
	worker->next = NULL;
	return worker;
}

uint64_t worker_random(struct worker *worker)
{
	worker->random ^= worker->random << 13;
	worker->random ^= worker->random >> 7;
	worker->random ^= worker->random << 17;
	return worker->random;
}

static void dispatch_in(struct machine *machine, int32_t scheduler, int64_t cost_ns)
{
	machine->schedulers[scheduler].is_dispatching = true;
	clockwork_add(&machine->clockwork,
		      (struct event){.due_ns = machine->now_ns + cost_ns * machine->scale,
				     .kind = EVENT_DISPATCH,
				     .scheduler = scheduler});
}

static void make_runnable(struct machine *machine, struct worker *worker)
{
	struct scheduler *scheduler = &machine->schedulers[worker->scheduler];

	worker->state = WORKER_RUNNABLE;
	worker->signal_start_ns = machine->now_ns;
	worker_queue_push(&scheduler->runnable, worker);
	if (!scheduler->running && !scheduler->is_dispatching)
		dispatch_in(machine, worker->scheduler, COST_WAKE_NS);
}

static void leave_processor(struct machine *machine, struct worker *worker, enum worker_state state)
{
	struct scheduler *scheduler = &machine->schedulers[worker->scheduler];

	assert(scheduler->running == worker);
	scheduler->running = NULL;
	worker->state = state;
	worker->cpu_seen_ns = machine->cpu_ns;
	worker->own_cpu_seen_ns = scheduler->cpu_ns;
	if (scheduler->runnable.count > 0)
		dispatch_in(machine, worker->scheduler, COST_SWITCH_NS);
}

static void begin_wait(struct machine *machine, struct worker *worker, enum wait_kind kind)
{
	worker->is_waiting = true;
	worker->wait_kind = kind;
	worker->wait_start_ns = machine->now_ns;
	machine->ledger.waits[kind].count++;
	worker->waits[kind].count++;
}

static void end_wait(struct machine *machine, struct worker *worker)
{
	int64_t time_ns = machine->now_ns - worker->wait_start_ns;
	int64_t signal_ns = machine->now_ns - worker->signal_start_ns;

	tally_end(&machine->ledger.waits[worker->wait_kind], time_ns, signal_ns);
	tally_end(&worker->waits[worker->wait_kind], time_ns, signal_ns);
	if (worker->latch)
		latch_book(machine, worker, time_ns);
	worker->latch = NULL;
	worker->is_waiting = false;
	worker->last_wait_kind = worker->wait_kind;
}

static int64_t at_most(int64_t cost_ns, int64_t most_ns)
{
	return cost_ns < most_ns ? cost_ns : most_ns;
}

/* What others have driven from the caches since the worker left: from those that all share, and
 * from those of its own processor. */
static int64_t reload_cost(const struct machine *machine, const struct worker *worker)
{
	int64_t all_ns = machine->cpu_ns - worker->cpu_seen_ns;
	int64_t own_ns = machine->schedulers[worker->scheduler].cpu_ns - worker->own_cpu_seen_ns;

	return at_most(all_ns * COST_RELOAD_SHARED_PERMILLE / 1000, COST_RELOAD_SHARED_MAX_NS) +
	       at_most(own_ns * COST_RELOAD_OWN_PERMILLE / 1000, COST_RELOAD_OWN_MAX_NS);
}

static void run_program(struct machine *machine, struct worker *worker)
{
	while (worker->program(machine, worker))
		continue;
}

static void dispatch(struct machine *machine, int32_t index)
{
	struct scheduler *scheduler = &machine->schedulers[index];
	struct worker *worker = worker_queue_pop(&scheduler->runnable);

	scheduler->is_dispatching = false;
	if (!worker)
		return;
	scheduler->running = worker;
	worker->state = WORKER_RUNNING;
	worker->quantum_start_ns = machine->now_ns;
	if (worker->is_waiting)
		end_wait(machine, worker);
	worker->debt_ns = reload_cost(machine, worker);
	run_program(machine, worker);
}

/* A quantum is over only where the worker has nothing in its hands that others spin for. */
static void computed(struct machine *machine, struct worker *worker)
{
	int64_t used_ns = machine->now_ns - worker->quantum_start_ns;

	if (used_ns < COST_QUANTUM_NS || worker->has_spinlock) {
		run_program(machine, worker);
		return;
	}
	begin_wait(machine, worker, WAIT_YIELD);
	/* Alone on its scheduler it goes on at once. */
	if (machine->schedulers[worker->scheduler].runnable.count == 0) {
		worker->signal_start_ns = machine->now_ns;
		worker->quantum_start_ns = machine->now_ns;
		end_wait(machine, worker);
		run_program(machine, worker);
		return;
	}
	leave_processor(machine, worker, WORKER_RUNNABLE);
	make_runnable(machine, worker);
}

bool worker_compute(struct machine *machine, struct worker *worker, int64_t cost_ns)
{
	int64_t time_ns = (cost_ns + worker->debt_ns) * machine->scale;

	worker->debt_ns = 0;
	worker->cpu_ns += time_ns;
	machine->cpu_ns += cost_ns;
	machine->schedulers[worker->scheduler].cpu_ns += cost_ns;
	clockwork_add(&machine->clockwork, (struct event){.due_ns = machine->now_ns + time_ns,
							  .kind = EVENT_COMPUTED,
							  .worker = worker});
	return false;
}

bool worker_pause(struct machine *machine, struct worker *worker, int64_t pause_ns)
{
	leave_processor(machine, worker, WORKER_RESTING);
	clockwork_add(&machine->clockwork,
		      (struct event){.due_ns = machine->now_ns + pause_ns * machine->scale,
				     .kind = EVENT_WOKEN,
				     .worker = worker});
	return false;
}

bool worker_rest(struct machine *machine, struct worker *worker)
{
	leave_processor(machine, worker, WORKER_RESTING);
	if (worker->is_leaving) {
		worker->is_gone = true;
		machine->schedulers[worker->scheduler].worker_count--;
	}
	if (machine->finished && worker->job)
		machine->finished(worker);
	return false;
}

void worker_start(struct machine *machine, struct worker *worker)
{
	assert(worker->state == WORKER_RESTING);
	worker->statement_start_ns = machine->now_ns;
	make_runnable(machine, worker);
}

void worker_suspend(struct machine *machine, struct worker *worker, enum wait_kind kind)
{
	begin_wait(machine, worker, kind);
	leave_processor(machine, worker, WORKER_SUSPENDED);
}

void worker_signal(struct machine *machine, struct worker *worker)
{
	make_runnable(machine, worker);
}

void worker_book(struct machine *machine, struct worker *worker, enum wait_kind kind,
		 int64_t time_ns)
{
	machine->ledger.waits[kind].count++;
	worker->waits[kind].count++;
	tally_end(&machine->ledger.waits[kind], time_ns, 0);
	tally_end(&worker->waits[kind], time_ns, 0);
	worker->last_wait_kind = kind;
}

static void run_event(struct machine *machine, const struct event *event)
{
	switch (event->kind) {
	case EVENT_COMPUTED:
		computed(machine, event->worker);
		break;
	case EVENT_DISPATCH:
		dispatch(machine, event->scheduler);
		break;
	case EVENT_WOKEN:
		worker_signal(machine, event->worker);
		break;
	case EVENT_LOG:
		log_written(machine);
		break;
	case EVENT_DISK:
		disk_read_ended(machine, event->worker);
		break;
	}
}

bool machine_advance(struct machine *machine, int64_t now_ns, int64_t event_limit)
{
	while (clockwork_due_ns(&machine->clockwork) <= now_ns) {
		if (event_limit-- == 0)
			return false;
		struct event event = clockwork_take(&machine->clockwork);
		machine->now_ns = event.due_ns;
		machine->event_count++;
		run_event(machine, &event);
	}
	if (now_ns > machine->now_ns)
		machine->now_ns = now_ns;
	return true;
}

static int32_t emptiest_scheduler(const struct machine *machine)
{
	int32_t best = 0;

	for (int32_t i = 1; i < machine->scheduler_count; i++)
		if (machine->schedulers[i].worker_count < machine->schedulers[best].worker_count)
			best = i;
	return best;
}

struct worker *machine_add_worker(struct machine *machine, int32_t session_id,
				  worker_program program)
{
	struct worker *worker = memory_new(1, sizeof(*worker));

	if (machine->worker_count == machine->worker_capacity) {
		machine->worker_capacity =
			machine->worker_capacity == 0 ? 64 : machine->worker_capacity * 2;
		machine->workers = memory_grow(machine->workers, machine->worker_capacity,
					       sizeof(struct worker *));
	}
	machine->workers[machine->worker_count++] = worker;
	worker->session_id = session_id;
	worker->scheduler = emptiest_scheduler(machine);
	worker->program = program;
	worker->cpu_seen_ns = machine->cpu_ns;
	worker->own_cpu_seen_ns = machine->schedulers[worker->scheduler].cpu_ns;
	worker->last_wait_kind = WAIT_YIELD;
	worker->random = (uint64_t)session_id * UINT64_C(0x9E3779B97F4A7C15) + 1;
	machine->schedulers[worker->scheduler].worker_count++;
	return worker;
}

void machine_sweep(struct machine *machine)
{
	size_t kept = 0;

	for (size_t i = 0; i < machine->worker_count; i++) {
		if (machine->workers[i]->is_gone)
			free(machine->workers[i]);
		else
			machine->workers[kept++] = machine->workers[i];
	}
	machine->worker_count = kept;
}

void machine_init(struct machine *machine, int32_t scheduler_count, int64_t now_ns)
{
	*machine = (struct machine){
		.now_ns = now_ns,
		.scale = 1,
		.scheduler_count = scheduler_count,
		.log_write_ns = COST_LOG_WRITE_NS,
		.read_ns = COST_READ_NS,
	};
}

void machine_set_schedulers(struct machine *machine, int32_t scheduler_count)
{
	assert(machine->worker_count == 0);
	machine->scheduler_count = scheduler_count;
}

void machine_done(struct machine *machine)
{
	for (size_t i = 0; i < machine->worker_count; i++)
		free(machine->workers[i]);
	free(machine->workers);
	clockwork_done(&machine->clockwork);
}
