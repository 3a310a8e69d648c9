/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Posts messages. Runs in the sender's thread.
 *
 * Only the oldest message is looked at, so that `resolved` never overtakes `firing`: one that
 * cannot be posted holds up the ones behind it until it arrives, is refused for good, or is a day
 * old.
 */
#include "daemon/sender.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/alloc.h"
#include "daemon/base/log.h"
#include "daemon/base/stop.h"
#include "daemon/thread.h"
#include "storage/batch.h"
#include "storage/query.h"
#include "web/outbound_webhook.h"

enum {
	TICK_MS = 10 * 1000, /* looked at without being woken */
	BORROW_MS = 1000,
	POST_TIMEOUT_MS = 5000,
	PUSH_WAIT_MS = 2000,
	RETRY_MS = 1000,
	BACK_OFF_MIN_MS = 1000,
	BACK_OFF_MAX_MS = 300 * 1000,
	GIVE_UP_MS = 24 * 3600 * 1000,
};

struct sender {
	struct sender_options options;
	struct stop *stop;
	struct thread *thread;
	struct webhook *webhook;
	struct batch *settled; /* what became of the last message, until the store has it */
	struct complaint complaint;
	struct complaint store_complaint;
};

struct sender *sender_new(const struct sender_options *options, struct error *err)
{
	struct webhook *webhook = webhook_new(options->notifier->url, POST_TIMEOUT_MS, err);

	if (!webhook)
		return NULL;
	struct sender *sender = xcalloc(1, sizeof(*sender));
	sender->options = *options;
	sender->webhook = webhook;
	sender->stop = stop_new();
	return sender;
}

static bool take_first(void *context, const struct outbox_row *row)
{
	struct outbox_row *first = context;

	*first = *row;
	first->body = xstrdup(row->body);
	return false;
}

/* The oldest message, due or not; id 0 when there is none. */
static bool read_first(struct sender *sender, struct instant now, struct outbox_row *first,
		       struct error *err)
{
	CLEANUP(reader_returnp)
	struct reader *reader =
		reader_borrow(sender->options.readers, now.mono_ms + BORROW_MS, err);

	return reader && query_outbox(reader, sender->options.notifier->name, INT64_MAX, take_first,
				      first, err);
}

static bool may_retry(const struct error *err)
{
	if (err->kind != ERROR_SERVER)
		return true;
	return err->code >= 500 || err->code == 408 || err->code == 429;
}

static int64_t back_off_ms(int32_t attempt_count)
{
	int64_t pause = BACK_OFF_MIN_MS;

	for (int32_t i = 1; i < attempt_count && pause < BACK_OFF_MAX_MS; i++)
		pause *= 2;
	return pause < BACK_OFF_MAX_MS ? pause : BACK_OFF_MAX_MS;
}

/* The message is dropped, which must not pass in silence: a log line and an event. */
static void give_up(struct sender *sender, const struct outbox_row *row, struct instant now,
		    const struct error *reason)
{
	const char *name = sender->options.notifier->name;
	struct event event = {
		.begin_utc_ms = row->created_utc_ms,
		.end_utc_ms = now.utc_ms,
		.kind = "notice_lost",
		.family = NO_FAMILY,
		.details = "{}",
	};

	log_error("notifier '%s': a message is given up: %s", name, reason->text);
	snprintf(event.text, sizeof(event.text), "a message to '%s' is given up: %.300s", name,
		 reason->text);
	batch_add_event(sender->settled, &event);
	batch_add_delivered(sender->settled, row->id);
}

/* Posts one message and notes in settled what became of it. */
static void post(struct sender *sender, struct outbox_row *row, struct instant now)
{
	const char *name = sender->options.notifier->name;
	struct error err = ERROR_INIT;

	sender->settled = batch_new(0);
	if (webhook_post(sender->webhook, row->body, row->id, &err)) {
		complaint_end(&sender->complaint, "notifier '%s' takes messages again", name);
		batch_add_delivered(sender->settled, row->id);
		return;
	}
	if (!may_retry(&err) || now.utc_ms - row->created_utc_ms > GIVE_UP_MS) {
		give_up(sender, row, now, &err);
		return;
	}
	complaint_say(&sender->complaint, now.mono_ms, "notifier '%s': %s; it is tried again", name,
		      err.text);
	row->attempt_count++;
	row->due_utc_ms = now.utc_ms + back_off_ms(row->attempt_count);
	batch_add_outbox(sender->settled, row);
}

/* Until the store knows what became of a message no other is posted: it would be posted twice. */
static bool settle(struct sender *sender, struct instant now)
{
	struct error err = ERROR_INIT;

	if (!sender->settled)
		return true;
	if (writer_push_and_wait(sender->options.writer, &sender->settled,
				 now.mono_ms + PUSH_WAIT_MS, &err)) {
		complaint_end(&sender->store_complaint, "notifier '%s': the outbox works again",
			      sender->options.notifier->name);
		return true;
	}
	if (err.kind != ERROR_STOPPED)
		complaint_say(&sender->store_complaint, now.mono_ms, "notifier '%s': outbox: %s",
			      sender->options.notifier->name, err.text);
	return false;
}

int64_t sender_step(struct sender *sender, struct instant now)
{
	struct outbox_row row = {0};
	struct error err = ERROR_INIT;

	if (!settle(sender, now))
		return now.mono_ms + RETRY_MS;
	if (!read_first(sender, now, &row, &err)) {
		free(row.body);
		complaint_say(&sender->store_complaint, now.mono_ms, "notifier '%s': outbox: %s",
			      sender->options.notifier->name, err.text);
		return now.mono_ms + RETRY_MS;
	}
	if (row.id == 0)
		return now.mono_ms + TICK_MS;
	if (row.due_utc_ms > now.utc_ms) {
		int64_t wait_ms = row.due_utc_ms - now.utc_ms;
		free(row.body);
		return now.mono_ms + (wait_ms < TICK_MS ? wait_ms : TICK_MS);
	}
	post(sender, &row, now);
	free(row.body);
	return settle(sender, now) ? now.mono_ms : now.mono_ms + RETRY_MS;
}

static void sender_body(void *context)
{
	struct sender *sender = context;

	while (!stop_wait_until(sender->stop, sender_step(sender, clock_now())))
		;
}

bool sender_start(struct sender *sender, struct error *err)
{
	sender->thread = thread_start(sender->options.notifier->name, sender_body, sender, err);
	return sender->thread;
}

void sender_wake(struct sender *sender)
{
	stop_wake(sender->stop);
}

void sender_request_stop(struct sender *sender)
{
	stop_request(sender->stop);
}

bool sender_stop_until(struct sender *sender, int64_t deadline_mono_ms)
{
	if (!sender)
		return true;
	stop_request(sender->stop);
	if (!thread_join_until(sender->thread, deadline_mono_ms))
		return false;
	webhook_free(sender->webhook);
	batch_free(sender->settled);
	stop_free(sender->stop);
	free(sender);
	return true;
}
