/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The watcher thread: once a second it reads what was committed since it last looked, lets the
 * rules and the detector judge it, and hands what changed to the writer: alerts, their messages and
 * events, hotspots. One transaction per target, so that after a crash the same commits are judged
 * again and no message is lost or sent twice. It reads through the store and storage/live only.
 */
#pragma once

#include "analysis/hot_page.h"
#include "analysis/rule.h"
#include "daemon/base/clock.h"
#include "storage/reader.h"
#include "storage/writer.h"

struct watcher;

struct watcher_options {
	const struct rule *rules; /* borrowed, as all below */
	size_t rule_count;
	struct hot_page_options detector; /* copied; interval_ms comes from each target */
	struct live *live;
	struct reader_pool *readers;
	struct writer *writer;
	void (*on_outbox)(void *context); /* there are new messages; any thread; NULL: nobody */
	void *context;
};

/* Makes a watcher over the targets that live knows. Owns: the caller stops it. Threads: main. */
struct watcher *watcher_new(const struct watcher_options *options, struct instant now);

/*
 * Takes one look at every target. Returns when the next look is due.
 *
 * Units:   both clocks of now; the result is monotonic.
 * Threads: the watcher's; blocks on the writer.
 */
int64_t watcher_step(struct watcher *watcher, struct instant now);

/* Starts its thread. Errors: ERROR_IO. Threads: main. */
MUST_CHECK bool watcher_start(struct watcher *watcher, struct error *err);

/*
 * Ends the thread and frees; NULL is fine. False when it hangs beyond the deadline.
 *
 * Units:   monotonic ms.
 * Owns:    watcher, on success.
 * Threads: main; blocks.
 */
bool watcher_stop_until(struct watcher *watcher, int64_t deadline_mono_ms);
