/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer thread. It alone has the read-write connection.
 *
 * Batches stay in the queue until they are committed. When a commit fails (disk full, file locked
 * by somebody's shell) they are tried again, later and later; meanwhile the queue fills and its
 * producers keep what they have. A batch that can never be stored, however often it is tried, is
 * found by committing one at a time, and dropped with an error in the log.
 */
#include "storage/writer.h"

#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/alloc.h"
#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "storage/queue.h"
#include "storage/retention.h"
#include "storage/rollup.h"
#include "storage/store_private.h"

enum {
	GROUP_MAX = 32,	      /* batches in one transaction when the queue is long */
	TICK_MS = 1000,	      /* a turn without a batch */
	BACK_OFF_MIN_MS = 50, /* doubled at each failure */
	BACK_OFF_MAX_MS = 5000,
	CHECKPOINT_MS = 60 * 1000,
	STOP_TRIES =
		8, /* of a store that fails, at the stop: 2 s when it is locked, else no time */
};

struct writer {
	pthread_t thread;
	struct store *store;
	struct live *live;
	struct queue *queue;
	struct rollup rollup;
	struct retention retention;
	struct retention_options retention_options;
	size_t single_count; /* batches still to be tried alone */
	int64_t back_off_ms; /* 0: the last commit was good */
	int64_t retry_mono_ms;
	int stop_failure_count; /* failed commits since the stop was asked for */
	int64_t upkeep_mono_ms;
	int64_t checkpoint_mono_ms;
	bool is_maintaining; /* upkeep has more to do: do not wait for a batch */
	struct complaint commit_complaint;
	struct complaint upkeep_complaint;
	pthread_mutex_t mutex; /* of status alone: written here, copied by others */
	struct writer_status status;
};

static void note_success(struct writer *writer, size_t count)
{
	pthread_mutex_lock(&writer->mutex);
	writer->status.commit_count += (int64_t)count;
	writer->status.is_failing = false;
	writer->status.last_error[0] = '\0';
	pthread_mutex_unlock(&writer->mutex);
	writer->back_off_ms = 0;
	complaint_end(&writer->commit_complaint, "the store takes batches again");
	live_set_commit(writer->live, writer->store->last_commit);
}

static void note_failure(struct writer *writer, const struct error *err)
{
	pthread_mutex_lock(&writer->mutex);
	writer->status.failure_count++;
	writer->status.is_failing = true;
	memcpy(writer->status.last_error, err->text, sizeof(writer->status.last_error) - 1);
	pthread_mutex_unlock(&writer->mutex);
}

static void back_off(struct writer *writer, const struct error *err, struct instant now)
{
	const int64_t doubled_ms = writer->back_off_ms * 2;
	writer->back_off_ms = doubled_ms < BACK_OFF_MIN_MS   ? BACK_OFF_MIN_MS
			      : doubled_ms > BACK_OFF_MAX_MS ? BACK_OFF_MAX_MS
							     : doubled_ms;
	writer->retry_mono_ms = now.mono_ms + writer->back_off_ms;
	writer->stop_failure_count += queue_is_closed(writer->queue);
	complaint_say(&writer->commit_complaint, now.mono_ms,
		      "the store takes no batch, it will be tried again: %s", err->text);
	if (err->kind != ERROR_FULL)
		return;
	/* Emptying the write-ahead log may be what makes room. */
	struct error ignored = ERROR_INIT; /* it is tried again with the next failure */
	(void)!store_checkpoint(writer->store, &ignored);
}

/* A failed commit: what is to become of the batches in hand. */
static enum queue_outcome judge_failure(struct writer *writer, const struct error *err,
					size_t count, struct instant now)
{
	note_failure(writer, err);
	if (err->kind != ERROR_INVALID) {
		back_off(writer, err, now);
		return QUEUE_RETRY;
	}
	if (count > 1) {
		writer->single_count = count;
		return QUEUE_RETRY;
	}
	log_error("a batch can not be stored and is dropped: %s", err->text);
	return QUEUE_DROP;
}

static void commit(struct writer *writer, const struct batch **batches, size_t count,
		   struct instant now)
{
	struct error err = ERROR_INIT;
	if (writer->single_count > 0)
		writer->single_count--;
	if (store_commit(writer->store, batches, count, &err)) {
		note_success(writer, count);
		queue_settle(writer->queue, QUEUE_DONE, NULL);
		return;
	}
	queue_settle(writer->queue, judge_failure(writer, &err, count, now), &err);
}

/* Lets go of what can not be written before the stop. */
static void give_up(struct writer *writer)
{
	const struct batch *batches[GROUP_MAX];
	const struct error err = {.kind = ERROR_STOPPED, .text = "the store is closing"};
	size_t lost_count = 0;
	for (;;) {
		const size_t count = queue_take(writer->queue, batches, GROUP_MAX, 0);
		if (count == 0)
			break;
		lost_count += count;
		queue_settle(writer->queue, QUEUE_DROP, &err);
	}
	log_error("%zu batches could not be written before the stop", lost_count);
}

static void upkeep(struct writer *writer, struct instant now)
{
	struct error err = ERROR_INIT;
	struct store_size size = {0};
	writer->upkeep_mono_ms = now.mono_ms + TICK_MS;
	bool is_rolling = false;
	bool is_forgetting = false;
	bool is_ok = rollup_step(&writer->rollup, writer->store, now, &is_rolling, &err) &&
		     retention_step(&writer->retention, writer->store, &writer->retention_options,
				    now, &is_forgetting, &err);
	writer->is_maintaining = is_rolling || is_forgetting;
	if (is_ok && now.mono_ms >= writer->checkpoint_mono_ms) {
		writer->checkpoint_mono_ms = now.mono_ms + CHECKPOINT_MS;
		is_ok = store_checkpoint(writer->store, &err);
	}
	if (is_ok && store_measure(writer->store, &size, &err)) {
		pthread_mutex_lock(&writer->mutex);
		writer->status.store_bytes = size.file_bytes;
		writer->status.wal_bytes = size.wal_bytes;
		pthread_mutex_unlock(&writer->mutex);
		complaint_end(&writer->upkeep_complaint, "the upkeep of the store goes on");
		return;
	}
	complaint_say(&writer->upkeep_complaint, now.mono_ms, "the upkeep of the store failed: %s",
		      err.text);
}

/* Whether the time has come to end: nothing left, or nothing that can be written in time. */
static bool is_over(struct writer *writer)
{
	if (!queue_is_closed(writer->queue))
		return false;
	if (queue_length(writer->queue) == 0)
		return true;
	if (writer->stop_failure_count < STOP_TRIES)
		return false;
	give_up(writer);
	return true;
}

/* One turn; false when it was the last. */
static bool writer_step(struct writer *writer, struct instant now)
{
	if (is_over(writer))
		return false;
	const bool is_closed = queue_is_closed(writer->queue);
	if (writer->back_off_ms > 0 && now.mono_ms < writer->retry_mono_ms && !is_closed) {
		(void)queue_wait_closed(writer->queue, writer->retry_mono_ms);
		return true;
	}
	const struct batch *batches[GROUP_MAX];
	const size_t count =
		queue_take(writer->queue, batches, writer->single_count > 0 ? 1 : GROUP_MAX,
			   writer->is_maintaining ? 0 : now.mono_ms + TICK_MS);
	if (count > 0)
		commit(writer, batches, count, now);
	const bool is_upkeep_due = writer->is_maintaining || now.mono_ms >= writer->upkeep_mono_ms;
	if (is_upkeep_due && writer->back_off_ms == 0 && !is_closed)
		upkeep(writer, now);
	return true;
}

static void *writer_run(void *context)
{
	struct writer *writer = context;
	(void)pthread_setname_np(pthread_self(), "writer"); /* fails only for longer names */
	while (writer_step(writer, clock_now()))
		continue;
	return NULL;
}

static void writer_free(struct writer *writer)
{
	rollup_done(&writer->rollup);
	store_close(writer->store);
	queue_free(writer->queue);
	pthread_mutex_destroy(&writer->mutex);
	free(writer);
}

struct writer *writer_start(struct writer_options *options, struct error *err)
{
	struct writer *writer = xcalloc(1, sizeof(*writer));
	int code = pthread_mutex_init(&writer->mutex, NULL);
	assert(code == 0);
	writer->store = options->store;
	writer->live = options->live;
	writer->queue = queue_new(options->queue_capacity);
	writer->retention_options.max_size_bytes = options->max_size_bytes;
	memcpy(writer->retention_options.keep_ms, options->keep_ms, sizeof(options->keep_ms));
	writer->status.queue_capacity = (int64_t)options->queue_capacity;
	live_set_commit(writer->live, writer->store->last_commit);
	code = pthread_create(&writer->thread, NULL, writer_run, writer);
	if (code != 0) {
		writer->store = NULL;
		writer_free(writer);
		(void)error_set(err, ERROR_IO, code, "cannot start the writer: %s", strerror(code));
		return NULL;
	}
	options->store = NULL;
	return writer;
}

void writer_stop(struct writer *writer)
{
	if (!writer)
		return;
	queue_close(writer->queue);
	const int code = pthread_join(writer->thread, NULL);
	assert(code == 0);
	writer_free(writer);
}

bool writer_push(struct writer *writer, struct batch **batch, int64_t deadline_mono_ms,
		 struct error *err)
{
	return queue_push(writer->queue, batch, deadline_mono_ms, err);
}

bool writer_push_and_wait(struct writer *writer, struct batch **batch, int64_t deadline_mono_ms,
			  struct error *err)
{
	return queue_push_and_wait(writer->queue, batch, deadline_mono_ms, err);
}

void writer_status(struct writer *writer, struct writer_status *status)
{
	pthread_mutex_lock(&writer->mutex);
	*status = writer->status;
	pthread_mutex_unlock(&writer->mutex);
	status->queue_length = (int64_t)queue_length(writer->queue);
}
