/* SPDX-License-Identifier: Apache-2.0 */
/* Writes batches to a file, whole ones also when sessions write at once: stdio locks for us. */
#include "tests/sim/batch_log.h"

#include <stdio.h>

static FILE *file;

bool batch_log_open(const char *path)
{
	file = fopen(path, "wbe");
	return file != NULL;
}

void batch_log_add(const char *sql, size_t size_bytes)
{
	if (!file)
		return;
	flockfile(file);
	fwrite(sql, 1, size_bytes, file);
	fputc('\0', file);
	fflush(file);
	funlockfile(file);
}
