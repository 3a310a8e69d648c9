/* SPDX-License-Identifier: Apache-2.0 */
/* splitmix64: a counter, well mixed. */
#include "tests/model/dice.h"

static const uint64_t GOLDEN = 0x9e3779b97f4a7c15u;

static uint64_t mix(uint64_t value)
{
	value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
	value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
	return value ^ (value >> 31);
}

struct dice dice_for(uint64_t seed, uint64_t part)
{
	return (struct dice){.state = mix(mix(seed + GOLDEN) + part * GOLDEN)};
}

static uint64_t dice_next(struct dice *dice)
{
	dice->state += GOLDEN;
	return mix(dice->state);
}

int64_t dice_below(struct dice *dice, int64_t limit)
{
	uint64_t number = dice_next(dice);
	return limit > 1 ? (int64_t)(number % (uint64_t)limit) : 0;
}

int64_t dice_between(struct dice *dice, int64_t low, int64_t high)
{
	return low + dice_below(dice, high - low + 1);
}

bool dice_one_in(struct dice *dice, int64_t throws)
{
	return dice_below(dice, throws) == 0;
}
