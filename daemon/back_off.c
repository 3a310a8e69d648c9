/* SPDX-License-Identifier: Apache-2.0 */
/* Pauses between attempts; see the header. Pure but for its own state. */
#include "daemon/back_off.h"

enum {
	PAUSE_MIN_MS = 1000,
	PAUSE_MAX_MS = 30 * 1000,
	DENIED_PAUSE_MIN_MS = 10 * 1000,
	DENIED_PAUSE_MAX_MS = 300 * 1000,
};

void back_off_init(struct back_off *back_off, uint64_t seed)
{
	/* xorshift stands still at 0 */
	*back_off = (struct back_off){.random = seed * UINT64_C(0x9e3779b97f4a7c15) | 1};
}

/* Xorshift, as G. Marsaglia gives it: any cheap spread will do. */
static uint64_t next_random(struct back_off *back_off)
{
	back_off->random ^= back_off->random << 13;
	back_off->random ^= back_off->random >> 7;
	back_off->random ^= back_off->random << 17;
	return back_off->random;
}

int64_t back_off_next(struct back_off *back_off, bool is_denied)
{
	const int64_t least = is_denied ? DENIED_PAUSE_MIN_MS : PAUSE_MIN_MS;
	const int64_t most = is_denied ? DENIED_PAUSE_MAX_MS : PAUSE_MAX_MS;
	int64_t pause = back_off->pause_ms < least ? least : back_off->pause_ms;
	if (pause > most)
		pause = most;
	back_off->pause_ms = pause * 2;
	return pause / 2 + (int64_t)(next_random(back_off) % (uint64_t)(pause + 1));
}

void back_off_reset(struct back_off *back_off)
{
	back_off->pause_ms = 0;
}
