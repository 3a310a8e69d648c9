/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps the memory of the process to itself. A password is in it while a login lasts: in latchd's
 * buffer, wiped right after, and in libsybdb's copy, which it frees without wiping. So the whole
 * process leaves no core, and nobody but root can attach to it or read its /proc/PID/mem.
 */
#pragma once

#include "daemon/base/error.h"

/*
 * From now on this process leaves no core and cannot be looked into by others of its user.
 *
 * Errors:  ERROR_IO with errno.
 * Threads: main, before any secret is read.
 */
MUST_CHECK bool secrecy_begin(struct error *err);
