/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verbs of the command line: one function each, one row each in the table of main.c. They run
 * in main and return the exit status.
 */
#pragma once

/* Exit statuses, as in sysexits.h. */
enum {
	STATUS_OK = 0,
	STATUS_FAILED = 1,
	STATUS_USAGE = 2,
	STATUS_UNAVAILABLE = 69,
	STATUS_PERMISSION = 77,
	STATUS_CONFIG = 78,
	STATUS_LEFT_BEHIND = 256, /* or-ed in: a thread hangs, the process must end by _exit */
};

/* argv[0] is how the verb was called, "latchd run"; argc counts it. */
typedef int command_fn(int argc, char **argv);

command_fn command_run;
command_fn command_config_check;
command_fn command_cost;
command_fn command_sql;
command_fn command_status;
