/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bounded queue; see the header. One condition variable, broadcast at every change: producers
 * wait for room, the writer for a batch, some for their answer. They are few and changes are rare
 * (a commit takes longer than waking them).
 *
 * Who waits for a commit has a ticket on its stack. Its batch is in the queue, in hand, or gone: in
 * the queue it can be taken back at the deadline; in hand the answer is near and is waited for.
 */
#include "storage/queue.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/alloc.h"
#include "daemon/base/clock.h"

/* Of one who waits for the outcome. */
struct ticket {
	bool is_answered;
	bool is_done; /* committed; else err says why not and the batch is the waiter's again */
	struct error err;
};

struct item {
	struct batch *batch;
	struct ticket *ticket; /* NULL: nobody waits */
};

struct queue {
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	struct item *items; /* the oldest first */
	size_t capacity;
	size_t length;
	size_t in_hand; /* of the first items */
	bool is_closed;
};

struct queue *queue_new(size_t capacity)
{
	assert(capacity > 0);
	struct queue *queue = xcalloc(1, sizeof(*queue));
	pthread_condattr_t attributes;
	int failed = pthread_mutex_init(&queue->mutex, NULL);
	failed |= pthread_condattr_init(&attributes);
	failed |= pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	failed |= pthread_cond_init(&queue->changed, &attributes);
	assert(!failed);
	pthread_condattr_destroy(&attributes);
	queue->items = xcalloc(capacity, sizeof(*queue->items));
	queue->capacity = capacity;
	return queue;
}

void queue_free(struct queue *queue)
{
	if (!queue)
		return;
	for (size_t i = 0; i < queue->length; i++)
		batch_free(queue->items[i].batch);
	pthread_cond_destroy(&queue->changed);
	pthread_mutex_destroy(&queue->mutex);
	free(queue->items);
	free(queue);
}

/* Waits for a change; false when the deadline has passed. */
static bool wait_change(struct queue *queue, int64_t deadline_mono_ms)
{
	const int64_t left_ms = deadline_mono_ms - clock_now().mono_ms;
	if (left_ms <= 0)
		return false;
	const struct timespec wake = clock_wake_after(left_ms);
	pthread_cond_timedwait(&queue->changed, &queue->mutex, &wake);
	return true;
}

static void remove_item(struct queue *queue, size_t index)
{
	queue->length--;
	memmove(&queue->items[index], &queue->items[index + 1],
		(queue->length - index) * sizeof(*queue->items));
}

static bool append(struct queue *queue, struct batch **batch, struct ticket *ticket,
		   int64_t deadline_mono_ms, struct error *err)
{
	while (!queue->is_closed && queue->length == queue->capacity)
		if (!wait_change(queue, deadline_mono_ms))
			return error_set(err, ERROR_TIMEOUT, 0,
					 "the store is behind: %zu batches wait for it",
					 queue->length);
	if (queue->is_closed)
		return error_set(err, ERROR_STOPPED, 0, "the store is closing");
	queue->items[queue->length++] = (struct item){.batch = TAKE(*batch), .ticket = ticket};
	pthread_cond_broadcast(&queue->changed);
	return true;
}

bool queue_push(struct queue *queue, struct batch **batch, int64_t deadline_mono_ms,
		struct error *err)
{
	pthread_mutex_lock(&queue->mutex);
	const bool is_in = append(queue, batch, NULL, deadline_mono_ms, err);
	pthread_mutex_unlock(&queue->mutex);
	return is_in;
}

/* Takes a batch that is not in hand back out of the queue; false when it is in hand or gone. */
static bool take_back(struct queue *queue, const struct ticket *ticket)
{
	for (size_t i = queue->in_hand; i < queue->length; i++) {
		if (queue->items[i].ticket != ticket)
			continue;
		remove_item(queue, i);
		pthread_cond_broadcast(&queue->changed);
		return true;
	}
	return false;
}

static bool await(struct queue *queue, struct ticket *ticket, int64_t deadline_mono_ms)
{
	while (!ticket->is_answered) {
		if (wait_change(queue, deadline_mono_ms))
			continue;
		if (take_back(queue, ticket))
			return error_set(&ticket->err, ERROR_TIMEOUT, 0,
					 "the store is behind: not written in time");
		deadline_mono_ms = INT64_MAX; /* in hand: the answer is near */
	}
	return ticket->is_done;
}

bool queue_push_and_wait(struct queue *queue, struct batch **batch, int64_t deadline_mono_ms,
			 struct error *err)
{
	struct ticket ticket = {0};
	struct batch *mine = *batch;
	pthread_mutex_lock(&queue->mutex);
	bool is_done = append(queue, batch, &ticket, deadline_mono_ms, err);
	if (is_done) {
		is_done = await(queue, &ticket, deadline_mono_ms);
		if (!is_done) {
			*batch = mine;
			*err = ticket.err;
		}
	}
	pthread_mutex_unlock(&queue->mutex);
	return is_done;
}

size_t queue_take(struct queue *queue, const struct batch **batches, size_t max,
		  int64_t deadline_mono_ms)
{
	pthread_mutex_lock(&queue->mutex);
	assert(queue->in_hand == 0);
	while (queue->length == 0 && !queue->is_closed)
		if (!wait_change(queue, deadline_mono_ms))
			break;
	queue->in_hand = queue->length < max ? queue->length : max;
	for (size_t i = 0; i < queue->in_hand; i++)
		batches[i] = queue->items[i].batch;
	const size_t count = queue->in_hand;
	pthread_mutex_unlock(&queue->mutex);
	return count;
}

/* Tells who waits for an item, if somebody does; true when the batch is theirs again. */
static bool answer(struct item *item, bool is_done, const struct error *err)
{
	if (!item->ticket)
		return false;
	item->ticket->is_answered = true;
	item->ticket->is_done = is_done;
	if (!is_done)
		item->ticket->err = *err;
	return !is_done;
}

void queue_settle(struct queue *queue, enum queue_outcome outcome, const struct error *err)
{
	pthread_mutex_lock(&queue->mutex);
	size_t kept = 0;
	for (size_t i = 0; i < queue->in_hand; i++) {
		struct item *item = &queue->items[i];
		if (answer(item, outcome == QUEUE_DONE, err))
			continue;
		if (outcome == QUEUE_RETRY)
			queue->items[kept++] = *item;
		else
			batch_free(item->batch);
	}
	memmove(&queue->items[kept], &queue->items[queue->in_hand],
		(queue->length - queue->in_hand) * sizeof(*queue->items));
	queue->length -= queue->in_hand - kept;
	queue->in_hand = 0;
	pthread_cond_broadcast(&queue->changed);
	pthread_mutex_unlock(&queue->mutex);
}

bool queue_wait_closed(struct queue *queue, int64_t deadline_mono_ms)
{
	pthread_mutex_lock(&queue->mutex);
	while (!queue->is_closed && wait_change(queue, deadline_mono_ms))
		continue;
	const bool is_closed = queue->is_closed;
	pthread_mutex_unlock(&queue->mutex);
	return is_closed;
}

void queue_close(struct queue *queue)
{
	pthread_mutex_lock(&queue->mutex);
	queue->is_closed = true;
	pthread_cond_broadcast(&queue->changed);
	pthread_mutex_unlock(&queue->mutex);
}

bool queue_is_closed(struct queue *queue)
{
	pthread_mutex_lock(&queue->mutex);
	const bool is_closed = queue->is_closed;
	pthread_mutex_unlock(&queue->mutex);
	return is_closed;
}

size_t queue_length(struct queue *queue)
{
	pthread_mutex_lock(&queue->mutex);
	const size_t length = queue->length;
	pthread_mutex_unlock(&queue->mutex);
	return length;
}
