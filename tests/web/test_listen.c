/* SPDX-License-Identifier: Apache-2.0 */
/* Listen addresses: which are taken, which are refused, and how. */
#include "web/listen.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support.h"

static void port_0_shows_the_port_that_was_bound(void **state)
{
	(void)state;
	struct listen_socket opened;
	struct error err = ERROR_INIT;
	assert_true(listen_open("127.0.0.1:0", &opened, &err));
	assert_string_equal(opened.host, "127.0.0.1");
	assert_memory_equal(opened.shown, "http://127.0.0.1:", 17);
	assert_true(atoi(opened.shown + 17) > 0);
	assert_false(opened.is_everywhere);
	close(opened.fd);
}

static void ipv6_is_shown_in_brackets(void **state)
{
	(void)state;
	struct listen_socket opened;
	struct error err = ERROR_INIT;
	if (!listen_open("[::1]:0", &opened, &err)) {
		if (err.code == EADDRNOTAVAIL || err.code == EAFNOSUPPORT)
			skip();
		fail_msg("%s", err.text);
	}
	assert_memory_equal(opened.shown, "http://[::1]:", 13);
	close(opened.fd);
}

static void nonsense_is_refused_with_the_reason(void **state)
{
	(void)state;
	static const char *const refused[] = {
		"",
		"9743",
		":9743",
		"127.0.0.1",
		"127.0.0.1:",
		"127.0.0.1:99999",
		"127.0.0.1:80x",
		"::1:9743",
		"[::1]9743",
		"unix:relative",
		"300.1.1.1:80x",
	};
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct listen_socket opened;
		struct error err = ERROR_INIT;
		if (listen_open(refused[i], &opened, &err))
			fail_msg("'%s' is taken", refused[i]);
		assert_int_equal(err.kind, ERROR_INVALID);
		assert_non_null(strstr(err.text, "listen address"));
	}
}

static void an_address_in_use_is_a_conflict(void **state)
{
	(void)state;
	struct listen_socket first;
	struct listen_socket second;
	struct error err = ERROR_INIT;
	assert_true(listen_open("127.0.0.1:0", &first, &err));
	assert_false(listen_open(first.shown + strlen("http://"), &second, &err));
	assert_int_equal(err.kind, ERROR_CONFLICT);
	close(first.fd);
}

static void an_abandoned_unix_socket_is_replaced_and_a_live_one_is_not(void **state)
{
	(void)state;
	char folder[] = "/tmp/latchd-test-XXXXXX";
	assert_non_null(mkdtemp(folder));
	char address[64];
	snprintf(address, sizeof(address), "unix:%s/s", folder);
	struct listen_socket first;
	struct listen_socket second;
	struct error err = ERROR_INIT;
	assert_true(listen_open(address, &first, &err));
	assert_true(first.is_unix);
	assert_false(listen_open(address, &second, &err));
	assert_int_equal(err.kind, ERROR_CONFLICT);
	close(first.fd);
	assert_true(listen_open(address, &second, &err));
	struct stat status;
	assert_int_equal(stat(second.host, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0660);
	close(second.fd);
	unlink(second.host);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(port_0_shows_the_port_that_was_bound),
		cmocka_unit_test(ipv6_is_shown_in_brackets),
		cmocka_unit_test(nonsense_is_refused_with_the_reason),
		cmocka_unit_test(an_address_in_use_is_a_conflict),
		cmocka_unit_test(an_abandoned_unix_socket_is_replaced_and_a_live_one_is_not),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
