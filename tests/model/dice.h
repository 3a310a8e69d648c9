/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers by chance that are the same on every machine: a seed gives the whole row of them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct dice {
	uint64_t state;
};

/* Dice for one thing of one history: different parts give rows that have nothing in common. Pure.
 */
struct dice dice_for(uint64_t seed, uint64_t part);

/* From 0 to limit - 1; 0 where limit is not above 1. Threads: the owner. */
int64_t dice_below(struct dice *dice, int64_t limit);

/* From low to high, both included. Threads: the owner. */
int64_t dice_between(struct dice *dice, int64_t low, int64_t high);

/* True once in so many throws. Threads: the owner. */
bool dice_one_in(struct dice *dice, int64_t throws);
