/* SPDX-License-Identifier: Apache-2.0 */
/* Starts, drives and ends a simulated SQL Server. Runs in a test; knows nothing of the product. */
#include "tests/support/simulator.h"

#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support.h"

enum { SKIPPED = 77, LINE_SIZE = 512 };

void simulator_skip_without(void)
{
	if (getenv("SQLSERVER_SIM") && getenv("SQLSERVER_SIM_DATA"))
		return;
	(void)fputs("no SQLSERVER_SIM: nothing to test against\n", stderr);
	exit(SKIPPED);
}

static void run_child(const struct simulator *simulator, const char *workload,
		      const char *server_name, int output)
{
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that crashes leaves nothing behind */
	(void)dup2(output, STDOUT_FILENO);
	const char *program = getenv("SQLSERVER_SIM");
	if (!program)
		_exit(127);
	(void)execl(program, program, "--listen", "127.0.0.1:0", "--control",
		    simulator->control_path, "--data", getenv("SQLSERVER_SIM_DATA"), "--workload",
		    workload, "--server-name", server_name, (char *)NULL);
	_exit(127);
}

static void read_address(struct simulator *simulator, int output)
{
	FILE *file = fdopen(output, "r");
	assert_non_null(file);
	char line[LINE_SIZE] = "";
	(void)fgets(line, sizeof(line), file); /* an empty line fails below */
	(void)fclose(file);
	if (sscanf(line, "listening on %63[^:]:%d", simulator->host, &simulator->port) != 2)
		fail_msg("the simulator did not start; it said '%s'", line);
}

void simulator_start(struct simulator *simulator, const char *workload, const char *server_name)
{
	*simulator = (struct simulator){.folder = "/tmp/latchd-test-XXXXXX"};
	assert_non_null(mkdtemp(simulator->folder));
	(void)snprintf(simulator->control_path, sizeof(simulator->control_path), "%s/control",
		       simulator->folder);
	int ends[2];
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	simulator->pid = fork();
	assert_true(simulator->pid >= 0);
	if (simulator->pid == 0)
		run_child(simulator, workload, server_name, ends[1]);
	(void)close(ends[1]);
	read_address(simulator, ends[0]);
}

static void ask(const char *path, const char *command, char answer[LINE_SIZE])
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	(void)strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(fd >= 0);
	assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	assert_true(send(fd, command, strlen(command), MSG_NOSIGNAL) == (ssize_t)strlen(command));
	size_t size = 0;
	while (size < LINE_SIZE - 1 && !memchr(answer, '\n', size)) {
		const ssize_t got = recv(fd, answer + size, LINE_SIZE - 1 - size, 0);
		if (got <= 0)
			break;
		size += (size_t)got;
	}
	answer[size] = '\0';
	(void)close(fd);
}

void simulator_control(struct simulator *simulator, const char *fmt, ...)
{
	char command[LINE_SIZE];
	char answer[LINE_SIZE] = "";
	va_list args;
	va_start(args, fmt);
	const int size = vsnprintf(command, sizeof(command) - 1, fmt, args);
	va_end(args);
	assert_in_range(size, 1, LINE_SIZE - 2);
	command[size] = '\n';
	command[size + 1] = '\0';
	ask(simulator->control_path, command, answer);
	if (strncmp(answer, "ok", 2) != 0)
		fail_msg("'%.*s': %s", size, command, answer);
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	(void)status;
	(void)type;
	(void)walk;
	return remove(path);
}

void simulator_stop(struct simulator *simulator)
{
	if (simulator->pid > 0) {
		(void)kill(simulator->pid, SIGTERM);
		(void)waitpid(simulator->pid, NULL, 0);
	}
	(void)nftw(simulator->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS); /* /tmp, best effort */
	*simulator = (struct simulator){.pid = 0};
}
