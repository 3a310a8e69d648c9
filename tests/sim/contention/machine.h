/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The virtual machine on which the sessions of the contention model run: schedulers that take one
 * worker at a time from a queue, latches and spinlocks with queues, one log, one disk. It is a
 * discrete-event simulation: machine_advance works off all events up to a moment. A worker runs a
 * program, a function that is called whenever the worker is on a processor and has nothing to do.
 * Guarded by the instance's lock; reads no clock.
 */
#pragma once

#include "tests/sim/contention/clockwork.h"
#include "tests/sim/contention/ledger.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MACHINE_SCHEDULERS_MAX 256

struct machine;
struct table;
struct load;

/* Returns true when the worker can go on at once, false when it has to wait for an event. */
typedef bool (*worker_program)(struct machine *machine, struct worker *worker);

enum latch_mode {
	LATCH_MODE_SH,
	LATCH_MODE_UP,
	LATCH_MODE_EX,
};

struct latch {
	enum latch_class latch_class;
	int32_t database_id; /* of a page; 0 otherwise */
	int32_t file_id;
	int64_t page;
	int64_t sequence; /* which leaf of its index */
	int32_t fill;	  /* rows on it */
	struct table *table;
	bool is_upper;	      /* of the index: not a leaf */
	struct worker *owner; /* in EX or UP; the last one in SH */
	enum latch_mode mode; /* of those who hold it */
	int32_t holder_count;
	int32_t waiter_count;
	struct worker *first;
	struct worker *last;
};

/* Workers that wait for one thing, in the order they came. */
struct worker_queue {
	struct worker *first;
	struct worker *last;
	int32_t count;
};

enum worker_state {
	WORKER_RESTING, /* no request; also between two statements of a client that thinks */
	WORKER_RUNNABLE,
	WORKER_RUNNING,
	WORKER_SUSPENDED,
};

struct worker {
	int32_t session_id;
	int32_t scheduler;
	enum worker_state state;
	struct worker *next; /* in the queue it stands in */
	worker_program program;
	int position; /* of the program */

	bool is_waiting; /* until it runs again, so signal time is within */
	enum wait_kind wait_kind;
	enum wait_kind last_wait_kind;
	int64_t wait_start_ns;
	int64_t signal_start_ns;
	struct latch *latch; /* waited for, or read */
	enum latch_mode latch_mode;

	int64_t quantum_start_ns;
	/* Processor time of all, and of its scheduler, when it last left that. */
	int64_t cpu_seen_ns;
	int64_t own_cpu_seen_ns;
	int64_t debt_ns; /* what the caches cost it, paid with its next computing */
	int64_t cpu_ns;
	bool has_spinlock; /* does not yield meanwhile */

	const struct load *load; /* NULL: a client from outside */
	struct table *table;
	struct latch *held;
	bool is_in_gate;
	int64_t rows_left;
	int32_t rows_in_transaction;
	int32_t turn;
	uint64_t random;
	int64_t statement_start_ns;
	int64_t rows_done;
	struct tally waits[WAIT_KINDS];
	bool is_leaving; /* goes at the end of its statement */
	bool is_gone;
	void *job; /* of a client from outside */
};

struct scheduler {
	struct worker *running;
	struct worker_queue runnable;
	int32_t worker_count;
	bool is_dispatching;
	int64_t cpu_ns; /* used by its workers, without what the caches cost */
};

struct spin_mutex {
	enum spinlock spinlock;
	struct worker *owner;
	struct worker_queue spinning;
};

struct machine {
	int64_t now_ns;
	int64_t scale; /* every cost is multiplied by it */
	int32_t scheduler_count;
	struct scheduler schedulers[MACHINE_SCHEDULERS_MAX];
	struct clockwork clockwork;
	struct ledger ledger;
	struct worker **workers;
	size_t worker_count;
	size_t worker_capacity;
	int64_t cpu_ns; /* used by all workers, without what the caches cost */
	int64_t event_count;

	bool is_log_writing;
	int64_t log_write_ns;
	struct worker_queue log_waiting;
	struct worker_queue log_writing;
	int64_t log_write_count;
	int32_t disk_busy;
	int64_t read_ns;
	struct worker_queue disk_waiting;

	void (*finished)(struct worker *worker); /* a client's statement has ended */
};

void machine_init(struct machine *machine, int32_t scheduler_count, int64_t now_ns);
void machine_done(struct machine *machine);

/* Changes the number of schedulers; there must be no workers. */
void machine_set_schedulers(struct machine *machine, int32_t scheduler_count);

/* Works off the events up to that moment, at most event_limit of them; false when some are left. */
bool machine_advance(struct machine *machine, int64_t now_ns, int64_t event_limit);

/* Adds a resting worker on the scheduler with the fewest. Borrowed until it is gone. */
struct worker *machine_add_worker(struct machine *machine, int32_t session_id,
				  worker_program program);

/* Frees the workers that are gone. */
void machine_sweep(struct machine *machine);

/* Lets a resting worker begin its program. */
void worker_start(struct machine *machine, struct worker *worker);

/* What programs do. Those that return bool are a program's last act when they return false. */
bool worker_compute(struct machine *machine, struct worker *worker, int64_t cost_ns);
bool worker_pause(struct machine *machine, struct worker *worker, int64_t pause_ns);
bool worker_rest(struct machine *machine, struct worker *worker);
uint64_t worker_random(struct worker *worker);

/* Leaves the processor for a wait of that kind; somebody has to call worker_signal. */
void worker_suspend(struct machine *machine, struct worker *worker, enum wait_kind kind);
void worker_signal(struct machine *machine, struct worker *worker);

/* Books a wait that was spent on the processor. */
void worker_book(struct machine *machine, struct worker *worker, enum wait_kind kind,
		 int64_t time_ns);

void worker_queue_push(struct worker_queue *queue, struct worker *worker);
struct worker *worker_queue_pop(struct worker_queue *queue);
