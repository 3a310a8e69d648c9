/* SPDX-License-Identifier: Apache-2.0 */
/* The Host header names this server, or the request is not for it. */
#include "web/host.h"

#include <stdint.h>
#include <string.h>

#include "tests/support.h"

static bool allows(const struct web_context *context, const char *host)
{
	const struct request request = {.host = host};
	return host_is_allowed(context, &request);
}

static void loopback_and_listen_names_are_allowed(void **state)
{
	(void)state;
	const struct web_context context = {.hosts = {"127.0.0.1", "monitor.example"},
					    .host_count = 2};
	static const char *const allowed[] = {
		"127.0.0.1", "127.0.0.1:9743", "localhost",	    "LOCALHOST:80",
		"[::1]",     "[::1]:9743",     "monitor.example:1", "127.8.8.8",
	};
	static const char *const refused[] = {
		"evil.example",
		"evil.example:9743",
		"127.0.0.1.evil.example",
		"localhost.evil",
		"10.0.0.1",
		"[2001:db8::1]",
		"",
		"[::1",
		"127.0.0.1:x",
		"localhost:80/x",
		"::1",
	};
	for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++)
		if (!allows(&context, allowed[i]))
			fail_msg("'%s' is refused", allowed[i]);
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (allows(&context, refused[i]))
			fail_msg("'%s' is allowed", refused[i]);
}

static void listening_everywhere_allows_addresses_but_no_names(void **state)
{
	(void)state;
	const struct web_context context = {.listens_everywhere = true};
	assert_true(allows(&context, "10.0.0.1:9743"));
	assert_true(allows(&context, "[2001:db8::1]:9743"));
	assert_false(allows(&context, "evil.example"));
}

static void a_unix_socket_takes_any_host(void **state)
{
	(void)state;
	const struct web_context context = {0};
	const struct request request = {.host = "whatever", .is_unix_socket = true};
	assert_true(host_is_allowed(&context, &request));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loopback_and_listen_names_are_allowed),
		cmocka_unit_test(listening_everywhere_allows_addresses_but_no_names),
		cmocka_unit_test(a_unix_socket_takes_any_host),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
