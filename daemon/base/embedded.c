/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a file that was compiled in. Any thread; nothing changes. */
#include "daemon/base/embedded.h"

#include <string.h>

const struct embedded *embedded_find(const struct embedded *table, const char *path)
{
	for (const struct embedded *file = table; file->path; file++)
		if (strcmp(file->path, path) == 0)
			return file;
	return NULL;
}
