/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The only place that asks what time it is. Functions take `now`; thread loops and session_collect
 * ask. Any thread.
 */
#pragma once

#include <stdint.h>

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
