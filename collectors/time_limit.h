/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A limit in wall-clock time for an exchange over sockets: a descriptor that becomes readable when
 * it has passed, so that nobody here reads a clock. Belongs to one thread.
 */
#pragma once

#include <stdint.h>

#include "daemon/base/error.h"

/*
 * Begins a limit.
 *
 * Units:   limit_ms from now on the monotonic clock, 1 at least.
 * Owns:    the caller closes the descriptor.
 * Errors:  -1 and ERROR_IO.
 * Threads: any.
 */
MUST_CHECK int time_limit_open(int64_t limit_ms, struct error *err);

/*
 * Waits until fd is ready for events (as of poll) or the limit has passed; true when fd is ready.
 * An fd of -1 waits for the limit alone.
 *
 * Threads: any; blocks.
 */
MUST_CHECK bool time_limit_wait(int limit_fd, int fd, short events);

/* Closes a descriptor unless it is -1: for CLEANUP. */
void time_limit_close_fdp(int *fd);
