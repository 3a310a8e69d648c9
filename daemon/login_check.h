/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tries the login of every target, as `latchd config check --connect` shows it. Runs in main, with
 * a thread per target while it lasts. The password is read as at any login; nothing is stored.
 */
#pragma once

#include <stdio.h>

#include "daemon/config.h"

struct login_check {
	size_t failed_count;
	bool is_left_behind; /* a login hangs: the process must end by _exit */
};

/*
 * Logs in to all targets at once and prints a line for each: what it is, or why not.
 *
 * Errors:  ERROR_IO nothing could be tried.
 * Threads: main; blocks up to the longest login and query timeout.
 */
MUST_CHECK bool login_check_all(const struct config *config, FILE *file, struct login_check *result,
				struct error *err);
