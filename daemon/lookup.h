/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who owns the hot pages: a mailbox that a target thread drops pages into, and a thread with a
 * session of its own that looks them up, for the statement may queue behind the very latch that is
 * hot. The thread begins with the first page and ends when nothing was asked for a minute. The
 * mailbox is shared by the two; one mutex.
 */
#pragma once

#include "collectors/page_owner.h"
#include "daemon/config.h"
#include "daemon/deadline.h"
#include "daemon/login.h"
#include "storage/writer.h"

struct lookup;

struct lookup_options {
	const struct config_target *config; /* borrowed, as all below; outlives the lookup */
	int64_t target_id;
	int32_t min_waiters; /* a page with so many is looked up */
	struct writer *writer;
	struct login_route route; /* copied */
	struct deadline_slot *slot;
};

/* Makes a mailbox; no thread yet. Owns: the caller stops it. Threads: main. */
struct lookup *lookup_new(const struct lookup_options *options);

/* Gives it the writer. Threads: main, before anything is offered. */
void lookup_set_writer(struct lookup *lookup, struct writer *writer);

/*
 * Drops the hot ordinary pages of a sample into the mailbox, those with the most waiters first, and
 * starts the thread when there is none. A full mailbox drops what is less hot.
 *
 * Units:   now_mono_ms monotonic.
 * Owns:    copies.
 * Threads: the target's.
 */
void lookup_offer(struct lookup *lookup, const struct server *server,
		  const struct task_sample *sample, int64_t now_mono_ms);

/*
 * Does one turn: looks up to PAGES_PER_LOOKUP pages of the mailbox up and hands their owners to the
 * writer. Returns when the next turn may be, INT64_MAX when the thread shall end.
 *
 * Units:   both clocks of now; the result is monotonic.
 * Threads: the lookup's; blocks.
 */
int64_t lookup_step(struct lookup *lookup, struct instant now);

/* Asks the thread to end; returns at once. Threads: main. */
void lookup_request_stop(struct lookup *lookup);

/*
 * Waits until the thread has ended, and frees. False when it hangs beyond the deadline. NULL is
 * fine. Call once the target's thread has ended.
 *
 * Owns:    lookup, on success.
 * Threads: main; blocks.
 */
bool lookup_stop_until(struct lookup *lookup, int64_t deadline_mono_ms);
