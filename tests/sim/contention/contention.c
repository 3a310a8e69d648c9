/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The contention model for the instance. The model runs on the instance's clock, a microsecond of
 * it a microsecond there; the declared scale makes everything in it cost more instead. When it has
 * to do more than a machine can follow, it falls behind its clock and says by how much; what it
 * shows is still right per second of its own time. Guarded by the instance's lock.
 */
#include "tests/sim/contention/contention.h"

#include "tests/sim/contention/costs.h"
#include "tests/sim/metadata.h"
#include "tests/sim/page_store.h"
#include "tests/sim/text.h"

#include <stdlib.h>
#include <string.h>

#define MICROSECOND_NS 1000
#define MILLISECOND_NS 1000000

/* Events in one go, about a second of the busiest load. */
#define EVENTS_AT_ONCE 1000000

struct contention *contention_new(const struct page_store *pages, int64_t now_us)
{
	struct contention *contention = memory_new(1, sizeof(*contention));

	stage_init(&contention->stage, CONTENTION_SCHEDULERS, now_us * MICROSECOND_NS,
		   page_store_rows(pages, now_us), pages->invoice_rows);
	return contention;
}

void contention_free(struct contention *contention)
{
	if (!contention)
		return;
	stage_done(&contention->stage);
	free(contention);
}

static struct table *table_of(struct stage *stage, int32_t object_id)
{
	struct table *const tables[] = {&stage->orders, &stage->invoices, &stage->audit,
					&stage->queue};

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		if (tables[i]->object_id == object_id)
			return tables[i];
	return NULL;
}

static void dismiss(struct machine *machine)
{
	for (size_t i = 0; i < machine->worker_count; i++)
		if (machine->workers[i]->load)
			machine->workers[i]->is_leaving = true;
}

static bool has_clients(const struct machine *machine)
{
	for (size_t i = 0; i < machine->worker_count; i++)
		if (!machine->workers[i]->load)
			return true;
	return false;
}

static struct table *table_of_key(struct stage *stage, enum table_key key)
{
	return key == KEY_SEQUENCE ? &stage->invoices
	       : key == KEY_RANDOM ? &stage->audit
				   : &stage->orders;
}

/* Lets those who are to leave end their statements, so that the schedulers are free to change. */
static void drain(struct machine *machine)
{
	while (clockwork_due_ns(&machine->clockwork) != INT64_MAX)
		(void)machine_advance(machine, clockwork_due_ns(&machine->clockwork), -1);
	machine_sweep(machine);
}

static void set_stage(struct stage *stage, const struct contention_order *order)
{
	bool is_log_bound = strcmp(order->load->name, "log-bound") == 0;
	bool is_disk_bound = strcmp(order->load->name, "slow-disk") == 0;

	stage->machine.scale = order->scale;
	stage->machine.log_write_ns = is_log_bound ? COST_LOG_SLOW_NS : COST_LOG_WRITE_NS;
	stage->machine.read_ns = is_disk_bound ? COST_READ_SLOW_NS : COST_READ_NS;
	stage->rows_per_commit = is_log_bound ? 1 : order->rows_per_commit;
	stage->orders.is_optimized = order->is_optimized;
	stage->invoices.is_optimized = order->is_optimized;
	stage->orders.file_count = order->file_count;
	stage->tempdb_file_count = order->file_count;
}

static void add_sessions(struct stage *stage, const struct contention_order *order,
			 int32_t first_session)
{
	for (int32_t i = 0; i < order->session_count; i++) {
		struct worker *worker = machine_add_worker(&stage->machine, first_session + i,
							   order->load->program);
		worker->load = order->load;
		worker->table = table_of_key(stage, order->key);
		worker->rows_left = INT64_MAX;
		worker->turn = i;
		worker_start(&stage->machine, worker);
	}
}

bool contention_start(struct contention *contention, const struct contention_order *order,
		      int32_t first_session)
{
	struct machine *machine = &contention->stage.machine;
	bool is_other_size = order->load && order->scheduler_count != machine->scheduler_count;

	if (is_other_size && has_clients(machine))
		return false;
	dismiss(machine);
	drain(machine);
	contention->load = order->load;
	contention->order = *order;
	if (!order->load)
		return true;
	if (is_other_size)
		machine_set_schedulers(machine, order->scheduler_count);
	set_stage(&contention->stage, order);
	add_sessions(&contention->stage, order, first_session);
	return true;
}

void contention_advance(struct contention *contention, int64_t now_us)
{
	struct machine *machine = &contention->stage.machine;
	int64_t now_ns = now_us * MICROSECOND_NS - contention->behind_ns;

	if (!machine_advance(machine, now_ns, EVENTS_AT_ONCE))
		contention->behind_ns += now_ns - machine->now_ns;
}

/* The row of a name, found again only when rows came or went. */
static struct counter *counter_at(struct counters *counters, size_t *place, const char *name)
{
	if (*place < counters->count && strcmp(counters->items[*place].name, name) == 0)
		return &counters->items[*place];
	struct counter *counter = counters_find(counters, name);
	if (counter)
		*place = (size_t)(counter - counters->items);
	return counter;
}

/* Whole milliseconds of the total are booked, so nothing is lost between two bookings. */
static int64_t grown_ms(int64_t total_ns, int64_t before_ns)
{
	return total_ns / MILLISECOND_NS - before_ns / MILLISECOND_NS;
}

static void book_tally(struct counter *counter, const struct tally *tally,
		       const struct tally *before)
{
	if (!counter)
		return;
	counter->base[0] += tally->count - before->count;
	counter->base[1] += grown_ms(tally->time_ns, before->time_ns);
	if (counter->base[2] < tally->max_ns / MILLISECOND_NS)
		counter->base[2] = tally->max_ns / MILLISECOND_NS;
	counter->base[3] += grown_ms(tally->signal_ns, before->signal_ns);
}

static void book_spinlock(struct counter *counter, const struct spin_tally *tally,
			  const struct spin_tally *before)
{
	if (!counter)
		return;
	counter->base[0] += tally->collisions - before->collisions;
	counter->base[1] += tally->spins - before->spins;
	counter->base[2] += grown_ms(tally->sleep_ns, before->sleep_ns);
	counter->base[3] += tally->backoffs - before->backoffs;
}

void contention_book(struct contention *contention, struct counters *counters,
		     struct page_store *pages)
{
	struct ledger *ledger = &contention->stage.machine.ledger;
	const struct ledger *booked = &contention->booked;

	for (int i = 0; i < WAIT_KINDS; i++)
		if (ledger->waits[i].count > 0)
			book_tally(counter_at(&counters[COUNTER_WAITS], &contention->places[0][i],
					      wait_kind_name((enum wait_kind)i)),
				   &ledger->waits[i], &booked->waits[i]);
	for (int i = 0; i < LATCH_CLASSES; i++)
		if (ledger->latches[i].count > 0)
			book_tally(counter_at(&counters[COUNTER_LATCHES], &contention->places[1][i],
					      latch_class_name((enum latch_class)i)),
				   &ledger->latches[i], &booked->latches[i]);
	for (int i = 0; i < SPINLOCKS; i++)
		if (ledger->spinlocks[i].collisions > 0)
			book_spinlock(counter_at(&counters[COUNTER_SPINLOCKS],
						 &contention->places[2][i],
						 spinlock_name((enum spinlock)i)),
				      &ledger->spinlocks[i], &booked->spinlocks[i]);
	ledger_forget_maxima(ledger);
	contention->booked = *ledger;
	pages->base_rows += contention->stage.orders.insert_count - contention->orders_booked;
	contention->orders_booked = contention->stage.orders.insert_count;
	pages->invoice_rows = contention->stage.invoices.sequence * PAGE_ROWS;
	pages->file_count = contention->stage.orders.file_count;
}

static void forget_table(struct table *table)
{
	table->insert_count = 0;
	table->allocation_count = 0;
	table->latch_waits = (struct tally){0};
	table->read_waits = (struct tally){0};
	table->tree_waits = (struct tally){0};
}

void contention_restart(struct contention *contention)
{
	struct stage *stage = &contention->stage;

	forget_table(&stage->orders);
	forget_table(&stage->invoices);
	forget_table(&stage->audit);
	forget_table(&stage->queue);
	contention->orders_booked = 0;
	for (size_t i = 0; i < stage->machine.worker_count; i++)
		memset(stage->machine.workers[i]->waits, 0,
		       sizeof(stage->machine.workers[i]->waits));
}

struct worker *contention_insert(struct contention *contention, struct worker *worker,
				 int32_t session_id, int32_t object_id, int64_t row_count,
				 void *job)
{
	struct machine *machine = &contention->stage.machine;
	struct table *table = table_of(&contention->stage, object_id);

	if (!table)
		return NULL;
	if (!worker)
		worker = machine_add_worker(machine, session_id, load_insert_row);
	worker->table = table;
	worker->rows_left = row_count;
	worker->position = 0;
	worker->job = job;
	worker_start(machine, worker);
	return worker;
}

void contention_release(struct contention *contention, struct worker *worker)
{
	struct machine *machine = &contention->stage.machine;

	if (!worker)
		return;
	worker->job = NULL;
	worker->is_leaving = true;
	if (worker->state == WORKER_RESTING) {
		worker->is_gone = true;
		machine->schedulers[worker->scheduler].worker_count--;
	}
	machine_sweep(machine);
}

int64_t contention_due_us(const struct contention *contention, int64_t now_us)
{
	const struct machine *machine = &contention->stage.machine;
	int64_t due_ns = clockwork_due_ns(&machine->clockwork);

	if (due_ns == INT64_MAX)
		return INT64_MAX;
	int64_t left_us = (due_ns + contention->behind_ns) / MICROSECOND_NS - now_us;
	return left_us > 0 ? left_us : 0;
}
