/* SPDX-License-Identifier: Apache-2.0 */
/* B131: no core of a process that knows passwords. */
#include "daemon/secrecy.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support.h"

static void the_process_is_not_dumpable(void **state)
{
	(void)state;
	struct error err = ERROR_INIT;
	struct rlimit limit;
	assert_true(secrecy_begin(&err));
	assert_int_equal(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0), 0);
	assert_int_equal(getrlimit(RLIMIT_CORE, &limit), 0);
	assert_int_equal(limit.rlim_cur, 0);
	assert_int_equal(limit.rlim_max, 0);
}

static void a_crash_leaves_no_core(void **state)
{
	(void)state;
	struct error err = ERROR_INIT;
	int status = 0;
	pid_t child = fork();
	if (child == 0) {
		(void)signal(SIGABRT, SIG_DFL);
		if (secrecy_begin(&err))
			(void)kill(getpid(), SIGABRT);
		_exit(1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
	assert_false(WCOREDUMP(status));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_process_is_not_dumpable),
		cmocka_unit_test(a_crash_leaves_no_core),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
