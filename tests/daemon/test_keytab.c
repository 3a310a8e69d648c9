/* SPDX-License-Identifier: Apache-2.0 */
/* What a keytab must be before GSSAPI sees it. */
#include "daemon/keytab.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support.h"

static char path[64];

static int set_up(void **state)
{
	(void)state;
	(void)snprintf(path, sizeof(path), "/tmp/latchd-keytab-XXXXXX");
	const int fd = mkstemp(path);
	return fd < 0 ? -1 : close(fd);
}

static int tear_down(void **state)
{
	(void)state;
	return unlink(path);
}

static void write_bytes(const char *bytes, size_t size, mode_t mode)
{
	const int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_true(write(fd, bytes, size) == (ssize_t)size);
	assert_int_equal(fchmod(fd, mode), 0);
	assert_int_equal(close(fd), 0);
}

static void assert_refused(const char *words)
{
	struct error err = ERROR_INIT;
	assert_false(keytab_check(path, &err));
	if (!strstr(err.text, words) || !strstr(err.text, path))
		fail_msg("%s", err.text);
}

static void a_keytab_of_ours_is_taken(void **state)
{
	(void)state;
	struct error err = ERROR_INIT;
	write_bytes("\5\2\0\0\0\1", 6, 0600);
	assert_true(keytab_check(path, &err));
	write_bytes("\5\1", 2, 0640);
	assert_true(keytab_check(path, &err));
}

static void one_that_everybody_reads_is_refused(void **state)
{
	(void)state;
	write_bytes("\5\2", 2, 0644);
	assert_refused("chmod o=");
}

static void what_is_no_keytab_is_refused(void **state)
{
	static const char *const bytes[] = {"", "\5", "\5\3", "pa"};
	(void)state;
	for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++) {
		write_bytes(bytes[i], strlen(bytes[i]), 0600);
		assert_refused("is no keytab");
	}
}

static void one_that_is_not_there_is_an_error_with_its_reason(void **state)
{
	struct error err = ERROR_INIT;
	(void)state;
	assert_false(keytab_check("/nonexistent/k", &err));
	assert_string_equal(err.text, "keytab '/nonexistent/k': No such file or directory");
	assert_false(keytab_check("/tmp", &err));
	assert_string_equal(err.text, "keytab '/tmp' is no file");
}

static void gssapi_is_told_where_it_is(void **state)
{
	(void)state;
	keytab_use("/etc/latchd/krb5.keytab");
	assert_string_equal(getenv("KRB5_CLIENT_KTNAME"), "/etc/latchd/krb5.keytab");
	assert_string_equal(getenv("KRB5CCNAME"), "MEMORY:latchd");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_keytab_of_ours_is_taken),
		cmocka_unit_test(one_that_everybody_reads_is_refused),
		cmocka_unit_test(what_is_no_keytab_is_refused),
		cmocka_unit_test(one_that_is_not_there_is_an_error_with_its_reason),
		cmocka_unit_test(gssapi_is_told_where_it_is),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
