/* SPDX-License-Identifier: Apache-2.0 */
/* The webhook against a listener of its own: what it sends, and what it makes of each answer. */
#include "web/outbound_webhook.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/support.h"

/* Takes one connection, keeps what came, answers; NULL answers nothing until it is closed. */
struct receiver {
	int fd;
	int port;
	const char *answer;
	char received[4096];
	pthread_t thread;
};

static bool is_complete(const char *received)
{
	const char *const body = strstr(received, "\r\n\r\n");
	const char *const length = strcasestr(received, "content-length:");
	return body && length && strlen(body + 4) >= (size_t)atoi(length + 15);
}

static void *receive(void *context)
{
	struct receiver *const receiver = context;
	const int fd = accept(receiver->fd, NULL, NULL);
	if (fd < 0)
		return NULL;
	size_t size = 0;
	ssize_t got = 1;
	while (got > 0 && (!receiver->answer || !is_complete(receiver->received))) {
		got = recv(fd, receiver->received + size, sizeof(receiver->received) - 1 - size, 0);
		size += got > 0 ? (size_t)got : 0;
	}
	if (receiver->answer)
		(void)send(fd, receiver->answer, strlen(receiver->answer), MSG_NOSIGNAL);
	close(fd);
	return NULL;
}

static void receiver_start(struct receiver *receiver, const char *answer)
{
	*receiver = (struct receiver){.answer = answer};
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(address);
	receiver->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(receiver->fd, (struct sockaddr *)&address, size), 0);
	assert_int_equal(listen(receiver->fd, 4), 0);
	assert_int_equal(getsockname(receiver->fd, (struct sockaddr *)&address, &size), 0);
	receiver->port = ntohs(address.sin_port);
	assert_int_equal(pthread_create(&receiver->thread, NULL, receive, receiver), 0);
}

static void receiver_stop(struct receiver *receiver)
{
	shutdown(receiver->fd, SHUT_RDWR);
	pthread_join(receiver->thread, NULL);
	close(receiver->fd);
}

static struct webhook *webhook_to(int port, int64_t timeout_ms)
{
	char url[64];
	struct error err = ERROR_INIT;
	snprintf(url, sizeof(url), "http://127.0.0.1:%d/hook", port);
	struct webhook *const webhook = webhook_new(url, timeout_ms, &err);
	assert_non_null(webhook);
	return webhook;
}

static bool post_to(struct receiver *receiver, const char *answer, int64_t timeout_ms,
		    struct error *err)
{
	receiver_start(receiver, answer);
	struct webhook *const webhook = webhook_to(receiver->port, timeout_ms);
	const bool is_posted = webhook_post(webhook, "{\"status\":\"firing\"}", 42, err);
	webhook_free(webhook);
	receiver_stop(receiver);
	return is_posted;
}

static void a_message_arrives_whole_with_its_delivery_id(void **state)
{
	(void)state;
	struct receiver receiver;
	struct error err = ERROR_INIT;
	assert_true(post_to(&receiver, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 5000, &err));
	assert_memory_equal(receiver.received, "POST /hook HTTP/1.1\r\n", 21);
	assert_non_null(strstr(receiver.received, "\r\nIdempotency-Key: 42\r\n"));
	assert_non_null(strstr(receiver.received, "\r\nContent-Type: application/json\r\n"));
	assert_non_null(strstr(receiver.received, "\r\n\r\n{\"status\":\"firing\"}"));
	assert_null(strstr(receiver.received, "Expect:"));
}

static void a_status_that_is_no_success_comes_back_as_code(void **state)
{
	(void)state;
	static const int statuses[] = {500, 404, 429, 302};
	for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
		struct receiver receiver;
		struct error err = ERROR_INIT;
		char answer[160];
		snprintf(answer, sizeof(answer),
			 "HTTP/1.1 %d X\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: "
			 "0\r\n\r\n",
			 statuses[i]);
		assert_false(post_to(&receiver, answer, 5000, &err));
		assert_int_equal(err.kind, ERROR_SERVER);
		assert_int_equal(err.code, statuses[i]);
	}
}

static void silence_is_a_timeout(void **state)
{
	(void)state;
	struct receiver receiver;
	struct error err = ERROR_INIT;
	assert_false(post_to(&receiver, NULL, 50, &err));
	assert_int_equal(err.kind, ERROR_TIMEOUT);
}

static void a_closed_port_is_unreachable(void **state)
{
	(void)state;
	struct receiver receiver;
	struct error err = ERROR_INIT;
	receiver_start(&receiver, NULL);
	receiver_stop(&receiver); /* nobody listens on its port now */
	struct webhook *const webhook = webhook_to(receiver.port, 5000);
	assert_false(webhook_post(webhook, "{}", 1, &err));
	assert_int_equal(err.kind, ERROR_UNREACHABLE);
	webhook_free(webhook);
}

static void a_connection_can_be_used_again(void **state)
{
	(void)state;
	struct receiver receiver;
	struct error err = ERROR_INIT;
	receiver_start(&receiver, "HTTP/1.1 500 X\r\nContent-Length: 0\r\n\r\n");
	struct webhook *const webhook = webhook_to(receiver.port, 5000);
	assert_false(webhook_post(webhook, "{}", 1, &err));
	receiver_stop(&receiver);
	assert_false(webhook_post(webhook, "{}", 1, &err));
	assert_int_equal(err.kind, ERROR_UNREACHABLE);
	webhook_free(webhook);
}

static void only_http_urls_are_taken(void **state)
{
	(void)state;
	static const char *const refused[] = {"file:///etc/passwd", "ftp://host/", "no url", ""};
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct error err = ERROR_INIT;
		assert_null(webhook_new(refused[i], 1000, &err));
		assert_int_equal(err.kind, ERROR_INVALID);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_message_arrives_whole_with_its_delivery_id),
		cmocka_unit_test(a_status_that_is_no_success_comes_back_as_code),
		cmocka_unit_test(silence_is_a_timeout),
		cmocka_unit_test(a_closed_port_is_unreachable),
		cmocka_unit_test(a_connection_can_be_used_again),
		cmocka_unit_test(only_http_urls_are_taken),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
