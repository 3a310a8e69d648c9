/* SPDX-License-Identifier: Apache-2.0 */
/* The only reader of the system's clocks. Runs in every thread loop. */
#include "daemon/base/clock.h"

#include <stdio.h>
#include <string.h>

enum { SLICE_MS = 60000 };

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

void clock_read_boot_id(char boot_id[CLOCK_BOOT_ID_SIZE])
{
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
	boot_id[0] = '\0';
	if (!file)
		return;
	if (!fgets(boot_id, CLOCK_BOOT_ID_SIZE, file))
		boot_id[0] = '\0';
	(void)fclose(file); /* only read */
	boot_id[strcspn(boot_id, "\n")] = '\0';
}

int64_t instant_elapsed_ms(const struct instant *from, const struct instant *to)
{
	if (from->mono_ms != CLOCK_MONO_UNKNOWN && to->mono_ms >= from->mono_ms)
		return to->mono_ms - from->mono_ms;
	return to->utc_ms > from->utc_ms ? to->utc_ms - from->utc_ms : 0;
}

int64_t clock_thread_cpu_us(void)
{
	return read_us(CLOCK_THREAD_CPUTIME_ID);
}

struct timespec clock_wake_after(int64_t wait_ms)
{
	const int64_t slice_ms = wait_ms < SLICE_MS ? wait_ms : SLICE_MS;
	const int64_t wake_us = read_us(CLOCK_MONOTONIC) + slice_ms * 1000;
	return (struct timespec){.tv_sec = wake_us / 1000000, .tv_nsec = wake_us % 1000000 * 1000};
}
