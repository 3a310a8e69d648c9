/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The deadline slots. The dup is what makes this safe: the library may close its own descriptor at
 * any time and the kernel reuse the number, while the dup names this connection until we close it.
 * Called by the owners of sessions and by main.
 */
#include "daemon/deadline.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/base/alloc.h"

struct deadline_slot {
	pthread_mutex_t mutex;
	int fd; /* -1: none */
	int64_t deadline_mono_ms;
	bool has_passed;
	bool is_ending;
};

struct deadline {
	struct deadline_slot *slots;
	size_t slot_count;
};

/* The result is of no interest: a socket that is not connected any more needs no shutting down. */
static void slot_shut(struct deadline_slot *slot)
{
	if (slot->fd >= 0)
		(void)shutdown(slot->fd, SHUT_RDWR);
}

struct deadline *deadline_new(size_t count)
{
	struct deadline *deadline = xcalloc(1, sizeof(*deadline));

	deadline->slots = xcalloc(count, sizeof(*deadline->slots));
	deadline->slot_count = count;
	for (size_t i = 0; i < count; i++) {
		pthread_mutex_init(&deadline->slots[i].mutex, NULL);
		deadline->slots[i].fd = -1;
		deadline->slots[i].deadline_mono_ms = INT64_MAX;
	}
	return deadline;
}

void deadline_free(struct deadline *deadline)
{
	if (!deadline)
		return;
	for (size_t i = 0; i < deadline->slot_count; i++) {
		if (deadline->slots[i].fd >= 0)
			close(deadline->slots[i].fd);
		pthread_mutex_destroy(&deadline->slots[i].mutex);
	}
	free(deadline->slots);
	free(deadline);
}

struct deadline_slot *deadline_slot(struct deadline *deadline, size_t index)
{
	return &deadline->slots[index];
}

void deadline_on_socket(void *context, int fd)
{
	struct deadline_slot *slot = context;

	pthread_mutex_lock(&slot->mutex);
	if (slot->fd >= 0)
		close(slot->fd);
	slot->fd = fd;
	if (slot->has_passed || slot->is_ending)
		slot_shut(slot);
	pthread_mutex_unlock(&slot->mutex);
}

void deadline_begin(struct deadline_slot *slot, int64_t deadline_mono_ms)
{
	pthread_mutex_lock(&slot->mutex);
	slot->deadline_mono_ms = deadline_mono_ms;
	slot->has_passed = false;
	pthread_mutex_unlock(&slot->mutex);
}

bool deadline_end(struct deadline_slot *slot)
{
	pthread_mutex_lock(&slot->mutex);
	bool has_passed = slot->has_passed;
	slot->deadline_mono_ms = INT64_MAX;
	slot->has_passed = false;
	pthread_mutex_unlock(&slot->mutex);
	return has_passed;
}

bool deadline_is_stuck(struct deadline_slot *slot, int64_t now_mono_ms)
{
	pthread_mutex_lock(&slot->mutex);
	bool is_stuck = slot->fd < 0 && slot->deadline_mono_ms <= now_mono_ms;
	pthread_mutex_unlock(&slot->mutex);
	return is_stuck;
}

void deadline_tick(struct deadline *deadline, int64_t now_mono_ms)
{
	for (size_t i = 0; i < deadline->slot_count; i++) {
		struct deadline_slot *slot = &deadline->slots[i];

		pthread_mutex_lock(&slot->mutex);
		if (slot->deadline_mono_ms <= now_mono_ms && !slot->has_passed) {
			slot->has_passed = true;
			slot_shut(slot);
		}
		pthread_mutex_unlock(&slot->mutex);
	}
}

void deadline_shut_all(struct deadline *deadline)
{
	for (size_t i = 0; i < deadline->slot_count; i++) {
		struct deadline_slot *slot = &deadline->slots[i];

		pthread_mutex_lock(&slot->mutex);
		slot->is_ending = true;
		slot_shut(slot);
		pthread_mutex_unlock(&slot->mutex);
	}
}
