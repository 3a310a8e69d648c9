/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Latches, log, disk and spinlocks. A latch that is released belongs to the next in its queue from
 * that moment, though it may take its scheduler a while to run it. Guarded by the instance's lock.
 */
#include "tests/sim/contention/station.h"

#include "tests/sim/contention/costs.h"
#include "tests/sim/contention/table.h"

static bool is_compatible(enum latch_mode one, enum latch_mode other)
{
	return one == LATCH_MODE_SH ? other != LATCH_MODE_EX
				    : one == LATCH_MODE_UP && other == LATCH_MODE_SH;
}

static bool is_free_for(const struct latch *latch, enum latch_mode mode)
{
	return latch->holder_count == 0 || is_compatible(mode, latch->mode);
}

static void grant(struct latch *latch, struct worker *worker, enum latch_mode mode)
{
	if (latch->holder_count == 0 || mode > latch->mode) {
		latch->mode = mode;
		latch->owner = worker;
	}
	latch->holder_count++;
}

static enum wait_kind kind_of(const struct latch *latch, enum latch_mode mode)
{
	if (latch->latch_class != LATCH_BUFFER)
		return mode == LATCH_MODE_SH ? WAIT_LATCH_SH : WAIT_LATCH_EX;
	return mode == LATCH_MODE_SH   ? WAIT_PAGELATCH_SH
	       : mode == LATCH_MODE_UP ? WAIT_PAGELATCH_UP
				       : WAIT_PAGELATCH_EX;
}

bool latch_acquire(struct machine *machine, struct worker *worker, struct latch *latch,
		   enum latch_mode mode)
{
	if (latch->waiter_count == 0 && is_free_for(latch, mode)) {
		grant(latch, worker, mode);
		return true;
	}
	worker->latch = latch;
	worker->latch_mode = mode;
	worker_suspend(machine, worker, kind_of(latch, mode));
	machine->ledger.latches[latch->latch_class].count++;
	if (latch->table)
		latch->table->latch_waits.count++;
	if (latch->table && latch->is_upper)
		latch->table->tree_waits.count++;
	worker->next = NULL;
	if (latch->last)
		latch->last->next = worker;
	else
		latch->first = worker;
	latch->last = worker;
	latch->waiter_count++;
	return false;
}

static struct worker *pop_waiter(struct latch *latch)
{
	struct worker *next = latch->first;

	latch->first = next->next;
	if (!latch->first)
		latch->last = NULL;
	latch->waiter_count--;
	return next;
}

void latch_release(struct machine *machine, struct latch *latch)
{
	latch->holder_count--;
	if (latch->holder_count == 0)
		latch->owner = NULL;
	while (latch->first && is_free_for(latch, latch->first->latch_mode)) {
		struct worker *next = pop_waiter(latch);
		grant(latch, next, next->latch_mode);
		worker_signal(machine, next);
	}
}

void latch_disperse(struct machine *machine, struct latch *latch)
{
	latch->holder_count--;
	latch->owner = NULL;
	while (latch->first)
		worker_signal(machine, pop_waiter(latch));
}

void latch_book(struct machine *machine, const struct worker *worker, int64_t time_ns)
{
	const struct latch *latch = worker->latch;
	bool is_read = worker->wait_kind == WAIT_PAGEIOLATCH_EX ||
		       worker->wait_kind == WAIT_PAGEIOLATCH_SH;

	tally_end(&machine->ledger.latches[latch->latch_class], time_ns, 0);
	if (latch->table)
		tally_end(is_read ? &latch->table->read_waits : &latch->table->latch_waits, time_ns,
			  0);
	if (latch->table && latch->is_upper)
		tally_end(&latch->table->tree_waits, time_ns, 0);
}

static void begin_log_write(struct machine *machine)
{
	machine->log_writing = machine->log_waiting;
	machine->log_waiting = (struct worker_queue){0};
	machine->is_log_writing = true;
	machine->log_write_count++;
	clockwork_add(
		&machine->clockwork,
		(struct event){.due_ns = machine->now_ns + machine->log_write_ns * machine->scale,
			       .kind = EVENT_LOG});
}

bool log_commit(struct machine *machine, struct worker *worker)
{
	worker_suspend(machine, worker, WAIT_WRITELOG);
	worker_queue_push(&machine->log_waiting, worker);
	if (!machine->is_log_writing)
		begin_log_write(machine);
	return false;
}

void log_written(struct machine *machine)
{
	struct worker_queue written = machine->log_writing;

	machine->is_log_writing = false;
	for (struct worker *worker = worker_queue_pop(&written); worker;
	     worker = worker_queue_pop(&written))
		worker_signal(machine, worker);
	if (machine->log_waiting.count > 0)
		begin_log_write(machine);
}

/* Half of the time to one and a half of it. */
static void begin_read(struct machine *machine, struct worker *worker)
{
	int64_t time_ns = machine->read_ns * machine->scale;
	int64_t spread_ns = (int64_t)(worker_random(worker) % 1000) * time_ns / 1000;

	machine->disk_busy++;
	clockwork_add(&machine->clockwork,
		      (struct event){.due_ns = machine->now_ns + time_ns / 2 + spread_ns,
				     .kind = EVENT_DISK,
				     .worker = worker});
}

bool disk_read(struct machine *machine, struct worker *worker, struct latch *latch,
	       enum wait_kind kind)
{
	worker->latch = latch;
	machine->ledger.latches[latch->latch_class].count++;
	if (latch->table)
		latch->table->read_waits.count++;
	worker_suspend(machine, worker, kind);
	if (machine->disk_busy < COST_DISK_DEPTH)
		begin_read(machine, worker);
	else
		worker_queue_push(&machine->disk_waiting, worker);
	return false;
}

void disk_read_ended(struct machine *machine, struct worker *worker)
{
	struct worker *next = worker_queue_pop(&machine->disk_waiting);

	machine->disk_busy--;
	worker_signal(machine, worker);
	if (next)
		begin_read(machine, next);
}

bool spin_acquire(struct machine *machine, struct worker *worker, struct spin_mutex *mutex)
{
	worker->has_spinlock = true;
	if (!mutex->owner) {
		mutex->owner = worker;
		return true;
	}
	machine->ledger.spinlocks[mutex->spinlock].collisions++;
	worker->wait_start_ns = machine->now_ns;
	worker_queue_push(&mutex->spinning, worker);
	return false;
}

void spin_release(struct machine *machine, struct spin_mutex *mutex)
{
	struct worker *next = worker_queue_pop(&mutex->spinning);
	struct spin_tally *tally = &machine->ledger.spinlocks[mutex->spinlock];

	mutex->owner->has_spinlock = false;
	mutex->owner = next;
	if (!next)
		return;
	int64_t spins = (machine->now_ns - next->wait_start_ns) / (COST_SPIN_NS * machine->scale);
	tally->spins += spins;
	tally->backoffs += spins / COST_SPINS_A_BACKOFF;
	(void)worker_compute(machine, next, 0); /* The spinner goes on at this moment. */
}
