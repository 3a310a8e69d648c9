/* SPDX-License-Identifier: Apache-2.0 */
/* The only reader of the system's clocks. Runs in every thread loop. */
#include "daemon/base/clock.h"

#include <time.h>

static int64_t read_us(clockid_t id)
{
	struct timespec now;
	(void)clock_gettime(id, &now); /* cannot fail: a fixed clock and a valid pointer */
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

struct instant clock_now(void)
{
	return (struct instant){
		.mono_ms = read_us(CLOCK_BOOTTIME) / 1000,
		.utc_ms = read_us(CLOCK_REALTIME) / 1000,
	};
}

int64_t clock_thread_cpu_us(void)
{
	return read_us(CLOCK_THREAD_CPUTIME_ID);
}
