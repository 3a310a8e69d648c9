/* SPDX-License-Identifier: Apache-2.0 */
/* Limits as descriptors (timerfd). Any thread. */
#include "collectors/time_limit.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

int time_limit_open(int64_t limit_ms, struct error *err)
{
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	const struct itimerspec limit = {
		.it_value = {.tv_sec = limit_ms / 1000, .tv_nsec = limit_ms % 1000 * 1000000}};

	if (fd >= 0 && timerfd_settime(fd, 0, &limit, NULL) == 0)
		return fd;
	(void)error_set(err, ERROR_IO, errno, "no timer: %s", strerror(errno));
	time_limit_close_fdp(&fd);
	return -1;
}

bool time_limit_wait(int limit_fd, int fd, short events)
{
	struct pollfd watched[] = {{.fd = limit_fd, .events = POLLIN},
				   {.fd = fd, .events = events}};

	while (poll(watched, 2, -1) < 0)
		if (errno != EINTR)
			return false;
	return !watched[0].revents && watched[1].revents;
}

void time_limit_close_fdp(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd); /* nothing was written that could be lost */
	*fd = -1;
}
