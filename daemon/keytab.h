/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Kerberos keytab that logins are made with. GSSAPI takes it from the environment of the
 * process, so that one latchd has one, and takes the ticket of the first principal in it; tickets
 * are kept in memory. Knows no session.
 */
#pragma once

#include "daemon/base/error.h"

/*
 * Checks that a file can be read, is closed to strangers and is a keytab. What is in it only a KDC
 * can judge.
 *
 * Errors:  ERROR_IO it cannot be read; ERROR_INVALID it is something else, or open to everybody.
 * Threads: any; blocks on the disk.
 */
MUST_CHECK bool keytab_check(const char *path, struct error *err);

/* Makes it that of the process. Threads: main, while there is no other. */
void keytab_use(const char *path);
