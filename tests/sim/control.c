/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The control socket. One thread serves a few clients; a command is executed where it is read, so
 * commands never overlap. The wire's own verbs are tried first, then the instance's.
 */
#include "tests/sim/control.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/sim/browser.h"
#include "tests/sim/fault.h"
#include "tests/sim/instance.h"
#include "tests/sim/listener.h"

enum { CLIENT_LIMIT = 16, LINE_SIZE = 8192, ANSWER_SIZE = 8192, FIXED_WATCHES = 2 };

struct client {
	int fd; /* -1 = unused */
	size_t size;
	char line[LINE_SIZE];
};

struct control {
	int fd;
	int stop_fd;
	struct sockaddr_un address;
	struct control_targets targets;
	pthread_t thread;
	struct client clients[CLIENT_LIMIT];
};

/* A server that restarts loses its connections; restart and reboot both answer "ok restart". */
static void control_follow_restart(const struct control_targets *targets, const char *answer)
{
	if (strncmp(answer, "ok restart", strlen("ok restart")) == 0)
		listener_cut_all(targets->listener);
}

static void control_execute(const struct control_targets *targets, const char *line, char *answer,
			    size_t answer_size)
{
	if (listener_control(targets->listener, line, answer, answer_size) ||
	    browser_control(targets->browser, line, answer, answer_size) ||
	    fault_control(targets->faults, line, answer, answer_size))
		return;
	if (instance_control(targets->instance, line, answer, answer_size))
		control_follow_restart(targets, answer);
	else
		snprintf(answer, answer_size, "error unknown command");
}

static void client_close(struct client *client)
{
	if (client->fd >= 0)
		close(client->fd);
	client->fd = -1;
	client->size = 0;
}

/* Executes the first line when it is whole. False when there is none or the client went away. */
static bool client_take_line(struct client *client, const struct control_targets *targets)
{
	char answer[ANSWER_SIZE];
	char *end = memchr(client->line, '\n', client->size);
	if (!end)
		return false;
	*end = '\0';
	if (end > client->line && end[-1] == '\r')
		end[-1] = '\0';
	control_execute(targets, client->line, answer, sizeof(answer) - 1);
	size_t answer_size = strlen(answer);
	answer[answer_size++] = '\n';
	size_t used = (size_t)(end + 1 - client->line);
	client->size -= used;
	memmove(client->line, end + 1, client->size);
	return send(client->fd, answer, answer_size, MSG_NOSIGNAL) > 0;
}

static void client_read(struct client *client, const struct control_targets *targets)
{
	ssize_t size = recv(client->fd, client->line + client->size,
			    sizeof(client->line) - client->size, 0);
	if (size <= 0) {
		client_close(client);
		return;
	}
	client->size += (size_t)size;
	while (client_take_line(client, targets))
		;
	if (client->size == sizeof(client->line))
		client_close(client); /* a line without end */
}

static void control_accept(struct control *control)
{
	int fd = accept4(control->fd, NULL, NULL, SOCK_CLOEXEC);
	for (size_t i = 0; i < CLIENT_LIMIT && fd >= 0; i++) {
		if (control->clients[i].fd < 0) {
			control->clients[i].fd = fd;
			fd = -1;
		}
	}
	if (fd >= 0)
		close(fd);
}

/* False when it is time to stop. poll(2) passes over descriptors of -1. */
static bool control_step(struct control *control)
{
	struct pollfd watches[FIXED_WATCHES + CLIENT_LIMIT] = {
		{.fd = control->stop_fd, .events = POLLIN}, {.fd = control->fd, .events = POLLIN}};
	for (size_t i = 0; i < CLIENT_LIMIT; i++)
		watches[FIXED_WATCHES + i] =
			(struct pollfd){.fd = control->clients[i].fd, .events = POLLIN};
	if (poll(watches, FIXED_WATCHES + CLIENT_LIMIT, -1) < 0)
		return true;
	if (watches[0].revents != 0)
		return false;
	for (size_t i = 0; i < CLIENT_LIMIT; i++) {
		if (watches[FIXED_WATCHES + i].revents != 0)
			client_read(&control->clients[i], &control->targets);
	}
	if (watches[1].revents != 0)
		control_accept(control);
	return true;
}

static void *control_main(void *argument)
{
	while (control_step(argument))
		;
	return NULL;
}

static bool control_bind(struct control *control, const char *path)
{
	control->address.sun_family = AF_UNIX;
	if (strlen(path) >= sizeof(control->address.sun_path)) {
		errno = ENAMETOOLONG;
		return false;
	}
	memcpy(control->address.sun_path, path, strlen(path) + 1);
	unlink(path); /* of a simulator that was killed */
	control->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	return control->fd >= 0 &&
	       bind(control->fd, (struct sockaddr *)&control->address, sizeof(control->address)) ==
		       0 &&
	       listen(control->fd, CLIENT_LIMIT) == 0;
}

static void control_free(struct control *control)
{
	for (size_t i = 0; i < CLIENT_LIMIT; i++)
		client_close(&control->clients[i]);
	if (control->fd >= 0)
		close(control->fd);
	if (control->stop_fd >= 0)
		close(control->stop_fd);
	free(control);
}

struct control *control_open(const char *path, const struct control_targets *targets, char *reason,
			     size_t reason_size)
{
	struct control *control = calloc(1, sizeof(*control));
	if (!control)
		abort();
	for (size_t i = 0; i < CLIENT_LIMIT; i++)
		control->clients[i].fd = -1;
	control->fd = -1;
	control->targets = *targets;
	control->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (control->stop_fd < 0 || !control_bind(control, path) ||
	    pthread_create(&control->thread, NULL, control_main, control) != 0) {
		snprintf(reason, reason_size, "cannot serve '%s': %s", path, strerror(errno));
		control_free(control);
		return NULL;
	}
	return control;
}

void control_close(struct control *control)
{
	if (!control)
		return;
	uint64_t one = 1;
	ssize_t size = write(control->stop_fd, &one, sizeof(one));
	(void)size; /* the counter of an eventfd takes a one */
	pthread_join(control->thread, NULL);
	unlink(control->address.sun_path);
	control_free(control);
}
