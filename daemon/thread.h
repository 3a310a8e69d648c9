/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A named thread with a small stack that can be waited for until a deadline: a login may hang where
 * nothing ends it, and the daemon must end nevertheless. Started and joined by its owner.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/error.h"

struct thread;

/*
 * Starts a thread; signals stay with main. The name shows in top -H, cut at 15 bytes.
 *
 * Owns:    the caller joins; context is borrowed until the thread has ended.
 * Errors:  ERROR_IO no thread to be had.
 * Threads: any.
 */
MUST_CHECK struct thread *thread_start(const char *name, void (*body)(void *context), void *context,
				       struct error *err);

/*
 * Waits until the thread has ended, at most until the deadline; true when it has. NULL has.
 *
 * Units:   deadline_mono_ms of clock_now().mono_ms; INT64_MAX waits for ever.
 * Owns:    on success takes thread; else it is left as it is.
 * Threads: its owner; blocks.
 */
bool thread_join_until(struct thread *thread, int64_t deadline_mono_ms);
