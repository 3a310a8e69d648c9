/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks owners of pages up. lookup_offer runs in the target's thread, lookup_step in its own.
 *
 * What was looked up is not asked again for a minute: by page, and where a page could be named and
 * its extent is not mixed, by extent, for all eight pages of such an extent belong to one index. An
 * answer that names nobody is kept by page just as long, so that a missing right costs a statement
 * a minute and not one a second.
 */
#include "daemon/lookup.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/alloc.h"
#include "daemon/base/log.h"
#include "daemon/base/stop.h"
#include "daemon/login.h"
#include "daemon/thread.h"

enum {
	MAILBOX_MAX = 32,
	CACHE_MAX = 256,
	EXTENT_PAGES = 8,
	KEEP_MS = 60 * 1000,
	IDLE_MS = 60 * 1000,
	TURN_MS = 1000,
	RETRY_MS = 10 * 1000,
	PUSH_WAIT_MS = 1000,
};

struct known_page {
	int32_t database_id, file_id;
	int64_t page_id;
	bool is_extent; /* holds for its whole extent */
	int64_t until_mono_ms;
};

struct lookup {
	struct lookup_options options;
	struct stop *stop;
	struct thread *thread; /* of the target's thread until it has ended */
	pthread_mutex_t mutex;
	/* under the mutex */
	struct page_address pages[MAILBOX_MAX];
	size_t page_count;
	struct server server;
	bool is_running; /* the thread has not decided to end */
	/* the lookup thread's own */
	struct session *session;
	struct known_page known[CACHE_MAX];
	size_t known_next;
	int64_t asked_mono_ms; /* when there was a page last */
	int64_t retry_mono_ms;
	struct complaint complaint;
};

struct lookup *lookup_new(const struct lookup_options *options)
{
	struct lookup *lookup = xcalloc(1, sizeof(*lookup));

	lookup->options = *options;
	lookup->stop = stop_new();
	pthread_mutex_init(&lookup->mutex, NULL);
	return lookup;
}

void lookup_set_writer(struct lookup *lookup, struct writer *writer)
{
	lookup->options.writer = writer;
}

static bool is_known(const struct lookup *lookup, const struct page_address *page,
		     int64_t now_mono_ms)
{
	for (size_t i = 0; i < CACHE_MAX; i++) {
		const struct known_page *known = &lookup->known[i];
		bool is_there = known->page_id == page->page_id ||
				(known->is_extent &&
				 known->page_id / EXTENT_PAGES == page->page_id / EXTENT_PAGES);
		if (known->until_mono_ms > now_mono_ms && is_there &&
		    known->database_id == page->database_id && known->file_id == page->file_id)
			return true;
	}
	return false;
}

static void remember(struct lookup *lookup, const struct page_owner *owner, int64_t now_mono_ms)
{
	lookup->known[lookup->known_next++ % CACHE_MAX] = (struct known_page){
		.database_id = owner->database_id,
		.file_id = owner->file_id,
		.page_id = owner->page_id,
		.is_extent = owner->state == PAGE_OWNER_NAMED && !owner->is_mixed_extent,
		.until_mono_ms = now_mono_ms + KEEP_MS,
	};
}

/* Takes up to PAGES_PER_LOOKUP unknown pages out of the mailbox; what is known already is dropped.
 */
static size_t take_pages(struct lookup *lookup, struct page_address *pages, struct server *server,
			 int64_t now_mono_ms)
{
	size_t taken = 0, kept = 0;

	pthread_mutex_lock(&lookup->mutex);
	*server = lookup->server;
	for (size_t i = 0; i < lookup->page_count; i++) {
		const struct page_address page = lookup->pages[i];
		if (is_known(lookup, &page, now_mono_ms))
			continue;
		if (taken < PAGES_PER_LOOKUP)
			pages[taken++] = page;
		else
			lookup->pages[kept++] = page;
	}
	lookup->page_count = kept;
	pthread_mutex_unlock(&lookup->mutex);
	return taken;
}

/* Decides under the mutex, so that a page offered at this instant is not left lying. */
static bool may_end(struct lookup *lookup, int64_t now_mono_ms)
{
	if (now_mono_ms - lookup->asked_mono_ms < IDLE_MS)
		return false;
	pthread_mutex_lock(&lookup->mutex);
	bool is_empty = lookup->page_count == 0;
	if (is_empty)
		lookup->is_running = false;
	pthread_mutex_unlock(&lookup->mutex);
	return is_empty;
}

static void hand_on(struct lookup *lookup, const struct page_owner *owners, size_t count,
		    int64_t now_mono_ms)
{
	CLEANUP(batch_freep) struct batch *batch = batch_new(lookup->options.target_id);
	struct error err = ERROR_INIT;

	for (size_t i = 0; i < count; i++)
		batch_add_owner(batch, &owners[i]);
	if (!writer_push(lookup->options.writer, &batch, now_mono_ms + PUSH_WAIT_MS, &err))
		return; /* not remembered, so that they are asked for again */
	for (size_t i = 0; i < count; i++)
		remember(lookup, &owners[i], now_mono_ms);
}

static bool look_up(struct lookup *lookup, const struct server *server,
		    const struct page_address *pages, size_t count, struct instant now,
		    struct error *err)
{
	const struct config_target *config = lookup->options.config;
	struct page_owner owners[PAGES_PER_LOOKUP] = {0};

	if (!lookup->session) {
		struct server same = {0};
		struct epoch epoch = {0};
		lookup->session = login_open(config, &lookup->options.route, lookup->options.slot,
					     now.mono_ms, &same, &epoch, err);
		if (!lookup->session)
			return false;
	}
	deadline_begin(lookup->options.slot,
		       now.mono_ms + config->login_timeout_ms + 2 * config->query_timeout_ms);
	bool is_done =
		page_owner_look_up(lookup->session, server, pages, count, now.utc_ms, owners, err);
	if (deadline_end(lookup->options.slot))
		is_done = error_set(err, ERROR_TIMEOUT, 0, "no whole answer in time");
	if (is_done && !stop_is_requested(lookup->stop))
		hand_on(lookup, owners, count, now.mono_ms);
	return is_done;
}

static void close_session(struct lookup *lookup)
{
	session_close(lookup->session);
	lookup->session = NULL;
}

int64_t lookup_step(struct lookup *lookup, struct instant now)
{
	struct page_address pages[PAGES_PER_LOOKUP];
	struct server server;
	struct error err = ERROR_INIT;

	if (now.mono_ms < lookup->retry_mono_ms)
		return lookup->retry_mono_ms;
	size_t count = take_pages(lookup, pages, &server, now.mono_ms);
	if (count == 0)
		return may_end(lookup, now.mono_ms) ? INT64_MAX : now.mono_ms + TURN_MS;
	lookup->asked_mono_ms = now.mono_ms;
	if (look_up(lookup, &server, pages, count, now, &err)) {
		complaint_end(&lookup->complaint, "target '%s': owners of pages are found again",
			      lookup->options.config->name);
		return now.mono_ms + TURN_MS;
	}
	if (stop_is_requested(lookup->stop))
		return INT64_MAX;
	close_session(lookup);
	lookup->retry_mono_ms = now.mono_ms + RETRY_MS;
	complaint_say(&lookup->complaint, now.mono_ms, "target '%s': owners of pages: %s",
		      lookup->options.config->name, err.text);
	return lookup->retry_mono_ms;
}

static void lookup_body(void *context)
{
	struct lookup *lookup = context;
	int64_t next_mono_ms = 0;

	while (next_mono_ms != INT64_MAX && !stop_wait_until(lookup->stop, next_mono_ms))
		next_mono_ms = lookup_step(lookup, clock_now());
	close_session(lookup);
}

static bool is_same_page(const struct page_address *left, const struct page_address *right)
{
	return left->page_id == right->page_id && left->file_id == right->file_id &&
	       left->database_id == right->database_id;
}

struct waited_page {
	struct page_address page;
	int32_t waiter_count;
};

/* Counts waiting tasks by ordinary page; returns how many pages there are. */
static size_t count_waiters(const struct task_sample *sample, struct waited_page *waited,
			    size_t max)
{
	size_t count = 0;

	for (size_t i = 0; i < sample->task_count; i++) {
		const struct page_address *page = &sample->tasks[i].resource;
		size_t j = 0;

		if (page->kind != RESOURCE_PAGE || !task_is_of_interest(&sample->tasks[i]) ||
		    page_class_of(page->file_id, page->page_id) != PAGE_ORDINARY)
			continue;
		while (j < count && !is_same_page(&waited[j].page, page))
			j++;
		if (j == max)
			continue;
		if (j == count)
			waited[count++] = (struct waited_page){.page = *page};
		waited[j].waiter_count++;
	}
	return count;
}

static int compare_waited(const void *left, const void *right)
{
	const struct waited_page *a = left, *b = right;

	return (a->waiter_count < b->waiter_count) - (a->waiter_count > b->waiter_count);
}

static void put_page(struct lookup *lookup, const struct page_address *page)
{
	for (size_t i = 0; i < lookup->page_count; i++)
		if (is_same_page(&lookup->pages[i], page))
			return;
	if (lookup->page_count < MAILBOX_MAX)
		lookup->pages[lookup->page_count++] = *page;
}

/* Joins a thread that ended by itself and starts a new one. */
static void restart(struct lookup *lookup, int64_t now_mono_ms)
{
	char name[TARGET_NAME_SIZE + 2];
	struct error err = ERROR_INIT;

	(void)thread_join_until(lookup->thread, INT64_MAX); /* it decided to end: it does */
	snprintf(name, sizeof(name), "l:%s", lookup->options.config->name);
	lookup->asked_mono_ms = now_mono_ms;
	lookup->is_running = true;
	lookup->thread = thread_start(name, lookup_body, lookup, &err);
	if (lookup->thread)
		return;
	lookup->is_running = false;
	complaint_say(&lookup->complaint, now_mono_ms, "target '%s': %s",
		      lookup->options.config->name, err.text);
}

void lookup_offer(struct lookup *lookup, const struct server *server,
		  const struct task_sample *sample, int64_t now_mono_ms)
{
	struct waited_page waited[MAILBOX_MAX];
	size_t count = count_waiters(sample, waited, MAILBOX_MAX), hot = 0;

	qsort(waited, count, sizeof(waited[0]), compare_waited);
	while (hot < count && waited[hot].waiter_count >= lookup->options.min_waiters)
		hot++;
	if (hot == 0)
		return;
	pthread_mutex_lock(&lookup->mutex);
	lookup->server = *server;
	for (size_t i = 0; i < hot; i++)
		put_page(lookup, &waited[i].page);
	bool is_running = lookup->is_running;
	pthread_mutex_unlock(&lookup->mutex);
	/* A thread that runs looks by itself every second, no oftener: that is its limit. */
	if (!is_running && !stop_is_requested(lookup->stop))
		restart(lookup, now_mono_ms);
}

void lookup_request_stop(struct lookup *lookup)
{
	stop_request(lookup->stop);
}

bool lookup_stop_until(struct lookup *lookup, int64_t deadline_mono_ms)
{
	if (!lookup)
		return true;
	stop_request(lookup->stop);
	if (!thread_join_until(lookup->thread, deadline_mono_ms))
		return false;
	stop_free(lookup->stop);
	pthread_mutex_destroy(&lookup->mutex);
	free(lookup);
	return true;
}
