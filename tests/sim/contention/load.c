/* SPDX-License-Identifier: Apache-2.0 */
/* The table of loads, and the load that inserts. Guarded by the instance's lock. */
#include "tests/sim/contention/load.h"

#include "tests/sim/contention/costs.h"
#include "tests/sim/contention/station.h"
#include "tests/sim/metadata.h"
#include "tests/sim/page_store.h"

#include <string.h>

/* Of a hundred rows with a random key so many belong on a page that is not in memory. */
#define MISSES_PERCENT 20

enum insert_position {
	INSERT_BEGIN,
	INSERT_ENTER,
	INSERT_READ,
	INSERT_FIND,
	INSERT_ARRIVED,
	INSERT_WRITTEN,
	INSERT_FINISHED,
	INSERT_COMMITTED,
};

static const struct load all_loads[] = {
	{"insert", "INSERT",
	 "INSERT INTO dbo.Orders (CustomerId, Amount) VALUES (@customer, @amount)",
	 UINT64_C(0x8D3A61B27C09E5F4), DATABASE_SALES, 64, load_insert_row},
	{"tempdb-allocation", "SELECT INTO",
	 "SELECT * INTO #part FROM dbo.Orders WHERE OrderId < 100", UINT64_C(0xB06E14D873A5F92C),
	 DATABASE_SALES, 32, load_allocate_tempdb},
	{"tempdb-metadata", "CREATE TABLE", "CREATE TABLE #basket (Id int PRIMARY KEY, Amount int)",
	 UINT64_C(0x2F90D3B1A84C7E65), DATABASE_SALES, 32, load_create_tempdb_tables},
	{"queue-table", "UPDATE",
	 "UPDATE TOP (1) dbo.Queue WITH (READPAST) SET Payload = NULL OUTPUT deleted.QueueId",
	 UINT64_C(0x51C7F0A94E6620BD), DATABASE_SALES, 24, load_take_from_queue},
	{"root-page", "INSERT", "INSERT INTO dbo.Orders (CustomerId, Amount) VALUES (@c, @a)",
	 UINT64_C(0x77AD1902CE3B84F6), DATABASE_SALES, 48, load_split_root},
	{"nesting-transaction", "INSERT",
	 "INSERT INTO #target WITH (TABLOCK) SELECT * FROM dbo.Orders",
	 UINT64_C(0x9C41E7205B8FD361), DATABASE_SALES, 33, load_nest_transactions},
	{"hash-bytes", "SELECT", "SELECT HASHBYTES('SHA2_256', Note) FROM dbo.Audit",
	 UINT64_C(0xE30B5D8A61F7C294), DATABASE_SALES, 64, load_hash_bytes},
	{"reserved-memory", "SELECT", "SELECT Note FROM dbo.Audit ORDER BY Note",
	 UINT64_C(0x148ED6F0B27A953C), DATABASE_SALES, 64, load_reserve_memory},
	{"slow-disk", "SELECT", "SELECT Note FROM dbo.Audit WHERE AuditId = @id",
	 UINT64_C(0xC6529A0F3E74B81D), DATABASE_SALES, 48, load_read_slow_disk},
	{"log-bound", "INSERT", "INSERT INTO dbo.Audit (Note) VALUES (@note)",
	 UINT64_C(0x60F8A3D51C29E74B), DATABASE_SALES, 64, load_insert_row},
};

const struct load *loads(size_t *count)
{
	*count = sizeof(all_loads) / sizeof(all_loads[0]);
	return all_loads;
}

const struct load *load_find(const char *name)
{
	for (size_t i = 0; i < sizeof(all_loads) / sizeof(all_loads[0]); i++)
		if (strcmp(all_loads[i].name, name) == 0)
			return &all_loads[i];
	return NULL;
}

bool load_end_statement(struct machine *machine, struct worker *worker)
{
	if (worker->is_leaving || worker->rows_left == 0)
		return worker_rest(machine, worker);
	worker->statement_start_ns = machine->now_ns;
	return true;
}

/* Writes the row, or looks for the page that is the last one by now. */
static bool arrive(struct machine *machine, struct worker *worker)
{
	struct table *table = worker->table;

	if (table_is_behind(table, worker->held)) {
		worker->position = INSERT_FIND;
		return worker_compute(machine, worker, COST_PAGE_FULL_NS);
	}
	worker->position = INSERT_WRITTEN;
	return worker_compute(machine, worker, table_write_cost(table, worker->held));
}

/* Those who wait for a page that is full by now go and look for the new one. */
static void write_row(struct machine *machine, struct worker *worker)
{
	struct latch *leaf = worker->held;

	table_write(worker->table, leaf);
	worker->held = NULL;
	if (table_is_behind(worker->table, leaf))
		latch_disperse(machine, leaf);
	else
		latch_release(machine, leaf);
}

static bool finish_row(struct machine *machine, struct worker *worker)
{
	const struct stage *stage = (const struct stage *)machine;
	int32_t rows_per_commit = worker->load ? stage->rows_per_commit : INT32_MAX;

	worker->rows_done++;
	worker->rows_in_transaction++;
	worker->rows_left--;
	worker->position = INSERT_COMMITTED;
	if (worker->rows_left > 0 && !worker->is_leaving &&
	    worker->rows_in_transaction < rows_per_commit)
		return true;
	worker->rows_in_transaction = 0;
	return log_commit(machine, worker);
}

static bool find_page(struct machine *machine, struct worker *worker)
{
	worker->position = INSERT_ARRIVED;
	if (worker->table->key != KEY_RANDOM || !worker->held)
		worker->held = table_leaf(worker->table, worker);
	return latch_acquire(machine, worker, worker->held, LATCH_MODE_EX);
}

/* A page chosen by a random key may have to be read first. */
static bool read_page(struct machine *machine, struct worker *worker)
{
	worker->position = INSERT_FIND;
	if (worker->table->key != KEY_RANDOM)
		return true;
	worker->held = table_leaf(worker->table, worker);
	if (worker_random(worker) % 100 >= MISSES_PERCENT)
		return true;
	return disk_read(machine, worker, worker->held, WAIT_PAGEIOLATCH_EX);
}

bool load_insert_row(struct machine *machine, struct worker *worker)
{
	switch ((enum insert_position)worker->position) {
	case INSERT_BEGIN:
		worker->position = INSERT_ENTER;
		return worker_compute(machine, worker, COST_ROW_PREPARE_NS);
	case INSERT_ENTER:
		worker->position = INSERT_READ;
		return table_enter(worker->table, machine, worker);
	case INSERT_READ:
		return read_page(machine, worker);
	case INSERT_FIND:
		return find_page(machine, worker);
	case INSERT_ARRIVED:
		return arrive(machine, worker);
	case INSERT_WRITTEN:
		write_row(machine, worker);
		table_leave(worker->table, machine, worker);
		worker->position = INSERT_FINISHED;
		return worker_compute(machine, worker, COST_ROW_FINISH_NS);
	case INSERT_FINISHED:
		return finish_row(machine, worker);
	case INSERT_COMMITTED:
		worker->position = INSERT_BEGIN;
		break;
	}
	return load_end_statement(machine, worker);
}

static void init_page(struct latch *latch, int32_t database_id, int32_t file_id, int64_t page)
{
	*latch = (struct latch){.latch_class = LATCH_BUFFER,
				.database_id = database_id,
				.file_id = file_id,
				.page = page};
}

void stage_init(struct stage *stage, int32_t scheduler_count, int64_t now_ns, int64_t orders_rows,
		int64_t invoices_rows)
{
	machine_init(&stage->machine, scheduler_count, now_ns);
	table_init(&stage->orders, KEY_IDENTITY, OBJECT_ORDERS, PAGE_LANE_ORDERS, orders_rows);
	table_init(&stage->invoices, KEY_SEQUENCE, OBJECT_INVOICES, PAGE_LANE_INVOICES,
		   invoices_rows);
	table_init(&stage->audit, KEY_RANDOM, OBJECT_AUDIT, PAGE_LANE_ORDERS, 0);
	table_init(&stage->queue, KEY_FIXED, OBJECT_QUEUE, PAGE_LANE_ORDERS, 0);
	for (int32_t i = 0; i < STAGE_FILES_MAX; i++) {
		int32_t file_id = i == 0 ? 1 : i + 2; /* File 2 is the log. */
		init_page(&stage->pfs[i], DATABASE_TEMPDB, file_id, 1);
		init_page(&stage->gam[i], DATABASE_TEMPDB, file_id, 2);
		init_page(&stage->sgam[i], DATABASE_TEMPDB, file_id, 3);
	}
	init_page(&stage->system_page, DATABASE_TEMPDB, 1, 118);
	init_page(&stage->root_page, DATABASE_SALES, 1, PAGE_OF_ORDERS_ROOT);
	stage->root_page.table = &stage->orders;
	stage->root_page.is_upper = true;
	stage->virtual_root.latch_class = LATCH_VIRTUAL_ROOT;
	stage->transaction.latch_class = LATCH_NESTING_TRANSACTION;
	stage->allocator.spinlock = SPINLOCK_LARGEPAGE;
	stage->tempdb_file_count = 1;
	stage->rows_per_commit = 100;
}

void stage_done(struct stage *stage)
{
	machine_done(&stage->machine);
	table_done(&stage->audit);
}
