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

/* The mono_ms of an instant that was taken before this machine was last started. */
#define CLOCK_MONO_UNKNOWN INT64_MIN

enum { CLOCK_BOOT_ID_SIZE = 37 };

/* Writes what tells this start of the machine from others; "" when it can not be told. Threads:
 * any. */
void clock_read_boot_id(char boot_id[CLOCK_BOOT_ID_SIZE]);

/*
 * Milliseconds from one instant to another, never negative: by the monotonic clock, or by UTC where
 * the machine was started in between.
 *
 * Pure.
 */
int64_t instant_elapsed_ms(const struct instant *from, const struct instant *to);

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
