/* SPDX-License-Identifier: Apache-2.0 */
/* Starting and joining threads. Called by the owner of each. */
#include "daemon/thread.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemon/base/alloc.h"
#include "daemon/base/clock.h"
#include "daemon/base/stop.h"

/* 1000 threads stuck in a login took 43 MB with this; libsybdb and getaddrinfo need about 100 KiB.
 */
enum { STACK_SIZE = 512 * 1024, NAME_SIZE = 16 };

struct thread {
	pthread_t id;
	char name[NAME_SIZE];
	void (*body)(void *context);
	void *context;
	struct stop *ended; /* given when the body has returned */
};

static void *thread_body(void *context)
{
	struct thread *thread = context;

	pthread_setname_np(pthread_self(), thread->name);
	thread->body(thread->context);
	stop_request(thread->ended);
	return NULL;
}

struct thread *thread_start(const char *name, void (*body)(void *context), void *context,
			    struct error *err)
{
	struct thread *thread = xcalloc(1, sizeof(*thread));
	pthread_attr_t attributes;

	snprintf(thread->name, sizeof(thread->name), "%s", name);
	thread->body = body;
	thread->context = context;
	thread->ended = stop_new();
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_SIZE);
	int code = pthread_create(&thread->id, &attributes, thread_body, thread);
	pthread_attr_destroy(&attributes);
	if (code == 0)
		return thread;
	stop_free(thread->ended);
	free(thread);
	(void)error_set(err, ERROR_IO, code, "no thread for '%s'", name);
	return NULL;
}

bool thread_join_until(struct thread *thread, int64_t deadline_mono_ms)
{
	if (!thread)
		return true;
	while (!stop_wait_until(thread->ended, deadline_mono_ms))
		if (clock_now().mono_ms >= deadline_mono_ms)
			return false;
	pthread_join(thread->id, NULL);
	stop_free(thread->ended);
	free(thread);
	return true;
}
