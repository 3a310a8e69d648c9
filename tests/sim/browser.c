/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The browser's thread waits for datagrams and for a nudge (an eventfd) that ends it. As a real one
 * it answers nothing to a question for an instance it does not have. What it is told to do wrong
 * stands behind the mutex.
 */
#include "tests/sim/browser.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/sim/address.h"

enum { ASK_ALL = 0x03, ASK_ONE = 0x04, ANSWER = 0x05, REQUEST_SIZE = 64, TEXT_SIZE = 512 };

enum mood { MOOD_ANSWER, MOOD_SILENT, MOOD_GARBAGE };

static const char *const moods[] = {"answer", "silent", "garbage"};

struct browser {
	int fd;
	int stop_fd;
	char address[ADDRESS_SIZE];
	const char *server_name;
	const char *instance;
	pthread_t thread;
	pthread_mutex_t mutex;
	enum mood mood;
	unsigned port;
	unsigned request_count;
};

static bool is_for_us(const struct browser *browser, const char *request, ssize_t size)
{
	if (size < 1 || request[0] == ASK_ALL)
		return size == 1;
	return request[0] == ASK_ONE && memchr(request, '\0', (size_t)size) &&
	       strcasecmp(request + 1, browser->instance) == 0;
}

static size_t answer_write(const struct browser *browser, char *answer)
{
	int size = snprintf(answer + 3, TEXT_SIZE,
			    "ServerName;%s;InstanceName;%s;IsClustered;No;Version;15.0.2000.5;np;"
			    "\\\\%s\\pipe\\MSSQL$%s\\sql\\query;tcp;%u;;",
			    browser->server_name, browser->instance, browser->server_name,
			    browser->instance, browser->port);
	answer[0] = ANSWER;
	answer[1] = (char)(size & 0xff);
	answer[2] = (char)(size >> 8);
	return (size_t)size + 3;
}

static void browser_answer(struct browser *browser)
{
	char request[REQUEST_SIZE], answer[TEXT_SIZE + 3];
	struct address client = {.size = sizeof(client.v6)};
	ssize_t size =
		recvfrom(browser->fd, request, sizeof(request), 0, &client.any, &client.size);
	pthread_mutex_lock(&browser->mutex);
	browser->request_count++;
	size_t answer_size = answer_write(browser, answer);
	enum mood mood = browser->mood;
	pthread_mutex_unlock(&browser->mutex);
	if (mood == MOOD_SILENT || !is_for_us(browser, request, size))
		return;
	if (mood == MOOD_GARBAGE)
		answer_size /= 2;
	(void)sendto(browser->fd, answer, answer_size, MSG_NOSIGNAL, &client.any,
		     client.size); /* UDP: it may be lost */
}

static void *browser_main(void *argument)
{
	struct browser *browser = argument;
	for (;;) {
		struct pollfd watches[] = {{.fd = browser->stop_fd, .events = POLLIN},
					   {.fd = browser->fd, .events = POLLIN}};
		if (poll(watches, 2, -1) < 0)
			continue;
		if (watches[0].revents != 0)
			return NULL;
		browser_answer(browser);
	}
}

static void browser_free(struct browser *browser)
{
	if (browser->fd >= 0)
		close(browser->fd);
	if (browser->stop_fd >= 0)
		close(browser->stop_fd);
	pthread_mutex_destroy(&browser->mutex);
	free(browser);
}

static bool browser_bind(struct browser *browser, struct address *address)
{
	browser->fd = socket(address->any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (browser->fd < 0 || bind(browser->fd, &address->any, address->size) != 0 ||
	    getsockname(browser->fd, &address->any, &address->size) != 0)
		return false;
	address_write(address, browser->address);
	return true;
}

struct browser *browser_open(const char *address, const char *server_name, const char *instance,
			     const char *listener_address, char *reason, size_t reason_size)
{
	struct address parsed;
	if (!address_parse(address, &parsed)) {
		snprintf(reason, reason_size, "'%s' is not a numeric HOST:PORT", address);
		return NULL;
	}
	struct browser *browser = calloc(1, sizeof(*browser));
	if (!browser)
		abort();
	browser->fd = -1;
	browser->stop_fd = eventfd(0, EFD_CLOEXEC);
	browser->server_name = server_name;
	browser->instance = instance;
	browser->port = (unsigned)strtoul(strrchr(listener_address, ':') + 1, NULL, 10);
	pthread_mutex_init(&browser->mutex, NULL);
	if (browser->stop_fd < 0 || !browser_bind(browser, &parsed) ||
	    pthread_create(&browser->thread, NULL, browser_main, browser) != 0) {
		snprintf(reason, reason_size, "cannot answer on '%s': %s", address,
			 strerror(errno));
		browser_free(browser);
		return NULL;
	}
	return browser;
}

void browser_close(struct browser *browser)
{
	if (!browser)
		return;
	uint64_t one = 1;
	ssize_t size = write(browser->stop_fd, &one, sizeof(one));
	(void)size; /* the counter of an eventfd takes a one */
	pthread_join(browser->thread, NULL);
	browser_free(browser);
}

const char *browser_address(const struct browser *browser)
{
	return browser->address;
}

static bool set_mood(struct browser *browser, const char *word)
{
	for (int i = 0; i < 3; i++)
		if (strcmp(word, moods[i]) == 0) {
			browser->mood = (enum mood)i;
			return true;
		}
	return false;
}

static bool set_port(struct browser *browser, const char *word)
{
	char *end = NULL;
	unsigned long port = strtoul(word, &end, 10);
	if (end == word || *end != '\0' || port > UINT16_MAX)
		return false;
	browser->port = (unsigned)port;
	return true;
}

bool browser_control(struct browser *browser, const char *line, char *answer, size_t answer_size)
{
	if (!browser || strncmp(line, "browser ", 8) != 0)
		return false;
	pthread_mutex_lock(&browser->mutex);
	if (strcmp(line + 8, "requests") == 0)
		snprintf(answer, answer_size, "ok %u", browser->request_count);
	else if (strncmp(line + 8, "port ", 5) == 0 ? set_port(browser, line + 13)
						    : set_mood(browser, line + 8))
		snprintf(answer, answer_size, "ok");
	else
		snprintf(answer, answer_size,
			 "error usage: browser answer|silent|garbage|requests|port PORT");
	pthread_mutex_unlock(&browser->mutex);
	return true;
}
