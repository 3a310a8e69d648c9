/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What workers of the contention model queue for: latches, the log, the disk, spinlocks. All of
 * them first come, first served. Guarded by the instance's lock.
 */
#pragma once

#include "tests/sim/contention/machine.h"

/* True when the latch is the worker's at once; else it has been suspended and holds the latch when
 * its program goes on. */
bool latch_acquire(struct machine *machine, struct worker *worker, struct latch *latch,
		   enum latch_mode mode);
void latch_release(struct machine *machine, struct latch *latch);

/* Releases it and sends all who wait away without it: what they wanted is elsewhere now. */
void latch_disperse(struct machine *machine, struct latch *latch);

/* Adds the worker's ended wait for its latch to the latch class and to the index. */
void latch_book(struct machine *machine, const struct worker *worker, int64_t time_ns);

/* Waits until the log is on disk; commits that come during a write share the next one. */
bool log_commit(struct machine *machine, struct worker *worker);
void log_written(struct machine *machine);

/* Reads a page from disk. */
bool disk_read(struct machine *machine, struct worker *worker, struct latch *latch,
	       enum wait_kind kind);
void disk_read_ended(struct machine *machine, struct worker *worker);

/* True when it is free; else the worker spins on its scheduler until it is handed over. */
bool spin_acquire(struct machine *machine, struct worker *worker, struct spin_mutex *mutex);
void spin_release(struct machine *machine, struct spin_mutex *mutex);
