/* SPDX-License-Identifier: Apache-2.0 */
/* No core, no debugger. Runs in main. */
#include "daemon/secrecy.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

bool secrecy_begin(struct error *err)
{
	const struct rlimit none = {0, 0};

	/* The limit alone does not stop a core that is piped to a program; not dumpable does. */
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 || setrlimit(RLIMIT_CORE, &none) != 0)
		return error_set(err, ERROR_IO, errno, "cannot forbid cores: %s", strerror(errno));
	return true;
}
