/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A simulated SQL Server as a child process of a test: its own port, its own control socket in its
 * own folder, gone when the test is. The program is named by SQLSERVER_SIM, the folder of its names
 * by SQLSERVER_SIM_DATA; meson sets both.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "daemon/base/cleanup.h"

struct simulator {
	pid_t pid;
	char folder[64]; /* temporary; tests may put files there, simulator_stop removes them */
	char control_path[96];
	char host[64];
	int port;
};

/* Ends the program with status 77 (skipped) when there is no simulator in this build. */
void simulator_skip_without(void);

/*
 * Starts a simulator and waits until it listens; the test fails when it does not.
 *
 * Owns:    the caller ends it with simulator_stop.
 * Threads: the test's.
 */
void simulator_start(struct simulator *simulator, const char *workload, const char *server_name);

/* Executes one control command; the test fails when the answer is not "ok". Threads: the test's. */
PRINTF(2, 3) void simulator_control(struct simulator *simulator, const char *fmt, ...);

/* Ends the process and removes its folder. Threads: the test's. */
void simulator_stop(struct simulator *simulator);
