/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The TCP port. The thread waits for clients and for a nudge (an eventfd) that says "look again".
 *
 * To refuse, the listening socket is shut down: Linux then answers connections with a reset but
 * keeps the port bound for us, and listen(2) opens it again. So the port number survives.
 */
#include "tests/sim/listener.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/sim/address.h"
#include "tests/sim/sessions.h"

enum { BACKLOG = 1024, BACKOFF_MS = 100 };

struct listener {
	int fd;
	int nudge_fd;
	struct sessions *sessions;
	char address[ADDRESS_SIZE];
	pthread_t thread;
	pthread_mutex_t mutex;
	bool is_refusing;
	bool is_stopping;
};

static void listener_nudge(struct listener *listener)
{
	uint64_t one = 1;
	ssize_t size = write(listener->nudge_fd, &one, sizeof(one));
	(void)size; /* a full counter has nudged already */
}

static bool listener_flag(struct listener *listener, const bool *flag)
{
	pthread_mutex_lock(&listener->mutex);
	bool value = *flag;
	pthread_mutex_unlock(&listener->mutex);
	return value;
}

static void listener_accept(struct listener *listener)
{
	int one = 1;
	int fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC);
	if (fd < 0) {
		/* Out of descriptors: the connection stays in the backlog, so do not spin. */
		if (errno == EMFILE || errno == ENFILE)
			poll(NULL, 0, BACKOFF_MS);
		return;
	}
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)); /* speed only */
	/* Under the mutex, so that `refuse on` cuts this session too or finds it not begun. */
	pthread_mutex_lock(&listener->mutex);
	if (listener->is_refusing)
		close(fd);
	else
		sessions_start(listener->sessions, fd);
	pthread_mutex_unlock(&listener->mutex);
}

static void listener_step(struct listener *listener)
{
	uint64_t nudges;
	struct pollfd watches[] = {{.fd = listener->nudge_fd, .events = POLLIN},
				   {.fd = listener->fd, .events = POLLIN}};
	bool is_refusing = listener_flag(listener, &listener->is_refusing);
	if (poll(watches, is_refusing ? 1 : 2, -1) < 0)
		return;
	if (watches[0].revents != 0 && read(listener->nudge_fd, &nudges, sizeof(nudges)) < 0)
		return;
	if (!is_refusing && (watches[1].revents & POLLIN) != 0)
		listener_accept(listener);
}

static void *listener_main(void *argument)
{
	struct listener *listener = argument;
	while (!listener_flag(listener, &listener->is_stopping))
		listener_step(listener);
	return NULL;
}

/* A bound socket, or -1. On success *address holds the port that port 0 became. */
static int socket_bind(struct address *address)
{
	int one = 1;
	int fd = socket(address->any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) == 0 &&
	    bind(fd, &address->any, address->size) == 0 &&
	    getsockname(fd, &address->any, &address->size) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Linux keeps the port of a socket that is shut down only if it was bound to it by number. So the
 * first bind finds a number for port 0, the second one takes it. */
static bool listener_bind(struct listener *listener, struct address *address)
{
	int finder_fd = socket_bind(address);
	if (finder_fd < 0)
		return false;
	listener->fd = socket_bind(address);
	close(finder_fd);
	if (listener->fd < 0 || listen(listener->fd, BACKLOG) != 0)
		return false;
	address_write(address, listener->address);
	return true;
}

static void listener_free(struct listener *listener)
{
	if (listener->fd >= 0)
		close(listener->fd);
	close(listener->nudge_fd);
	pthread_mutex_destroy(&listener->mutex);
	free(listener);
}

struct listener *listener_open(const char *address, struct sessions *sessions, char *reason,
			       size_t reason_size)
{
	struct address parsed;
	if (!address_parse(address, &parsed)) {
		snprintf(reason, reason_size, "'%s' is not a numeric HOST:PORT", address);
		return NULL;
	}
	struct listener *listener = calloc(1, sizeof(*listener));
	if (!listener)
		abort();
	listener->fd = -1;
	listener->nudge_fd = eventfd(0, EFD_CLOEXEC);
	listener->sessions = sessions;
	pthread_mutex_init(&listener->mutex, NULL);
	if (listener->nudge_fd < 0 || !listener_bind(listener, &parsed) ||
	    pthread_create(&listener->thread, NULL, listener_main, listener) != 0) {
		snprintf(reason, reason_size, "cannot listen on '%s': %s", address,
			 strerror(errno));
		listener_free(listener);
		return NULL;
	}
	return listener;
}

void listener_close(struct listener *listener)
{
	if (!listener)
		return;
	pthread_mutex_lock(&listener->mutex);
	listener->is_stopping = true;
	pthread_mutex_unlock(&listener->mutex);
	listener_nudge(listener);
	pthread_join(listener->thread, NULL);
	listener_free(listener);
}

const char *listener_address(const struct listener *listener)
{
	return listener->address;
}

/* The listening socket changes under the mutex, so that two commands cannot cross. */
static bool listener_refuse(struct listener *listener, bool is_refusing)
{
	pthread_mutex_lock(&listener->mutex);
	int result = 0;
	if (is_refusing && !listener->is_refusing)
		result = shutdown(listener->fd, SHUT_RDWR);
	else if (!is_refusing && listener->is_refusing)
		result = listen(listener->fd, BACKLOG);
	if (result == 0)
		listener->is_refusing = is_refusing;
	pthread_mutex_unlock(&listener->mutex);
	listener_nudge(listener);
	if (is_refusing)
		sessions_cut(listener->sessions, 0);
	return result == 0;
}

static void listener_control_refuse(struct listener *listener, const char *argument, char *answer,
				    size_t answer_size)
{
	bool is_on = strcmp(argument, "on") == 0;
	if (!is_on && strcmp(argument, "off") != 0)
		snprintf(answer, answer_size, "error usage: refuse on|off");
	else if (!listener_refuse(listener, is_on))
		snprintf(answer, answer_size, "error %s", strerror(errno));
	else
		snprintf(answer, answer_size, "ok");
}

static void listener_control_kill(struct listener *listener, const char *argument, char *answer,
				  size_t answer_size)
{
	char *end = NULL;
	long session_id = strtol(argument, &end, 10);
	bool is_all = strcmp(argument, "all") == 0;
	if (!is_all && (end == argument || *end != '\0' || session_id <= 0)) {
		snprintf(answer, answer_size, "error usage: kill SESSION|all");
		return;
	}
	size_t count = sessions_cut(listener->sessions, is_all ? 0 : (int32_t)session_id);
	if (count == 0 && !is_all)
		snprintf(answer, answer_size, "error no session %ld", session_id);
	else
		snprintf(answer, answer_size, "ok %zu", count);
}

void listener_cut_all(struct listener *listener)
{
	sessions_cut(listener->sessions, 0);
}

bool listener_control(struct listener *listener, const char *line, char *answer, size_t answer_size)
{
	if (strncmp(line, "refuse ", 7) == 0)
		listener_control_refuse(listener, line + 7, answer, answer_size);
	else if (strncmp(line, "kill ", 5) == 0)
		listener_control_kill(listener, line + 5, answer, answer_size);
	else if (strcmp(line, "sessions") == 0)
		snprintf(answer, answer_size, "ok %zu", sessions_count(listener->sessions));
	else
		return false;
	return true;
}
