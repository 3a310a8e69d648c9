/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of waits. One thread at a time; does not know the workers. */
#include "tests/sim/contention/ledger.h"

static const char *const wait_names[WAIT_KINDS] = {
	[WAIT_PAGELATCH_SH] = "PAGELATCH_SH",
	[WAIT_PAGELATCH_UP] = "PAGELATCH_UP",
	[WAIT_PAGELATCH_EX] = "PAGELATCH_EX",
	[WAIT_PAGEIOLATCH_SH] = "PAGEIOLATCH_SH",
	[WAIT_PAGEIOLATCH_EX] = "PAGEIOLATCH_EX",
	[WAIT_LATCH_SH] = "LATCH_SH",
	[WAIT_LATCH_EX] = "LATCH_EX",
	[WAIT_WRITELOG] = "WRITELOG",
	[WAIT_FLOW_CONTROL] = "BTREE_INSERT_FLOW_CONTROL",
	[WAIT_YIELD] = "SOS_SCHEDULER_YIELD",
	[WAIT_MEMORY] = "MEMORY_ALLOCATION_EXT",
	[WAIT_RESERVED_MEMORY] = "RESERVED_MEMORY_ALLOCATION_EXT",
};

static const char *const class_names[LATCH_CLASSES] = {
	[LATCH_BUFFER] = "BUFFER",
	[LATCH_NESTING_TRANSACTION] = "NESTING_TRANSACTION_FULL",
	[LATCH_VIRTUAL_ROOT] = "ACCESS_METHODS_HOBT_VIRTUAL_ROOT",
};

void tally_end(struct tally *tally, int64_t time_ns, int64_t signal_ns)
{
	tally->time_ns += time_ns;
	tally->signal_ns += signal_ns;
	if (time_ns > tally->max_ns)
		tally->max_ns = time_ns;
}

void ledger_forget_maxima(struct ledger *ledger)
{
	for (int i = 0; i < WAIT_KINDS; i++)
		ledger->waits[i].max_ns = 0;
	for (int i = 0; i < LATCH_CLASSES; i++)
		ledger->latches[i].max_ns = 0;
}

const char *wait_kind_name(enum wait_kind kind)
{
	return wait_names[kind];
}

const char *latch_class_name(enum latch_class latch_class)
{
	return class_names[latch_class];
}

const char *spinlock_name(enum spinlock spinlock)
{
	return spinlock == SPINLOCK_LARGEPAGE ? "SOS_LARGEPAGE_ALLOCATOR" : "";
}
