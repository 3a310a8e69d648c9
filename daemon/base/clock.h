/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The only place that asks what time it is. Functions take `now`; thread loops and session_collect
 * ask. Any thread.
 */
#pragma once

#include <stdint.h>
#include <time.h>

/* One instant on both clocks: intervals come from mono, labels from utc. */
struct instant {
	int64_t mono_ms;
	int64_t utc_ms;
};

/*
 * Reads both clocks.
 *
 * Units:   milliseconds; mono of CLOCK_BOOTTIME, which goes on while a virtual machine is
 * suspended. Threads: any.
 */
struct instant clock_now(void);

/* CPU time this thread has used, in microseconds. Threads: any. */
int64_t clock_thread_cpu_us(void);

/*
 * The moment wait_ms from now on CLOCK_MONOTONIC, as pthread_cond_timedwait wants it; at most a
 * minute away, so that a jump of the clock after a suspend is seen soon: the caller asks again.
 *
 * Threads: any.
 */
struct timespec clock_wake_after(int64_t wait_ms);
