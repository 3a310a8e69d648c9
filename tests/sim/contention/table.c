/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables. Latches of the last leaves live in a ring, for those who were sent away from a full page
 * still look at it once. Guarded by the instance's lock.
 */
#include "tests/sim/contention/table.h"

#include "tests/sim/contention/costs.h"
#include "tests/sim/metadata.h"
#include "tests/sim/page_store.h"
#include "tests/sim/text.h"

#include <stdlib.h>

/* Waiters on the last page from which on the server regulates the flow. */
#define GATE_WAITERS 2

static struct latch *last_leaf(struct table *table)
{
	return &table->last_leaves[table->sequence % TABLE_LEAVES_KEPT];
}

static void name_leaf(const struct table *table, struct latch *leaf, int64_t sequence)
{
	struct page_address address = page_store_address(table->lane, sequence, table->file_count);

	leaf->sequence = sequence;
	leaf->file_id = address.file_id;
	leaf->page = address.page;
	leaf->fill = 0;
}

static void init_leaf(struct table *table, struct latch *leaf)
{
	leaf->latch_class = LATCH_BUFFER;
	leaf->database_id = table->database_id;
	leaf->table = table;
}

static void init_random_leaves(struct table *table)
{
	table->leaves = memory_new(TABLE_RANDOM_LEAVES, sizeof(*table->leaves));
	for (int i = 0; i < TABLE_RANDOM_LEAVES; i++) {
		init_leaf(table, &table->leaves[i]);
		table->leaves[i].file_id = 1;
		table->leaves[i].page = TABLE_RANDOM_FIRST_PAGE + i;
		table->leaves[i].fill = PAGE_ROWS / 2 + i * 7 % (PAGE_ROWS / 2);
	}
}

void table_init(struct table *table, enum table_key key, int32_t object_id, int32_t lane,
		int64_t rows)
{
	*table = (struct table){
		.database_id = DATABASE_SALES,
		.object_id = object_id,
		.index_id = 1,
		.key = key,
		.lane = lane,
		.file_count = 1,
		.sequence = rows / PAGE_ROWS,
	};
	for (int i = 0; i < TABLE_LEAVES_KEPT; i++)
		init_leaf(table, &table->last_leaves[i]);
	name_leaf(table, last_leaf(table), table->sequence);
	last_leaf(table)->fill = (int32_t)(rows % PAGE_ROWS);
	if (key == KEY_FIXED)
		last_leaf(table)->page = PAGE_OF_QUEUE;
	if (key == KEY_RANDOM)
		init_random_leaves(table);
}

void table_done(struct table *table)
{
	free(table->leaves);
}

struct latch *table_leaf(struct table *table, struct worker *worker)
{
	if (table->key == KEY_RANDOM)
		return &table->leaves[worker_random(worker) % TABLE_RANDOM_LEAVES];
	return last_leaf(table);
}

bool table_is_behind(const struct table *table, const struct latch *leaf)
{
	return table->key != KEY_RANDOM && leaf->sequence != table->sequence;
}

int64_t table_write_cost(const struct table *table, const struct latch *leaf)
{
	if (table->key == KEY_FIXED || leaf->fill < PAGE_ROWS)
		return COST_ROW_HOLD_NS;
	if (table->key == KEY_RANDOM)
		return COST_ROW_HOLD_NS + COST_PAGE_SPLIT_NS;
	return COST_ROW_HOLD_NS + COST_PAGE_ALLOCATE_NS +
	       ((table->sequence + 1) % 8 == 0 ? COST_EXTENT_ALLOCATE_NS : 0);
}

void table_write(struct table *table, struct latch *leaf)
{
	table->insert_count++;
	if (table->key == KEY_FIXED)
		return;
	if (leaf->fill < PAGE_ROWS) {
		leaf->fill++;
		return;
	}
	table->allocation_count++;
	if (table->key == KEY_RANDOM) {
		leaf->fill = PAGE_ROWS / 2;
		return;
	}
	table->sequence++;
	struct latch *next = last_leaf(table);
	name_leaf(table, next, table->sequence);
	next->fill = 1;
}

bool table_enter(struct table *table, struct machine *machine, struct worker *worker)
{
	int32_t scheduler = worker->scheduler;

	if (!table->is_optimized)
		return true;
	if (table->inside[scheduler] > 0 && last_leaf(table)->waiter_count >= GATE_WAITERS) {
		worker_queue_push(&table->outside[scheduler], worker);
		worker_suspend(machine, worker, WAIT_FLOW_CONTROL);
		return false;
	}
	table->inside[scheduler]++;
	worker->is_in_gate = true;
	return true;
}

void table_leave(struct table *table, struct machine *machine, struct worker *worker)
{
	int32_t scheduler = worker->scheduler;

	if (!worker->is_in_gate)
		return;
	worker->is_in_gate = false;
	table->inside[scheduler]--;
	/* Several may be inside, let in while nothing was contended. */
	struct worker *next =
		table->inside[scheduler] > 0 ? NULL : worker_queue_pop(&table->outside[scheduler]);
	if (!next)
		return;
	table->inside[scheduler]++;
	next->is_in_gate = true;
	worker_signal(machine, next);
}
