/* SPDX-License-Identifier: Apache-2.0 */
/* One session against a simulated server: logins, faults on the wire, and what is kept of them. */
#include "collectors/session.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "collectors/collect.h"
#include "collectors/embedded.h"
#include "daemon/base/clock.h"
#include "tests/collectors/simulated_target.h"
#include "tests/support.h"

static struct session *open_or_fail(void)
{
	struct error err = ERROR_INIT;
	struct session *session = simulated_target_open("latchd", &err);
	if (!session)
		fail_msg("%s", err.text);
	return session;
}

static void assert_login_fails(const char *password, enum error_kind kind, const char *word)
{
	struct error err = ERROR_INIT;
	assert_null(simulated_target_open(password, &err));
	if (err.kind != kind || !strstr(err.text, word))
		fail_msg("%s: %s", error_kind_name(err.kind), err.text);
	assert_null(strstr(err.text, "Adaptive"));
}

struct seen {
	int row_count;
	int last_result;
	int64_t integer;
	double number;
	char text[100];
	bool is_null;
};

static bool see(void *context, int result, const struct session_cell *cells, size_t cell_count,
		struct error *err)
{
	(void)cell_count;
	(void)err;
	struct seen *seen = context;
	seen->row_count++;
	seen->last_result = result;
	seen->integer = cells[0].integer;
	seen->number = cells[0].number;
	seen->is_null = cells[0].is_null;
	session_cell_copy(&cells[0], seen->text, sizeof(seen->text));
	return true;
}

static bool run(struct session *session, const char *sql, struct seen *seen, struct error *err)
{
	int result_count = 0;
	*seen = (struct seen){.row_count = 0};
	return session_run(session, sql, see, seen, &result_count, err);
}

static void a_login_that_is_right_opens(void **state)
{
	(void)state;
	CLEANUP(session_closep) struct session *session = open_or_fail();
	assert_true(session_is_alive(session));
}

static void a_wrong_password_is_denied(void **state)
{
	(void)state;
	assert_login_fails("wrong", ERROR_DENIED, "18456");
}

static void an_unknown_database_is_the_servers_error(void **state)
{
	(void)state;
	struct error err = ERROR_INIT;
	const struct session_options options = {
		.section = "sim", .user = "latchd", .password = "latchd", .database = "nowhere"};
	assert_null(session_open(&options, &err));
	assert_int_equal(err.kind, ERROR_SERVER);
	assert_int_equal(err.code, 4060);
}

static void a_password_over_128_bytes_is_invalid(void **state)
{
	(void)state;
	char password[140];
	memset(password, 'x', sizeof(password) - 1);
	password[sizeof(password) - 1] = '\0';
	assert_login_fails(password, ERROR_INVALID, "128");
}

static void a_refused_connection_says_by_whom(void **state)
{
	(void)state;
	simulator_control(&target.simulator, "refuse on");
	assert_login_fails("latchd", ERROR_UNREACHABLE, target.where);
	simulator_control(&target.simulator, "refuse off");
	CLEANUP(session_closep) struct session *session = open_or_fail();
	assert_true(session_is_alive(session));
}

/* B036: a listener that accepts and says nothing costs one login timeout. */
static void silence_at_login_ends_by_the_timeout(void **state)
{
	(void)state;
	simulator_control(&target.simulator, "silent login on");
	const int64_t begin_ms = clock_now().mono_ms;
	assert_login_fails("latchd", ERROR_TIMEOUT, "login");
	assert_in_range(clock_now().mono_ms - begin_ms, 500, 5000);
	simulator_control(&target.simulator, "silent login off");
}

/* B040: who does not even answer the cancelling is not asked again. */
static void silence_at_a_statement_ends_by_the_timeout(void **state)
{
	(void)state;
	CLEANUP(session_closep) struct session *session = open_or_fail();
	simulator_control(&target.simulator, "silent query on");
	struct error err = ERROR_INIT;
	struct seen seen;
	assert_false(run(session, "SELECT 1 AS one;", &seen, &err));
	simulator_control(&target.simulator, "silent query off");
	assert_int_equal(err.kind, ERROR_TIMEOUT);
	assert_false(session_is_alive(session));
}

/* B040: after a timeout the next answer is that of the next statement. */
static void a_slow_statement_is_cancelled_and_the_session_lives(void **state)
{
	(void)state;
	CLEANUP(session_closep) struct session *session = open_or_fail();
	simulator_control(&target.simulator, "delay 3 slow_one");
	struct error err = ERROR_INIT;
	struct seen seen;
	assert_false(run(session, "SELECT 1 AS slow_one;", &seen, &err));
	simulator_control(&target.simulator, "delay off");
	assert_int_equal(err.kind, ERROR_TIMEOUT);
	assert_true(session_is_alive(session));
	assert_true(run(session, "SELECT 7 AS seven;", &seen, &err));
	assert_int_equal(seen.integer, 7);
}

static void cells_come_with_their_types(void **state)
{
	(void)state;
	CLEANUP(session_closep) struct session *session = open_or_fail();
	struct error err = ERROR_INIT;
	struct seen seen;
	assert_true(run(session, "SELECT CONVERT(bigint, 9007199254740993) AS b;", &seen, &err));
	assert_true(seen.integer == INT64_C(9007199254740993));
	assert_true(run(session, "SELECT N'gr\xC3\xBC\xC3\x9F' AS t;", &seen, &err));
	assert_string_equal(seen.text, "gr\xC3\xBC\xC3\x9F");
	assert_true(run(session, "SELECT CONVERT(int, NULL) AS n;", &seen, &err));
	assert_true(seen.is_null);
}

static void a_failed_statement_leaves_the_later_ones(void **state)
{
	(void)state;
	CLEANUP(session_closep) struct session *session = open_or_fail();
	simulator_control(&target.simulator, "fail 300 14 refused_one");
	struct error err = ERROR_INIT;
	struct seen seen;
	assert_false(run(session, "SELECT 1 AS a; SELECT 2 AS refused_one; SELECT 3 AS c;", &seen,
			 &err));
	simulator_control(&target.simulator, "fail off");
	assert_int_equal(err.kind, ERROR_DENIED);
	assert_true(session_is_complete(session));
	assert_true(session_is_alive(session));
	assert_int_equal(seen.row_count, 2);
	assert_int_equal(seen.integer, 3);
	int result = -2;
	assert_int_equal(session_error_count(session), 1);
	assert_int_equal(session_error_at(session, 0, &result)->code, 300);
	assert_int_equal(result, 0);
}

static void assert_cut_answer_is_not_complete(const char *command)
{
	CLEANUP(session_closep) struct session *session = open_or_fail();
	simulator_control(&target.simulator, "%s", command);
	struct error err = ERROR_INIT;
	struct seen seen;
	assert_false(
		run(session, "SELECT w.wait_type FROM sys.dm_os_wait_stats AS w;", &seen, &err));
	assert_int_equal(err.kind, ERROR_UNREACHABLE);
	assert_false(session_is_complete(session));
	assert_false(session_is_alive(session));
}

static void an_answer_cut_by_a_close_is_not_complete(void **state)
{
	(void)state;
	assert_cut_answer_is_not_complete("die-mid-row 20");
}

/* B039: an error of the network is an error here; the library's own way would end the process. */
static void an_answer_cut_by_a_reset_is_not_complete(void **state)
{
	(void)state;
	assert_cut_answer_is_not_complete("reset-mid-row 20");
}

static void garbage_is_an_error(void **state)
{
	(void)state;
	CLEANUP(session_closep) struct session *session = open_or_fail();
	simulator_control(&target.simulator, "garbage next");
	struct error err = ERROR_INIT;
	struct seen seen;
	assert_false(run(session, "SELECT 1 AS one;", &seen, &err));
	assert_false(session_is_complete(session));
}

static void a_fatal_error_ends_the_session(void **state)
{
	(void)state;
	CLEANUP(session_closep) struct session *session = open_or_fail();
	simulator_control(&target.simulator, "fail 596 21 fatal_one");
	struct error err = ERROR_INIT;
	struct seen seen;
	assert_false(run(session, "SELECT 1 AS fatal_one;", &seen, &err));
	simulator_control(&target.simulator, "fail off");
	assert_int_equal(err.kind, ERROR_SERVER);
	assert_false(session_is_alive(session));
}

/* The slot of a deadline: shuts the socket down as another thread would. */
static void take_socket(void *context, int fd)
{
	int *slot = context;
	if (*slot >= 0)
		(void)close(*slot);
	*slot = fd;
}

/* B141: nothing of a closed session is used again; the address sanitizer looks on. */
static void a_shut_down_socket_ends_the_statement(void **state)
{
	(void)state;
	int slot = -1;
	struct error err = ERROR_INIT;
	const struct session_options options = {
		.section = "sim",
		.user = "latchd",
		.password = "latchd",
		.on_socket = take_socket,
		.context = &slot,
	};
	struct session *session = session_open(&options, &err);
	assert_non_null(session);
	assert_true(slot >= 0);
	assert_int_equal(shutdown(slot, SHUT_RDWR), 0);
	struct seen seen;
	assert_false(run(session, "SELECT 1 AS one;", &seen, &err));
	assert_int_equal(err.kind, ERROR_UNREACHABLE);
	session_close(session);
	assert_int_equal(slot, -1);
}

static int alarm_slot = -1;

static void shut_down_slot(int signal_number)
{
	(void)signal_number;
	(void)shutdown(alarm_slot, SHUT_RDWR);
}

static void a_dripping_answer_is_ended_by_the_slot(void **state)
{
	(void)state;
	struct error err = ERROR_INIT;
	const struct session_options options = {
		.section = "sim",
		.user = "latchd",
		.password = "latchd",
		.on_socket = take_socket,
		.context = &alarm_slot,
	};
	CLEANUP(session_closep) struct session *session = session_open(&options, &err);
	assert_non_null(session);
	simulator_control(&target.simulator, "drip on");
	const struct sigaction action = {.sa_handler = shut_down_slot, .sa_flags = SA_RESTART};
	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
	/* Later than the query timeout, which a dripping server never lets pass. */
	const struct itimerval in_1500_ms = {.it_value = {.tv_sec = 1, .tv_usec = 500000}};
	assert_int_equal(setitimer(ITIMER_REAL, &in_1500_ms, NULL), 0);
	const int64_t begin_ms = clock_now().mono_ms;
	struct seen seen;
	assert_false(
		run(session, "SELECT w.wait_type FROM sys.dm_os_wait_stats AS w;", &seen, &err));
	simulator_control(&target.simulator, "drip off");
	assert_int_equal(err.kind, ERROR_UNREACHABLE);
	assert_in_range(clock_now().mono_ms - begin_ms, 1400, 5000);
}

static void the_server_sees_the_program_as_latchd(void **state)
{
	(void)state;
	CLEANUP(session_closep) struct session *session = open_or_fail();
	struct error err = ERROR_INIT;
	struct seen seen;
	assert_true(run(session,
			"SELECT s.program_name FROM sys.dm_exec_sessions AS s "
			"WHERE s.session_id = @@SPID;",
			&seen, &err));
	assert_string_equal(seen.text, "latchd");
}

/* Half of the threads are refused: an error must reach the thread it belongs to. */
struct login_thread {
	bool is_wrong;
	int fault_count;
};

static void *log_in_repeatedly(void *argument)
{
	struct login_thread *thread = argument;
	for (int i = 0; i < 20; i++) {
		struct error err = ERROR_INIT;
		CLEANUP(session_closep)
		struct session *session =
			simulated_target_open(thread->is_wrong ? "wrong" : "latchd", &err);
		thread->fault_count += thread->is_wrong != (session == NULL);
		thread->fault_count += thread->is_wrong != (err.kind == ERROR_DENIED);
	}
	return NULL;
}

static void threads_do_not_share_their_errors(void **state)
{
	(void)state;
	enum { THREAD_COUNT = 8 };
	struct login_thread logins[THREAD_COUNT];
	pthread_t threads[THREAD_COUNT];
	for (int i = 0; i < THREAD_COUNT; i++) {
		logins[i] = (struct login_thread){.is_wrong = i % 2 == 1};
		assert_int_equal(pthread_create(&threads[i], NULL, log_in_repeatedly, &logins[i]),
				 0);
	}
	for (int i = 0; i < THREAD_COUNT; i++) {
		assert_int_equal(pthread_join(threads[i], NULL), 0);
		assert_int_equal(logins[i].fault_count, 0);
	}
}

static void every_statement_for_2019_runs_as_it_stands(void **state)
{
	(void)state;
	CLEANUP(session_closep) struct session *session = open_or_fail();
	const struct statement_info *info = NULL;
	for (int i = 0; (info = statement_info(i)); i++) {
		struct error err = ERROR_INIT;
		struct seen seen;
		if ((info->classes & (1U << SERVER_CLASS_C)) &&
		    !run(session, embedded_find(embedded_collectors, info->path)->data, &seen,
			 &err))
			fail_msg("%s: %s", info->path, err.text);
	}
}

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

static void a_thousand_reconnects_leave_no_file_open(void **state)
{
	(void)state;
	session_close(open_or_fail());
	const int before = open_files();
	for (int i = 0; i < 1000; i++)
		session_close(open_or_fail());
	assert_int_equal(open_files(), before);
}

/* B037: the server is down, and is asked a thousand times. */
static void a_thousand_refusals_leave_no_file_open(void **state)
{
	(void)state;
	session_close(open_or_fail());
	simulator_control(&target.simulator, "refuse on");
	const int before = open_files();
	for (int i = 0; i < 1000; i++)
		assert_login_fails("latchd", ERROR_UNREACHABLE, target.where);
	assert_int_equal(open_files(), before);
	simulator_control(&target.simulator, "refuse off");
}

int main(void)
{
	simulator_skip_without();
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_login_that_is_right_opens),
		cmocka_unit_test(a_wrong_password_is_denied),
		cmocka_unit_test(an_unknown_database_is_the_servers_error),
		cmocka_unit_test(a_password_over_128_bytes_is_invalid),
		cmocka_unit_test(a_refused_connection_says_by_whom),
		cmocka_unit_test(silence_at_login_ends_by_the_timeout),
		cmocka_unit_test(silence_at_a_statement_ends_by_the_timeout),
		cmocka_unit_test(a_slow_statement_is_cancelled_and_the_session_lives),
		cmocka_unit_test(cells_come_with_their_types),
		cmocka_unit_test(a_failed_statement_leaves_the_later_ones),
		cmocka_unit_test(an_answer_cut_by_a_close_is_not_complete),
		cmocka_unit_test(an_answer_cut_by_a_reset_is_not_complete),
		cmocka_unit_test(garbage_is_an_error),
		cmocka_unit_test(a_fatal_error_ends_the_session),
		cmocka_unit_test(a_shut_down_socket_ends_the_statement),
		cmocka_unit_test(a_dripping_answer_is_ended_by_the_slot),
		cmocka_unit_test(the_server_sees_the_program_as_latchd),
		cmocka_unit_test(threads_do_not_share_their_errors),
		cmocka_unit_test(every_statement_for_2019_runs_as_it_stands),
		cmocka_unit_test(a_thousand_reconnects_leave_no_file_open),
		cmocka_unit_test(a_thousand_refusals_leave_no_file_open),
	};
	return cmocka_run_group_tests(tests, start_target, stop_target);
}
