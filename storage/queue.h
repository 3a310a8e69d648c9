/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bounded queue between all who produce batches and the writer. A batch stays in the queue
 * while the writer works on it, so that a store that fails makes the queue fill, then its producers
 * wait: nothing is lost and nothing grows. Shared by all threads; one mutex. Private to storage/.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/error.h"
#include "storage/batch.h"

struct queue;

/* Makes a queue for capacity batches. Owns: the caller frees. Threads: main. */
struct queue *queue_new(size_t capacity);

/* Frees it with what is left in it; NULL is fine. Owns: queue. Threads: main, after the others
 * ended. */
void queue_free(struct queue *queue);

/* As writer_push. */
MUST_CHECK bool queue_push(struct queue *queue, struct batch **batch, int64_t deadline_mono_ms,
			   struct error *err);

/* As writer_push_and_wait: the deadline is for the commit to begin. */
MUST_CHECK bool queue_push_and_wait(struct queue *queue, struct batch **batch,
				    int64_t deadline_mono_ms, struct error *err);

/*
 * Takes the oldest batches into hand without removing them, waiting for one until the deadline or
 * the closing.
 *
 * Owns:    the queue keeps the batches; they stay as they are until queue_settle.
 * Threads: the writer; blocks. Every call that returns more than 0 is followed by queue_settle.
 */
size_t queue_take(struct queue *queue, const struct batch **batches, size_t max,
		  int64_t deadline_mono_ms);

/* What became of the batches in hand. */
enum queue_outcome {
	QUEUE_DONE,  /* they are removed and freed, who waits for one is told */
	QUEUE_RETRY, /* they stay first in the queue; who waits gets the error and its batch back */
	QUEUE_DROP,  /* as QUEUE_DONE, but who waits gets the error and its batch back */
};

/* Ends what queue_take began; err is read unless DONE. Threads: the writer. */
void queue_settle(struct queue *queue, enum queue_outcome outcome, const struct error *err);

/* Waits until the deadline; true as soon as the queue is closed. Threads: the writer; blocks. */
bool queue_wait_closed(struct queue *queue, int64_t deadline_mono_ms);

/* Lets no more batches in: who waits for room gets ERROR_STOPPED. Threads: any. */
void queue_close(struct queue *queue);

/* True after queue_close. Threads: any. */
bool queue_is_closed(struct queue *queue);

/* Number of batches in the queue, those in hand included. Threads: any. */
size_t queue_length(struct queue *queue);
