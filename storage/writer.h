/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer thread: owns the only read-write connection, takes batches from a bounded queue and
 * commits each in one transaction; between them it applies retention in small steps and keeps the
 * write-ahead log short.
 */
#pragma once

#include "storage/batch.h"
#include "storage/live.h"
#include "storage/resolution.h"

struct writer;
struct store;

struct writer_options {
	struct store *store;		   /* owned by the writer from writer_start on */
	struct live *live;		   /* told of each commit; borrowed */
	size_t queue_capacity;		   /* batches */
	int64_t keep_ms[RESOLUTION_COUNT]; /* how long what is kept */
	int64_t max_size_bytes;		   /* of the store on disk; 0 no bound */
};

/*
 * Starts the thread.
 *
 * Owns:    takes *store and sets it to NULL on success; the caller stops the writer.
 * Errors:  ERROR_IO no thread.
 * Threads: main.
 */
MUST_CHECK struct writer *writer_start(struct writer_options *options, struct error *err);

/* Drains the queue, commits, closes the store and frees; NULL is fine. Owns: writer. Threads: main;
 * blocks. */
void writer_stop(struct writer *writer);

/*
 * Hands one batch to the writer, waiting while the queue is full.
 *
 * Units:   deadline_mono_ms is in milliseconds of the monotonic clock.
 * Owns:    on success takes *batch and sets it to NULL; on failure leaves it with the caller.
 * Errors:  ERROR_TIMEOUT still full at the deadline; ERROR_STOPPED the daemon is ending.
 * Threads: any; may block.
 */
MUST_CHECK bool writer_push(struct writer *writer, struct batch **batch, int64_t deadline_mono_ms,
			    struct error *err);

/*
 * Like writer_push, then waits until the batch is committed; the error of the commit comes back.
 *
 * Units, Owns, Threads: as writer_push.
 * Errors:  as writer_push; ERROR_FULL, ERROR_IO, ERROR_CORRUPT from the commit.
 */
MUST_CHECK bool writer_push_and_wait(struct writer *writer, struct batch **batch,
				     int64_t deadline_mono_ms, struct error *err);

struct writer_status {
	int64_t queue_length;
	int64_t queue_capacity;
	int64_t commit_count;
	int64_t failure_count;
	int64_t store_bytes;
	int64_t wal_bytes;
	bool is_failing; /* the last commit failed; it is tried again */
	char last_error[256];
};

/* Copies the writer's figures. Threads: any. */
void writer_status(struct writer *writer, struct writer_status *status);
