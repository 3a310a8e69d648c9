/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the workers of the contention model have waited for: counted when a wait begins, its time
 * added when it ends, as the server does. One thread at a time.
 */
#pragma once

#include <stdint.h>

enum wait_kind {
	WAIT_PAGELATCH_SH,
	WAIT_PAGELATCH_UP,
	WAIT_PAGELATCH_EX,
	WAIT_PAGEIOLATCH_SH,
	WAIT_PAGEIOLATCH_EX,
	WAIT_LATCH_SH,
	WAIT_LATCH_EX,
	WAIT_WRITELOG,
	WAIT_FLOW_CONTROL,
	WAIT_YIELD,
	WAIT_MEMORY,
	WAIT_RESERVED_MEMORY,
	WAIT_KINDS
};

enum latch_class { LATCH_BUFFER, LATCH_NESTING_TRANSACTION, LATCH_VIRTUAL_ROOT, LATCH_CLASSES };

enum spinlock { SPINLOCK_LARGEPAGE, SPINLOCKS };

struct tally {
	int64_t count;
	int64_t time_ns;
	int64_t signal_ns;
	int64_t max_ns; /* since ledger_forget_maxima */
};

struct spin_tally {
	int64_t collisions;
	int64_t spins;
	int64_t sleep_ns;
	int64_t backoffs;
};

struct ledger {
	struct tally waits[WAIT_KINDS];
	struct tally latches[LATCH_CLASSES];
	struct spin_tally spinlocks[SPINLOCKS];
};

/* Adds an ended wait, signal time included, to one tally. */
void tally_end(struct tally *tally, int64_t time_ns, int64_t signal_ns);

void ledger_forget_maxima(struct ledger *ledger);

/* The names the server gives them. Pure. */
const char *wait_kind_name(enum wait_kind kind);
const char *latch_class_name(enum latch_class latch_class);
const char *spinlock_name(enum spinlock spinlock);
