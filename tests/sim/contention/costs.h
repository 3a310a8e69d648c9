/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What things cost in the contention model, in nanoseconds before the declared scale. The costs of
 * a row, a wake and a reload are set so that 1, 8, 64, 128 and 256 sessions on 64 schedulers with
 * the option off come near the published run (72,000, 43,000, 26,900, 20,200 and 16,600 rows a
 * second). Everything else the model shows, also all of 32 schedulers and of the option, follows
 * from the queues.
 */
#pragma once

/* A row: reading and planning the statement, writing it under the page latch, answering it. */
#define COST_ROW_PREPARE_NS 6500
#define COST_ROW_HOLD_NS    3500
#define COST_ROW_FINISH_NS  3000

/* Finding that the page one has waited for is full; going to the next. */
#define COST_PAGE_FULL_NS 700

/* A new page at the end of the index, and a new extent every eight pages. */
#define COST_PAGE_ALLOCATE_NS	5000
#define COST_EXTENT_ALLOCATE_NS 12000

/* A split in the middle moves half of the rows. */
#define COST_PAGE_SPLIT_NS 25000

/* Waking an idle scheduler, and going from one worker to the next on a busy one. */
#define COST_WAKE_NS   15800
#define COST_SWITCH_NS 1500

/* A worker may run so long before it yields. */
#define COST_QUANTUM_NS 4000000

/*
 * A worker that comes back finds the caches filled by those who ran meanwhile: it pays so many
 * thousandths of their processor time, but no more than what it takes to load all it uses. The
 * caches of all are filled by all, those of its processor by the workers of its scheduler.
 */
#define COST_RELOAD_SHARED_PERMILLE 45
#define COST_RELOAD_SHARED_MAX_NS   18500
#define COST_RELOAD_OWN_PERMILLE    1000
#define COST_RELOAD_OWN_MAX_NS	    30000

/* One write of the log, whatever the number of commits in it; one read of a data page. */
#define COST_LOG_WRITE_NS 90000
#define COST_READ_NS	  1000000
#define COST_READ_SLOW_NS 14000000
#define COST_LOG_SLOW_NS  4000000

/* The reads a disk serves at a time. */
#define COST_DISK_DEPTH 8

/* A turn of a spinning worker; it goes to sleep for a moment after so many. */
#define COST_SPIN_NS	     2
#define COST_SPINS_A_BACKOFF 2000
