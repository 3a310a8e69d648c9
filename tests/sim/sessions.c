/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The open sessions. A slot goes free -> running (by the listener) -> ended (by its own thread,
 * which closes the descriptor under the mutex, so that nobody shuts down a descriptor that is used
 * again)
 * -> free (by the listener, which joins the thread).
 */
#include "tests/sim/sessions.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/sim/session.h"

enum {
	SESSION_LIMIT = 2000,
	SESSION_ID_FIRST = 51,
	STACK_SIZE = 1024 * 1024,
};

enum slot_state {
	SLOT_FREE,
	SLOT_RUNNING,
	SLOT_ENDED,
};

struct slot {
	struct sessions *sessions;
	enum slot_state state;
	int fd;
	pthread_t thread;
};

struct sessions {
	pthread_mutex_t mutex;
	struct instance *instance;
	struct faults *faults;
	struct encryption encryption;
	size_t packet_size;
	pthread_attr_t attributes;
	struct slot slots[SESSION_LIMIT];
};

static int32_t slot_session_id(const struct slot *slot)
{
	return (int32_t)(slot - slot->sessions->slots) + SESSION_ID_FIRST;
}

static void *slot_main(void *argument)
{
	struct slot *slot = argument;
	struct sessions *sessions = slot->sessions;
	struct session_start start = {.fd = slot->fd,
				      .session_id = slot_session_id(slot),
				      .instance = sessions->instance,
				      .faults = sessions->faults,
				      .encryption = sessions->encryption,
				      .packet_size = sessions->packet_size};
	session_run(&start);
	pthread_mutex_lock(&sessions->mutex);
	close(slot->fd);
	slot->state = SLOT_ENDED;
	pthread_mutex_unlock(&sessions->mutex);
	return NULL;
}

/* Joins what has ended; the mutex is held, but an ended thread no longer wants it for long. */
static void sessions_reap(struct sessions *sessions)
{
	for (size_t i = 0; i < SESSION_LIMIT; i++) {
		struct slot *slot = &sessions->slots[i];
		if (slot->state != SLOT_ENDED)
			continue;
		pthread_join(slot->thread, NULL);
		slot->state = SLOT_FREE;
	}
}

static struct slot *sessions_find_free(struct sessions *sessions)
{
	for (size_t i = 0; i < SESSION_LIMIT; i++) {
		if (sessions->slots[i].state == SLOT_FREE)
			return &sessions->slots[i];
	}
	return NULL;
}

struct sessions *sessions_new(struct instance *instance, struct faults *faults,
			      const struct encryption *encryption, size_t packet_size)
{
	struct sessions *sessions = calloc(1, sizeof(*sessions));
	if (!sessions)
		abort();
	sessions->instance = instance;
	sessions->faults = faults;
	sessions->encryption = *encryption;
	sessions->packet_size = packet_size;
	pthread_mutex_init(&sessions->mutex, NULL);
	pthread_attr_init(&sessions->attributes);
	pthread_attr_setstacksize(&sessions->attributes, STACK_SIZE);
	for (size_t i = 0; i < SESSION_LIMIT; i++)
		sessions->slots[i].sessions = sessions;
	return sessions;
}

void sessions_free(struct sessions *sessions)
{
	if (!sessions)
		return;
	sessions_cut(sessions, 0);
	for (size_t i = 0; i < SESSION_LIMIT; i++) {
		pthread_mutex_lock(&sessions->mutex);
		bool is_free = sessions->slots[i].state == SLOT_FREE;
		pthread_mutex_unlock(&sessions->mutex);
		if (!is_free)
			pthread_join(sessions->slots[i].thread, NULL);
	}
	pthread_attr_destroy(&sessions->attributes);
	pthread_mutex_destroy(&sessions->mutex);
	free(sessions);
}

void sessions_start(struct sessions *sessions, int fd)
{
	pthread_mutex_lock(&sessions->mutex);
	sessions_reap(sessions);
	struct slot *slot = sessions_find_free(sessions);
	bool is_started = false;
	if (slot) {
		slot->fd = fd;
		is_started =
			pthread_create(&slot->thread, &sessions->attributes, slot_main, slot) == 0;
		slot->state = is_started ? SLOT_RUNNING : SLOT_FREE;
	}
	pthread_mutex_unlock(&sessions->mutex);
	if (!is_started)
		close(fd);
}

size_t sessions_cut(struct sessions *sessions, int32_t session_id)
{
	size_t cut_count = 0;
	pthread_mutex_lock(&sessions->mutex);
	for (size_t i = 0; i < SESSION_LIMIT; i++) {
		struct slot *slot = &sessions->slots[i];
		if (slot->state != SLOT_RUNNING)
			continue;
		if (session_id != 0 && slot_session_id(slot) != session_id)
			continue;
		shutdown(slot->fd, SHUT_RDWR);
		cut_count++;
	}
	pthread_mutex_unlock(&sessions->mutex);
	return cut_count;
}

size_t sessions_count(struct sessions *sessions)
{
	size_t count = 0;
	pthread_mutex_lock(&sessions->mutex);
	for (size_t i = 0; i < SESSION_LIMIT; i++)
		count += sessions->slots[i].state == SLOT_RUNNING;
	pthread_mutex_unlock(&sessions->mutex);
	return count;
}
