/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long to wait before a server that could not be reached is tried again: twice as long each
 * time, with half of the pause as jitter either way, so that a fleet that went down together does
 * not come back in step. Pure but for its own state; belongs to the target's thread.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct back_off {
	int64_t pause_ms; /* the next, without jitter; 0: the first one of an outage */
	uint64_t random;
};

/* Begins; seed tells targets and runs apart. */
void back_off_init(struct back_off *back_off, uint64_t seed);

/*
 * The pause after a failure: 1 s to 30 s; 10 s to 5 min after a refused login, which may count
 * towards locking the account out.
 *
 * Units:   ms.
 * Threads: the owner.
 */
int64_t back_off_next(struct back_off *back_off, bool is_denied);

/* The server answered: the next outage begins with a short pause. Threads: the owner. */
void back_off_reset(struct back_off *back_off);
