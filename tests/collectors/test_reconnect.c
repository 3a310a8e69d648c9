/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whatever a login ends by, two hundred times over: no descriptor is left, and the next login that
 * can work does. B037, and B141 under the address sanitizer.
 */
#include <dirent.h>
#include <string.h>

#include "collectors/session.h"
#include "collectors/tls_probe.h"
#include "tests/collectors/simulated_target.h"
#include "tests/support.h"

enum { TRIES = 200 };

static int open_files(void)
{
	int count = 0;
	DIR *folder = opendir("/proc/self/fd");

	assert_non_null(folder);
	while (readdir(folder))
		count++;
	(void)closedir(folder);
	return count;
}

static struct session *log_in(const char *section, const char *password, struct error *err)
{
	return session_open(&(struct session_options){.section = section,
						      .where = target.where,
						      .user = "latchd",
						      .password = password},
			    err);
}

static void refuse(void)
{
	struct error err = ERROR_INIT;

	assert_null(log_in("sim", "latchd", &err));
	assert_int_equal(err.kind, ERROR_UNREACHABLE);
}

static void mistake_the_password(void)
{
	struct error err = ERROR_INIT;

	assert_null(log_in("sim", "wrong", &err));
	assert_int_equal(err.kind, ERROR_DENIED);
}

/* As daemon/login.c does it: the login, then the search for what was wrong with TLS. */
static void require_tls(void)
{
	struct error err = ERROR_INIT;

	assert_null(log_in("sim-tls", "latchd", &err));
	assert_int_equal(err.kind, ERROR_UNREACHABLE);
	assert_false(tls_probe_run(&(struct tls_probe_options){.host = target.simulator.host,
							       .port = target.simulator.port,
							       .is_required = true,
							       .limit_ms = 1000},
				   &err));
	assert_non_null(strstr(err.text, "encrypt"));
}

static bool skip_row(void *context, int result, const struct session_cell *cells, size_t cell_count,
		     struct error *err)
{
	(void)context, (void)result, (void)cells, (void)cell_count, (void)err; /* not looked at */
	return true;
}

static void drop_after_login(void)
{
	struct error err = ERROR_INIT;
	int result_count = 0;
	CLEANUP(session_closep) struct session *session = log_in("sim", "latchd", &err);

	if (!session)
		fail_msg("%s", err.text);
	simulator_control(&target.simulator, "kill all");
	assert_false(session_run(session, "SELECT 1", skip_row, NULL, &result_count, &err));
	assert_int_equal(err.kind, ERROR_UNREACHABLE);
	assert_false(session_is_alive(session));
}

static void repeat(void (*attempt)(void))
{
	struct error err = ERROR_INIT;

	attempt();
	const int before = open_files();
	for (int i = 0; i < TRIES; i++)
		attempt();
	assert_int_equal(open_files(), before);
	simulator_control(&target.simulator, "refuse off");
	CLEANUP(session_closep) struct session *session = log_in("sim", "latchd", &err);
	assert_non_null(session);
}

static void refused_logins_leave_no_file_open(void **state)
{
	(void)state;
	simulator_control(&target.simulator, "refuse on");
	repeat(refuse);
}

static void wrong_passwords_leave_no_file_open(void **state)
{
	(void)state;
	repeat(mistake_the_password);
}

static void missing_encryption_leaves_no_file_open(void **state)
{
	(void)state;
	repeat(require_tls);
}

static void dropped_sessions_leave_no_file_open(void **state)
{
	(void)state;
	repeat(drop_after_login);
}

int main(void)
{
	simulator_skip_without();
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refused_logins_leave_no_file_open),
		cmocka_unit_test(wrong_passwords_leave_no_file_open),
		cmocka_unit_test(missing_encryption_leaves_no_file_open),
		cmocka_unit_test(dropped_sessions_leave_no_file_open),
	};
	return cmocka_run_group_tests(tests, start_target, stop_target);
}
