/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that were compiled in: SQL statements, schema steps, name lists, the pages of the
 * dashboard. Each folder's embedded files are one table, made at build by embed.py. Any thread;
 * nothing changes.
 */
#pragma once

#include <stddef.h>

/* One file: its path from the root of the source and its bytes, followed by a NUL that is not
 * counted. */
struct embedded {
	const char *path;
	const char *data;
	size_t size;
};

/* A table ends with a row whose path is NULL. embed.py makes e.g. `embedded_collectors`. */
const struct embedded *embedded_find(const struct embedded *table, const char *path);
