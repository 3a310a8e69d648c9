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

/*
 * Writes a new file that only its owner can read.
 *
 * Errors:  ERROR_IO with errno; the file exists already.
 * Threads: any; blocks.
 */
MUST_CHECK bool file_write_private(const char *path, const struct strbuf *text, struct error *err);
