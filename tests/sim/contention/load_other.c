/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads that contend for something else than the end of an index: allocation pages and system pages
 * of tempdb, one page of a queue, a root page, a parent transaction, memory, the disk. Guarded by
 * the instance's lock.
 */
#include "tests/sim/contention/costs.h"
#include "tests/sim/contention/load.h"
#include "tests/sim/contention/station.h"

#define THINK_NS    60000
#define ALLOCATIONS 3

/* A turn stands for a hundred rows: the events of single ones would be too many to follow. */
#define HASH_NS	     700000
#define ALLOCATOR_NS 25000
#define SORT_NS	     600000
#define RESERVE_NS   4000
#define SEEK_NS	     300000

#define LOG_RECORD_NS	 9000
#define ROWS_A_RECORD_NS 60000

static struct stage *stage_of(struct machine *machine)
{
	return (struct stage *)machine;
}

/* Goes to a position, then asks for the latch. */
static bool take(struct machine *machine, struct worker *worker, struct latch *latch,
		 enum latch_mode mode, int position)
{
	worker->position = position;
	worker->held = latch;
	return latch_acquire(machine, worker, latch, mode);
}

static bool compute(struct machine *machine, struct worker *worker, int64_t cost_ns, int position)
{
	worker->position = position;
	return worker_compute(machine, worker, cost_ns);
}

static void drop(struct machine *machine, struct worker *worker)
{
	struct latch *latch = worker->held;

	worker->held = NULL;
	latch_release(machine, latch);
}

static bool end(struct machine *machine, struct worker *worker)
{
	worker->position = 0;
	worker->rows_done++;
	return load_end_statement(machine, worker);
}

/* The PFS page at each allocation, GAM and SGAM where a new extent is needed. */
static struct latch *allocation_page(struct stage *stage, struct worker *worker)
{
	int32_t file = (int32_t)((uint32_t)(worker->rows_done + worker->session_id) %
				 (uint32_t)stage->tempdb_file_count);

	switch (worker->turn % ALLOCATIONS) {
	case 0:
		return &stage->sgam[file];
	case 1:
		return worker->rows_done % 2 == 0 ? &stage->gam[file] : &stage->pfs[file];
	default:
		return &stage->pfs[file];
	}
}

bool load_allocate_tempdb(struct machine *machine, struct worker *worker)
{
	switch (worker->position) {
	case 0:
		return compute(machine, worker, SEEK_NS, 1);
	case 1:
		return take(machine, worker, allocation_page(stage_of(machine), worker),
			    LATCH_MODE_UP, 2);
	case 2:
		return compute(machine, worker, COST_ROW_HOLD_NS, 3);
	default:
		drop(machine, worker);
		worker->turn++;
		if (worker->turn % ALLOCATIONS != 0)
			return compute(machine, worker, COST_ROW_FINISH_NS, 1);
		return end(machine, worker);
	}
}

/* A new name is written there each time, and looked for now and then. */
bool load_create_tempdb_tables(struct machine *machine, struct worker *worker)
{
	switch (worker->position) {
	case 0:
		return compute(machine, worker, THINK_NS, 1);
	case 1:
		worker->position = 3;
		if (worker->turn++ % 8 != 0)
			return true;
		return take(machine, worker, &stage_of(machine)->system_page, LATCH_MODE_SH, 2);
	case 2:
		return compute(machine, worker, COST_ROW_FINISH_NS, 3);
	case 3:
		if (worker->held)
			drop(machine, worker);
		return take(machine, worker, &stage_of(machine)->system_page, LATCH_MODE_EX, 4);
	case 4:
		return compute(machine, worker, COST_ROW_HOLD_NS, 5);
	default:
		drop(machine, worker);
		return end(machine, worker);
	}
}

/* Look for a row, take it, commit. */
bool load_take_from_queue(struct machine *machine, struct worker *worker)
{
	struct latch *page = table_leaf(&stage_of(machine)->queue, worker);

	switch (worker->position) {
	case 0:
		return compute(machine, worker, COST_ROW_PREPARE_NS, 1);
	case 1:
		return take(machine, worker, page, LATCH_MODE_SH, 2);
	case 2:
		return compute(machine, worker, COST_ROW_FINISH_NS, 3);
	case 3:
		drop(machine, worker);
		return take(machine, worker, page, LATCH_MODE_EX, 4);
	case 4:
		return compute(machine, worker, COST_ROW_HOLD_NS, 5);
	case 5:
		drop(machine, worker);
		table_write(&stage_of(machine)->queue, page);
		worker->position = 6;
		return log_commit(machine, worker);
	default:
		return end(machine, worker);
	}
}

/* Every reader goes through the root; one in sixteen changes it and the pointer to it. */
bool load_split_root(struct machine *machine, struct worker *worker)
{
	struct stage *stage = stage_of(machine);
	bool is_writer = worker->turn % 16 == 0;
	enum latch_mode mode = is_writer ? LATCH_MODE_EX : LATCH_MODE_SH;

	switch (worker->position) {
	case 0:
		worker->turn = (int32_t)(worker_random(worker) % 16);
		return compute(machine, worker, SEEK_NS, 1);
	case 1:
		return take(machine, worker, &stage->virtual_root, mode, 2);
	case 2:
		return compute(machine, worker, COST_PAGE_FULL_NS, 3);
	case 3:
		drop(machine, worker);
		return take(machine, worker, &stage->root_page, mode, 4);
	case 4:
		return compute(machine, worker, is_writer ? COST_PAGE_SPLIT_NS : COST_ROW_FINISH_NS,
			       5);
	default:
		drop(machine, worker);
		return end(machine, worker);
	}
}

/* The first session only computes: whoever shares its scheduler holds up all the others. */
bool load_nest_transactions(struct machine *machine, struct worker *worker)
{
	if (worker->turn == 0)
		return load_end_statement(machine, worker) && compute(machine, worker, THINK_NS, 0);
	switch (worker->position) {
	case 0:
		return compute(machine, worker, ROWS_A_RECORD_NS, 1);
	case 1:
		return take(machine, worker, &stage_of(machine)->transaction, LATCH_MODE_EX, 2);
	case 2:
		return compute(machine, worker, LOG_RECORD_NS, 3);
	default:
		drop(machine, worker);
		return end(machine, worker);
	}
}

/* A page of memory for every row, from an allocator that one worker at a time may enter. */
bool load_hash_bytes(struct machine *machine, struct worker *worker)
{
	struct spin_mutex *allocator = &stage_of(machine)->allocator;

	switch (worker->position) {
	case 0:
		return compute(machine, worker, HASH_NS, 1);
	case 1:
		worker->position = 2;
		worker->wait_start_ns = machine->now_ns;
		return spin_acquire(machine, worker, allocator);
	case 2:
		return compute(machine, worker, ALLOCATOR_NS, 3);
	default:
		spin_release(machine, allocator);
		worker_book(machine, worker, WAIT_MEMORY, machine->now_ns - worker->wait_start_ns);
		return end(machine, worker);
	}
}

/* The same without large pages: short, and nobody is in the way. */
bool load_reserve_memory(struct machine *machine, struct worker *worker)
{
	switch (worker->position) {
	case 0:
		return compute(machine, worker, SORT_NS, 1);
	case 1:
		worker->wait_start_ns = machine->now_ns;
		return compute(machine, worker, RESERVE_NS, 2);
	default:
		worker_book(machine, worker, WAIT_RESERVED_MEMORY,
			    machine->now_ns - worker->wait_start_ns);
		return end(machine, worker);
	}
}

bool load_read_slow_disk(struct machine *machine, struct worker *worker)
{
	switch (worker->position) {
	case 0:
		return compute(machine, worker, THINK_NS, 1);
	case 1:
		worker->position = 2;
		return disk_read(machine, worker, table_leaf(&stage_of(machine)->audit, worker),
				 WAIT_PAGEIOLATCH_SH);
	default:
		return end(machine, worker);
	}
}
