/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loads of the contention model and what they share: tables, pages everybody wants, spinlocks.
 * Guarded by the instance's lock.
 */
#pragma once

#include "tests/sim/contention/table.h"

#define STAGE_FILES_MAX 16

/* All that workers of a load meet at. */
struct stage {
	struct machine machine; /* first, so that programs find the stage */
	struct table orders;	/* identity */
	struct table invoices;	/* sequence */
	struct table audit;	/* random */
	struct table queue;	/* one page */
	int32_t tempdb_file_count;
	struct latch pfs[STAGE_FILES_MAX];
	struct latch gam[STAGE_FILES_MAX];
	struct latch sgam[STAGE_FILES_MAX];
	struct latch system_page; /* of sysschobjs in tempdb */
	struct latch root_page;	  /* of PK_Orders */
	struct latch virtual_root;
	struct latch transaction; /* the parent of the nested ones */
	struct latch memory_pool;
	struct spin_mutex allocator;
	int32_t rows_per_commit;
};

struct load {
	const char *name;
	const char *command;
	const char *text; /* of the statement */
	uint64_t query_hash;
	int32_t database_id;
	int32_t session_count; /* when none is said */
	worker_program program;
};

/* NULL when there is none. Pure. */
const struct load *load_find(const char *name);

/* The names, for messages. Pure. */
const struct load *loads(size_t *count);

/* Inserts rows into the worker's table until rows_left is 0. */
bool load_insert_row(struct machine *machine, struct worker *worker);

/* Programs of the other loads; each turn is a statement. */
bool load_allocate_tempdb(struct machine *machine, struct worker *worker);
bool load_create_tempdb_tables(struct machine *machine, struct worker *worker);
bool load_take_from_queue(struct machine *machine, struct worker *worker);
bool load_split_root(struct machine *machine, struct worker *worker);
bool load_nest_transactions(struct machine *machine, struct worker *worker);
bool load_hash_bytes(struct machine *machine, struct worker *worker);
bool load_reserve_memory(struct machine *machine, struct worker *worker);
bool load_read_slow_disk(struct machine *machine, struct worker *worker);

/* Ends the statement: true to begin the next one at once. */
bool load_end_statement(struct machine *machine, struct worker *worker);

void stage_init(struct stage *stage, int32_t scheduler_count, int64_t now_ns, int64_t orders_rows,
		int64_t invoices_rows);
void stage_done(struct stage *stage);
