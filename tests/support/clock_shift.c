/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded into a program, sets its UTC clock while it runs: what clock_gettime tells of
 * CLOCK_REALTIME is shifted by as many microseconds as the file CLOCK_SHIFT_FILE holds (8 bytes,
 * in the order of this machine). The other clocks go on, as they do when a real one is set.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *shift_us;

__attribute__((constructor)) static void map_shift(void)
{
	const char *path = getenv("CLOCK_SHIFT_FILE");
	int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;

	if (file < 0)
		return;
	void *map = mmap(NULL, sizeof(*shift_us), PROT_READ, MAP_SHARED, file, 0);
	if (map != MAP_FAILED)
		shift_us = map;
	close(file);
}

int shifted_clock(clockid_t id, struct timespec *now) __asm__("clock_gettime");

int shifted_clock(clockid_t id, struct timespec *now)
{
	long status = syscall(SYS_clock_gettime, id, now);

	if (status != 0 || id != CLOCK_REALTIME || !shift_us)
		return (int)status;
	int64_t utc_us = (int64_t)now->tv_sec * 1000000 + now->tv_nsec / 1000 + *shift_us;
	*now = (struct timespec){.tv_sec = utc_us / 1000000, .tv_nsec = utc_us % 1000000 * 1000};
	return 0;
}
