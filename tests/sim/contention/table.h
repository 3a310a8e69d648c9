/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of the contention model with its one index: where the next row goes, which latch guards
 * that page, when a page is full, and who may be in the B-tree under OPTIMIZE_FOR_SEQUENTIAL_KEY.
 * Guarded by the instance's lock.
 */
#pragma once

#include "tests/sim/contention/machine.h"

struct page_store;

#define TABLE_LEAVES_KEPT	64
#define TABLE_RANDOM_LEAVES	2048
#define TABLE_RANDOM_FIRST_PAGE 10000

enum table_key {
	KEY_IDENTITY,
	KEY_SEQUENCE,
	KEY_RANDOM,
	KEY_FIXED, /* one page that rows come to and leave again */
};

struct table {
	int32_t database_id;
	int32_t object_id;
	int32_t index_id;
	enum table_key key;
	bool is_optimized; /* OPTIMIZE_FOR_SEQUENTIAL_KEY */
	int32_t lane;	   /* which pages are its; page_store_address */
	int32_t file_count;
	int64_t sequence; /* the last leaf */
	struct latch last_leaves[TABLE_LEAVES_KEPT];
	struct latch *leaves; /* of random keys */
	int32_t inside[MACHINE_SCHEDULERS_MAX];
	struct worker_queue outside[MACHINE_SCHEDULERS_MAX];
	int64_t insert_count;
	int64_t allocation_count;
	struct tally latch_waits;
	struct tally read_waits;
	struct tally tree_waits; /* those of upper levels, also in latch_waits */
};

/* rows are in the table already. */
void table_init(struct table *table, enum table_key key, int32_t object_id, int32_t lane,
		int64_t rows);
void table_done(struct table *table);

/* The latch of the page that the worker's next row belongs on. */
struct latch *table_leaf(struct table *table, struct worker *worker);

/* True when the end of the index is elsewhere by now. */
bool table_is_behind(const struct table *table, const struct latch *leaf);

/* What writing one row costs while the latch is held. Pure. */
int64_t table_write_cost(const struct table *table, const struct latch *leaf);

/* Puts one row on the page, or on a new one when it is full. */
void table_write(struct table *table, struct latch *leaf);

/*
 * Flow control: with the option on and several waiting for the last page, one worker per scheduler
 * is let into the B-tree. True when the worker is in; else it waits.
 */
bool table_enter(struct table *table, struct machine *machine, struct worker *worker);
void table_leave(struct table *table, struct machine *machine, struct worker *worker);
