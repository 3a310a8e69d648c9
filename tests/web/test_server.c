/* SPDX-License-Identifier: Apache-2.0 */
/* The real server on real sockets: TCP, IPv6 and a unix socket, many requests, a clean stop. */
#include "web/server.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/support.h"
#include "tests/web/web_fixture.h"

enum { ANSWER_SIZE = 64 * 1024, THREADS = 8, REQUESTS_PER_THREAD = 50, SEQUENTIAL = 2000 };

struct server_test {
	struct web_fixture fixture;
	struct web_server *server;
	char socket_path[96];
	char listen_unix[128];
	int port;
};

static int start(void **state)
{
	static struct server_test test;
	struct error err = ERROR_INIT;
	fixture_start(&test.fixture);
	snprintf(test.socket_path, sizeof(test.socket_path), "%s/s", test.fixture.folder);
	snprintf(test.listen_unix, sizeof(test.listen_unix), "unix:%s", test.socket_path);
	struct web_options options = test.fixture.context.options;
	options.listen[0] = "127.0.0.1:0";
	options.listen[1] = test.listen_unix;
	options.listen_count = 2;
	test.server = web_server_start(&options, &err);
	if (!test.server)
		fail_msg("%s", err.text);
	test.port = atoi(strrchr(web_server_address(test.server, 0), ':') + 1);
	*state = &test;
	return 0;
}

static int stop(void **state)
{
	struct server_test *const test = *state;
	web_server_stop(test->server);
	fixture_stop(&test->fixture);
	return 0;
}

static int connect_tcp(int port)
{
	const struct sockaddr_in address = {.sin_family = AF_INET,
					    .sin_port = htons((uint16_t)port),
					    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	close(fd);
	return -1;
}

static int connect_unix(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	close(fd);
	return -1;
}

/* Sends a request and reads until the other side closes; the status, 0 when there was no answer. */
static int exchange(int fd, const char *request, char answer[ANSWER_SIZE])
{
	size_t size = 0;
	ssize_t got = 1;
	(void)send(fd, request, strlen(request), MSG_NOSIGNAL); /* a refusal may come before */
	while (got > 0 && size < ANSWER_SIZE - 1) {
		got = recv(fd, answer + size, ANSWER_SIZE - 1 - size, 0);
		size += got > 0 ? (size_t)got : 0;
	}
	answer[size] = '\0';
	close(fd);
	return size > 12 ? atoi(answer + 9) : 0;
}

static int get(const struct server_test *test, const char *path, char answer[ANSWER_SIZE])
{
	char request[512];
	snprintf(request, sizeof(request),
		 "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n\r\n", path,
		 test->port);
	return exchange(connect_tcp(test->port), request, answer);
}

static const char *body_of(const char *answer)
{
	const char *const body = strstr(answer, "\r\n\r\n");
	return body ? body + 4 : "";
}

static void tcp_and_unix_answer_alike(void **state)
{
	struct server_test *const test = *state;
	char tcp[ANSWER_SIZE];
	char local[ANSWER_SIZE];
	assert_int_equal(get(test, "/api/v1/alerts", tcp), 200);
	assert_int_equal(exchange(connect_unix(test->socket_path),
				  "GET /api/v1/alerts HTTP/1.1\r\nHost: anything\r\nConnection: "
				  "close\r\n\r\n",
				  local),
			 200);
	assert_string_equal(body_of(tcp), "{\"alerts\":[]}");
	assert_string_equal(body_of(local), body_of(tcp));
	assert_non_null(strstr(tcp, "Content-Type: application/json\r\n"));
	assert_non_null(strstr(tcp, "X-Content-Type-Options: nosniff\r\n"));
	assert_string_equal(web_server_address(test->server, 1), test->listen_unix);
	assert_null(web_server_address(test->server, 2));
}

static void head_has_the_length_and_no_body(void **state)
{
	struct server_test *const test = *state;
	char answer[ANSWER_SIZE];
	assert_int_equal(exchange(connect_tcp(test->port),
				  "HEAD /api/v1/alerts HTTP/1.1\r\nHost: localhost\r\nConnection: "
				  "close\r\n\r\n",
				  answer),
			 200);
	assert_non_null(strstr(answer, "Content-Length: 13\r\n"));
	assert_string_equal(body_of(answer), "");
}

static void parameters_arrive_decoded(void **state)
{
	struct server_test *const test = *state;
	char answer[ANSWER_SIZE];
	assert_int_equal(get(test,
			     "/api/v1/targets/prod%2D01/waits?start=2026-09-21T14:13:20%2B02:00"
			     "&end=2026-09-21T14:14:20+02:00&step=10s&name=A%26B",
			     answer),
			 200);
	assert_non_null(strstr(answer, "\"name\":\"A&B\""));
	assert_non_null(strstr(answer, "\"start\":1789992800000,\"end\":1789992860000"));
	assert_int_equal(get(test, "/api/v1/targets/prod-01/waits?name=A%00B", answer), 400);
}

static void faults_have_their_status(void **state)
{
	struct server_test *const test = *state;
	char answer[ANSWER_SIZE];
	static const struct {
		const char *request;
		int status;
	} cases[] = {
		{"GET /nothing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 404},
		{"GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n", 421},
		{"GET /livez HTTP/1.0\r\n\r\n", 200},
		{"POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
		 "Content-Length: 2\r\n\r\n{}",
		 405},
		{"POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
		 "Content-Length: 99999999\r\n\r\n{}",
		 413},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const int status = exchange(connect_tcp(test->port), cases[i].request, answer);
		if (status != cases[i].status)
			fail_msg("%s: got %d, want %d", cases[i].request, status, cases[i].status);
	}
	assert_null(strstr(answer, "<html"));
}

static void gzip_is_sent_to_those_who_take_it(void **state)
{
	struct server_test *const test = *state;
	char answer[ANSWER_SIZE];
	assert_int_equal(exchange(connect_tcp(test->port),
				  "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
				  "Accept-Encoding: gzip\r\n\r\n",
				  answer),
			 200);
	assert_non_null(strstr(answer, "Content-Encoding: gzip\r\n"));
	assert_memory_equal(body_of(answer), "\x1f\x8b", 2);
}

struct worker {
	const struct server_test *test;
	int good_count;
	pthread_t thread;
};

static void *work(void *context)
{
	struct worker *const worker = context;
	static const char *const paths[] = {
		"/api/v1/targets", "/api/v1/targets/prod-01/waits?start=-1m", "/api/v1/status",
		"/api/v1/targets/prod-01/waits/top", "/api/v1/targets/prod-01/events"};
	char *const answer = malloc(ANSWER_SIZE);
	for (int i = 0; i < REQUESTS_PER_THREAD; i++)
		worker->good_count += get(worker->test, paths[i % 5], answer) == 200;
	free(answer);
	return NULL;
}

static void parallel_requests_are_all_answered(void **state)
{
	struct worker workers[THREADS];
	for (int i = 0; i < THREADS; i++) {
		workers[i] = (struct worker){.test = *state};
		assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(workers[i].thread, NULL);
		assert_int_equal(workers[i].good_count, REQUESTS_PER_THREAD);
	}
}

static int open_file_count(void)
{
	struct dirent **entries = NULL;
	/* cppcheck-suppress nullPointer -- neither filter nor order is asked for */
	const int count = scandir("/proc/self/fd", &entries, NULL, NULL);
	for (int i = 0; i < count; i++)
		free(entries[i]);
	free(entries);
	return count;
}

/* Memory is the leak checker's; here files. */
static void many_requests_leave_no_file_open(void **state)
{
	struct server_test *const test = *state;
	char answer[ANSWER_SIZE];
	assert_int_equal(get(test, "/livez", answer), 200);
	const int before = open_file_count();
	for (int i = 0; i < SEQUENTIAL; i++)
		assert_int_equal(get(test, "/livez", answer), 200);
	/* The last connection may still be on its way out. */
	assert_true(open_file_count() <= before + 1);
}

static void stop_ends_idle_connections_and_removes_the_socket(void **state)
{
	struct server_test *const test = *state;
	char rest[16];
	const int idle = connect_tcp(test->port);
	assert_true(idle >= 0);
	web_server_stop(test->server);
	test->server = NULL;
	assert_true(recv(idle, rest, sizeof(rest), 0) <= 0);
	assert_int_equal(connect_tcp(test->port), -1);
	assert_int_equal(access(test->socket_path, F_OK), -1);
	close(idle);
}

static void an_address_in_use_fails_whole(void **state)
{
	struct server_test *const test = *state;
	struct error err = ERROR_INIT;
	char in_use[32];
	snprintf(in_use, sizeof(in_use), "127.0.0.1:%d", test->port);
	struct web_options options = test->fixture.context.options;
	options.listen[0] = "127.0.0.1:0";
	options.listen[1] = in_use;
	options.listen_count = 2;
	const int before = open_file_count();
	assert_null(web_server_start(&options, &err));
	assert_int_equal(err.kind, ERROR_CONFLICT);
	assert_int_equal(open_file_count(), before);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)
	const struct CMUnitTest tests[] = {
		TEST(tcp_and_unix_answer_alike),
		TEST(head_has_the_length_and_no_body),
		TEST(parameters_arrive_decoded),
		TEST(faults_have_their_status),
		TEST(gzip_is_sent_to_those_who_take_it),
		TEST(parallel_requests_are_all_answered),
		TEST(many_requests_leave_no_file_open),
		TEST(stop_ends_idle_connections_and_removes_the_socket),
		TEST(an_address_in_use_fails_whole),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
