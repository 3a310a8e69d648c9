/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stop token. Waiters sleep on a condition variable in slices (clock_wake_after): deadlines are
 * on CLOCK_BOOTTIME, which the condition variable does not know and which jumps after a suspend.
 */
#include "daemon/base/stop.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "daemon/base/alloc.h"
#include "daemon/base/clock.h"

struct stop {
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	bool is_requested;
	bool has_wake;
};

struct stop *stop_new(void)
{
	struct stop *stop = xcalloc(1, sizeof(*stop));
	pthread_condattr_t attributes;
	int failed = pthread_mutex_init(&stop->mutex, NULL);
	failed |= pthread_condattr_init(&attributes);
	failed |= pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	failed |= pthread_cond_init(&stop->changed, &attributes);
	assert(!failed);
	pthread_condattr_destroy(&attributes);
	return stop;
}

void stop_free(struct stop *stop)
{
	if (!stop)
		return;
	pthread_cond_destroy(&stop->changed);
	pthread_mutex_destroy(&stop->mutex);
	free(stop);
}

static void announce(struct stop *stop, bool *flag)
{
	pthread_mutex_lock(&stop->mutex);
	*flag = true;
	pthread_cond_broadcast(&stop->changed);
	pthread_mutex_unlock(&stop->mutex);
}

void stop_request(struct stop *stop)
{
	announce(stop, &stop->is_requested);
}

void stop_wake(struct stop *stop)
{
	announce(stop, &stop->has_wake);
}

bool stop_is_requested(struct stop *stop)
{
	pthread_mutex_lock(&stop->mutex);
	const bool is_requested = stop->is_requested;
	pthread_mutex_unlock(&stop->mutex);
	return is_requested;
}

bool stop_wait_until(struct stop *stop, int64_t deadline_mono_ms)
{
	pthread_mutex_lock(&stop->mutex);
	while (!stop->is_requested && !stop->has_wake) {
		const int64_t left_ms = deadline_mono_ms - clock_now().mono_ms;
		if (left_ms <= 0)
			break;
		const struct timespec until = clock_wake_after(left_ms);
		pthread_cond_timedwait(&stop->changed, &stop->mutex, &until);
	}
	stop->has_wake = false;
	const bool is_requested = stop->is_requested;
	pthread_mutex_unlock(&stop->mutex);
	return is_requested;
}
