/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sender thread, one per notifier: takes its messages out of the outbox, oldest first, and
 * posts them until each has arrived. A message leaves the outbox only after the receiver has taken
 * it, so that it may arrive twice after a crash, with the same id, and never not at all.
 */
#pragma once

#include "daemon/base/clock.h"
#include "daemon/config.h"
#include "storage/reader.h"
#include "storage/writer.h"

struct sender;

struct sender_options {
	const struct config_notifier *notifier; /* borrowed, as all below */
	struct reader_pool *readers;
	struct writer *writer;
};

/* Makes a sender. Owns: the caller stops it. Errors: ERROR_INVALID the URL. Threads: main. */
MUST_CHECK struct sender *sender_new(const struct sender_options *options, struct error *err);

/*
 * Posts what is due. Returns when the next attempt is due.
 *
 * Units:   both clocks of now; the result is monotonic.
 * Threads: the sender's; blocks on the network and the writer.
 */
int64_t sender_step(struct sender *sender, struct instant now);

/* Starts its thread. Errors: ERROR_IO. Threads: main. */
MUST_CHECK bool sender_start(struct sender *sender, struct error *err);

/* Says that there are new messages. Threads: any. */
void sender_wake(struct sender *sender);

/* Asks it to end; returns at once. Threads: main. */
void sender_request_stop(struct sender *sender);

/*
 * Waits until the thread has ended, and frees; NULL is fine. False when it hangs beyond the
 * deadline.
 *
 * Units:   monotonic ms.
 * Owns:    sender, on success.
 * Threads: main; blocks.
 */
bool sender_stop_until(struct sender *sender, int64_t deadline_mono_ms);
