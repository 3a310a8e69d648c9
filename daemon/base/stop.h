/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stop token: says once, to any number of threads, that the daemon (or one part of it) is to
 * end, and is what a thread sleeps on. Shared by all threads; its mutex guards one flag and one
 * counter.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/cleanup.h"

struct stop;

/* Makes a token that has not been given yet. Owns: the caller frees. Threads: any. */
struct stop *stop_new(void);

/* Frees a token nobody waits on any more; NULL is fine. Owns: stop. Threads: one, after the others
 * ended. */
void stop_free(struct stop *stop);
DEFINE_CLEANUP(struct stop *, stop_free);

/* Gives the token: every waiter wakes, now and for ever. Threads: any. */
void stop_request(struct stop *stop);

/* Says whether the token has been given. Threads: any. */
bool stop_is_requested(struct stop *stop);

/*
 * Wakes the waiters without stopping them: there is work earlier than they thought.
 *
 * Threads: any. A wake between two waits is not lost: the next wait returns at once.
 */
void stop_wake(struct stop *stop);

/*
 * Waits until the deadline, a wake or the token. Returns true when the token has been given.
 *
 * Units:   deadline_mono_ms in milliseconds of clock_now().mono_ms; INT64_MAX waits for ever.
 * Threads: any; blocks.
 */
bool stop_wait_until(struct stop *stop, int64_t deadline_mono_ms);
