/* SPDX-License-Identifier: Apache-2.0 */
/* Small files as a whole: configuration, passwords. Any thread; blocks on the disk. */
#pragma once

#include <stddef.h>

#include "daemon/base/error.h"
#include "daemon/base/strbuf.h"

/*
 * Appends the contents of a file to text.
 *
 * Units:   size_max in bytes; a longer file is refused.
 * Errors:  ERROR_IO with errno; ERROR_FULL the file is longer. text may have grown then.
 * Threads: any; blocks.
 */
MUST_CHECK bool file_read(const char *path, size_t size_max, struct strbuf *text,
			  struct error *err);

/* A file in memory that libraries can open by its path. It ends with this process, however that
 * ends. */
struct held_file {
	int fd; /* -1: none */
	char path[32];
};

#define HELD_FILE_NONE ((struct held_file){.fd = -1})

/*
 * Holds a text as a file of that name; other processes of our user can read it, so no secrets.
 *
 * Owns:    release held with file_release, also after a failure.
 * Errors:  ERROR_IO with errno.
 * Threads: any.
 */
MUST_CHECK bool file_hold(const char *name, const struct strbuf *text, struct held_file *held,
			  struct error *err);

/* Gives the file up; one that is none is fine. Threads: any. */
void file_release(struct held_file *held);
