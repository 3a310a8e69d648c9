/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of a SQL Server Browser, good and bad, and the exchange with one that is ours (B063). */
#include "collectors/browser.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/base/clock.h"
#include "tests/support.h"

#define ONE    "ServerName;SQL01;InstanceName;PROD;IsClustered;No;Version;15.0.2000.5;tcp;57137;;"
#define SECOND "ServerName;SQL01;InstanceName;TEST;IsClustered;No;Version;11.0;np;\\\\X;tcp;1500;;"
#define PIPES  "ServerName;SQL01;InstanceName;OLD;IsClustered;No;Version;8.0;np;\\\\SQL01\\pipe;;"

static size_t wrap(const char *text, uint8_t *bytes)
{
	const size_t size = strlen(text);

	bytes[0] = 0x05;
	bytes[1] = (uint8_t)(size & 0xff);
	bytes[2] = (uint8_t)(size >> 8);
	for (size_t i = 0; i < size; i++)
		bytes[3 + i] = (uint8_t)text[i];
	return size + 3;
}

static void an_instance_is_found_without_case_in_any_place(void **state)
{
	static const struct {
		const char *text, *instance;
		int port;
	} cases[] = {
		{ONE, "PROD", 57137},
		{ONE, "prod", 57137},
		{ONE SECOND PIPES, "Test", 1500},
		{PIPES SECOND, "TEST", 1500},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct error err = ERROR_INIT;
		uint8_t bytes[1024];
		int port = 0;
		const size_t size = wrap(cases[i].text, bytes);
		assert_true(browser_read_answer(bytes, size, "h", cases[i].instance, &port, &err));
		assert_int_equal(port, cases[i].port);
	}
}

static void an_answer_without_it_says_what_there_is(void **state)
{
	static const struct {
		const char *text, *instance, *words;
	} cases[] = {
		{ONE SECOND, "X", "'h' has no instance 'X'; it knows: PROD, TEST"},
		{PIPES, "OLD", "instance 'OLD' of 'h' does not listen on TCP"},
		{"InstanceName;a\x1b[31m;tcp;1;;", "X", "it knows: a?[31m"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct error err = ERROR_INIT;
		uint8_t bytes[1024];
		int port = -1;
		const size_t size = wrap(cases[i].text, bytes);
		assert_false(browser_read_answer(bytes, size, "h", cases[i].instance, &port, &err));
		assert_int_equal(err.kind, ERROR_NOT_FOUND);
		assert_non_null(strstr(err.text, cases[i].words));
		assert_int_equal(port, -1);
	}
}

static void texts_that_break_the_format_are_refused(void **state)
{
	static const char *const texts[] = {
		"x",
		";",
		";;",
		"InstanceName",
		"InstanceName;",
		"InstanceName;PROD",
		"InstanceName;PROD;tcp;1",
		"InstanceName;PROD;tcp;1;",
		"InstanceName;;tcp;1;;",
		"tcp;1;;",
		"InstanceName;PROD;tcp;;;",
		"InstanceName;PROD;tcp;0;;",
		"InstanceName;PROD;tcp;65536;;",
		"InstanceName;PROD;tcp;-1;;",
		"InstanceName;PROD;tcp;1 ;;",
		"InstanceName;PROD;tcp;99999999999999999999;;",
		"InstanceName;OTHER;tcp;1;;InstanceName;PROD;tcp",
	};
	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct error err = ERROR_INIT;
		uint8_t bytes[1024];
		int port = -1;
		const size_t size = wrap(texts[i], bytes);
		if (browser_read_answer(bytes, size, "h", "PROD", &port, &err) ||
		    err.kind != ERROR_PROTOCOL)
			fail_msg("'%s': %s", texts[i], err.text);
		assert_int_equal(port, -1);
	}
}

static void bytes_that_are_no_answer_are_refused(void **state)
{
	(void)state;
	uint8_t good[1024];
	const size_t good_size = wrap(ONE, good);
	struct error err = ERROR_INIT;
	int port = -1;
	/* Whatever it is cut to, less than the length it tells is no answer. */
	for (size_t size = 0; size < good_size; size++)
		assert_false(browser_read_answer(good, size, "h", "PROD", &port, &err));
	good[0] = 0x04;
	assert_false(browser_read_answer(good, good_size, "h", "PROD", &port, &err));
	good[0] = 0x05;
	good[1] = good[2] = 0;
	assert_false(browser_read_answer(good, good_size, "h", "PROD", &port, &err));
	good[1] = good[2] = 0xff;
	assert_false(browser_read_answer(good, good_size, "h", "PROD", &port, &err));
	(void)wrap(ONE, good);
	good[20] = '\0';
	assert_false(browser_read_answer(good, good_size, "h", "PROD", &port, &err));
	assert_int_equal(err.kind, ERROR_PROTOCOL);
	assert_int_equal(port, -1);
}

/* A browser on the loopback that answers as told. */
struct browser {
	int fd;
	int port;
	const char *to_one; /* NULL: silence */
	const char *to_all;
	bool begins_with_garbage;
	int request_count;
	uint8_t last[64];
	pthread_t thread;
};

static void answer(const struct browser *browser, const char *text,
		   const struct sockaddr_storage *peer, socklen_t peer_size)
{
	uint8_t bytes[1024];

	if (browser->begins_with_garbage)
		(void)sendto(browser->fd, "\x05zz", 3, 0, (const struct sockaddr *)peer, peer_size);
	if (text)
		(void)sendto(browser->fd, bytes, wrap(text, bytes), 0,
			     (const struct sockaddr *)peer, peer_size);
}

static void *serve(void *argument)
{
	struct browser *browser = argument;

	for (;;) {
		struct sockaddr_storage peer;
		socklen_t peer_size = sizeof(peer);
		uint8_t request[64] = {0};
		const ssize_t size = recvfrom(browser->fd, request, sizeof(request), 0,
					      (struct sockaddr *)&peer, &peer_size);
		if (size <= 1 && request[0] == 0)
			return NULL;
		browser->request_count++;
		if (request[0] == 0x04)
			memcpy(browser->last, request, sizeof(request));
		answer(browser, request[0] == 0x04 ? browser->to_one : browser->to_all, &peer,
		       peer_size);
	}
}

static void start_browser(struct browser *browser, const char *to_one, const char *to_all)
{
	struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_addr = in6addr_loopback};
	socklen_t size = sizeof(address);

	browser->to_one = to_one;
	browser->to_all = to_all;
	browser->fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(browser->fd, (struct sockaddr *)&address, size), 0);
	assert_int_equal(getsockname(browser->fd, (struct sockaddr *)&address, &size), 0);
	browser->port = ntohs(address.sin6_port);
	assert_int_equal(pthread_create(&browser->thread, NULL, serve, browser), 0);
}

static void stop_browser(struct browser *browser)
{
	struct sockaddr_in6 address = {.sin6_family = AF_INET6,
				       .sin6_addr = in6addr_loopback,
				       .sin6_port = htons((uint16_t)browser->port)};

	(void)sendto(browser->fd, "", 1, 0, (struct sockaddr *)&address, sizeof(address));
	assert_int_equal(pthread_join(browser->thread, NULL), 0);
	(void)close(browser->fd);
}

static bool ask(int browser_port, const char *instance, int *port, struct error *err)
{
	return browser_ask(&(struct browser_options){.host = "::1",
						     .instance = instance,
						     .port = browser_port,
						     .timeout_ms = 400},
			   port, err);
}

static void the_request_is_that_of_the_protocol(void **state)
{
	(void)state;
	struct browser browser = {.begins_with_garbage = true};
	struct error err = ERROR_INIT;
	int port = 0;
	start_browser(&browser, ONE, NULL);
	assert_true(ask(browser.port, "PROD", &port, &err));
	stop_browser(&browser);
	assert_int_equal(port, 57137);
	assert_int_equal(browser.request_count, 1);
	assert_memory_equal(browser.last, "\x04PROD\0", 6);
}

static void silence_for_one_asks_for_all(void **state)
{
	(void)state;
	struct browser browser = {0};
	struct error err = ERROR_INIT;
	int port = -1;
	start_browser(&browser, NULL, ONE SECOND);
	assert_false(ask(browser.port, "NONE", &port, &err));
	stop_browser(&browser);
	assert_int_equal(err.kind, ERROR_NOT_FOUND);
	assert_non_null(strstr(err.text, "it knows: PROD, TEST"));
	assert_int_equal(port, -1);
}

static void a_silent_browser_ends_in_time(void **state)
{
	(void)state;
	struct browser browser = {0};
	struct error err = ERROR_INIT;
	int port = -1;
	start_browser(&browser, NULL, NULL);
	const int64_t begin_ms = clock_now().mono_ms;
	assert_false(ask(browser.port, "PROD", &port, &err));
	assert_in_range(clock_now().mono_ms - begin_ms, 390, 4000);
	stop_browser(&browser);
	assert_int_equal(err.kind, ERROR_TIMEOUT);
	assert_string_equal(err.text, "SQL Server Browser on '::1' did not answer within 400 ms; "
				      "give the port");
}

static void nobody_there_is_told_at_once(void **state)
{
	(void)state;
	struct browser browser = {0};
	struct error err = ERROR_INIT;
	int port = -1;
	start_browser(&browser, NULL, NULL);
	stop_browser(&browser);
	assert_false(ask(browser.port, "PROD", &port, &err));
	assert_int_equal(err.kind, ERROR_UNREACHABLE);
	assert_non_null(strstr(err.text, "no SQL Server Browser listens on '::1'"));
}

static void garbage_alone_is_told_as_such(void **state)
{
	(void)state;
	struct browser browser = {0};
	struct error err = ERROR_INIT;
	int port = -1;
	start_browser(&browser, "InstanceName;PROD", NULL);
	assert_false(ask(browser.port, "PROD", &port, &err));
	stop_browser(&browser);
	assert_int_equal(err.kind, ERROR_PROTOCOL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_instance_is_found_without_case_in_any_place),
		cmocka_unit_test(an_answer_without_it_says_what_there_is),
		cmocka_unit_test(texts_that_break_the_format_are_refused),
		cmocka_unit_test(bytes_that_are_no_answer_are_refused),
		cmocka_unit_test(the_request_is_that_of_the_protocol),
		cmocka_unit_test(silence_for_one_asks_for_all),
		cmocka_unit_test(a_silent_browser_ends_in_time),
		cmocka_unit_test(nobody_there_is_told_at_once),
		cmocka_unit_test(garbage_alone_is_told_as_such),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
