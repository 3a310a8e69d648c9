/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pool of read-only connections with their prepared statements. A reader is borrowed for one
 * answer and returned before bytes go out over HTTP: short read transactions keep the write-ahead
 * log short.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "daemon/base/error.h"

struct reader;
struct reader_pool;

/* Opens count read-only connections to the store at path. Owns: the caller closes. Errors:
 * ERROR_IO. Threads: main. */
MUST_CHECK struct reader_pool *reader_pool_open(const char *path, size_t count, struct error *err);

/* Closes them; NULL is fine. Owns: pool. Threads: main, after all readers were returned. */
void reader_pool_close(struct reader_pool *pool);

/*
 * Lends a reader, waiting until one is free; a read transaction is open until reader_return.
 *
 * Errors:  ERROR_TIMEOUT none was free at the deadline; ERROR_IO.
 * Threads: any; may block.
 */
MUST_CHECK struct reader *reader_borrow(struct reader_pool *pool, int64_t deadline_mono_ms,
					struct error *err);

/* Gives a reader back and ends its transaction; NULL is fine. Threads: the borrower. */
void reader_return(struct reader *reader);
DEFINE_CLEANUP(struct reader *, reader_return);
