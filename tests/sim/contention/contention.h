/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The contention model as the instance uses it: loads are ordered, clients from outside insert,
 * what all of them waited for goes into the counters of the views. Guarded by the instance's lock.
 */
#pragma once

#include "tests/sim/contention/load.h"
#include "tests/sim/counters.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct page_store;

#define CONTENTION_SCHEDULERS	32
#define CONTENTION_SESSIONS_MAX 900

/* What "insert 64 option on" says; zeros are what is not said. */
struct contention_order {
	const struct load *load;
	int32_t session_count;
	int32_t scheduler_count;
	int32_t file_count;
	int32_t scale;
	int32_t rows_per_commit;
	bool is_optimized;
	enum table_key key;
};

struct contention {
	struct stage stage;
	struct ledger booked;	      /* what the counters have got already */
	size_t places[3][WAIT_KINDS]; /* of the names among the counters, as last found */
	int64_t orders_booked;	      /* rows that the page store has got already */
	int64_t behind_ns;	      /* the model could not follow so much of the time */
	const struct load *load;      /* that runs; NULL when none does */
	struct contention_order order;
};

struct contention *contention_new(const struct page_store *pages, int64_t now_us);
void contention_free(struct contention *contention);

/* Reads the words behind the verb; false with *problem (static text) when they mean nothing. */
bool contention_parse(char *const *words, size_t word_count, struct contention_order *order,
		      const char **problem);

/* Sessions of the load that runs finish their statement and leave; those of the order come. With
 * load NULL nobody comes. False when the schedulers are to change while clients are inside. */
bool contention_start(struct contention *contention, const struct contention_order *order,
		      int32_t first_session);

/* Lets the model come to that moment. */
void contention_advance(struct contention *contention, int64_t now_us);

/* Adds what has been waited for since the last time to the counters, and the rows to the pages. */
void contention_book(struct contention *contention, struct counters *counters,
		     struct page_store *pages);

/* What a restart of the server makes of the figures of indexes and sessions. */
void contention_restart(struct contention *contention);

/* A client's statement: rows into the table of that object. NULL when the model has no such table.
 * The worker is the client's until contention_release, and remembers the job until finished is
 * called. */
struct worker *contention_insert(struct contention *contention, struct worker *worker,
				 int32_t session_id, int32_t object_id, int64_t row_count,
				 void *job);
void contention_release(struct contention *contention, struct worker *worker);

/* Microseconds until the next event; INT64_MAX when there is none. Pure. */
int64_t contention_due_us(const struct contention *contention, int64_t now_us);
