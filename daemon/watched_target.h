/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the watcher keeps of one target, shared by the files of its body: watcher.c (the round),
 * watch_rules.c (deltas and alerts), watch_pages.c (tasks and hotspots). Nobody else includes this.
 */
#pragma once

#include "analysis/alert.h"
#include "daemon/watcher.h"
#include "storage/query.h"

struct watched_target {
	struct live_target live;	    /* as of this look */
	struct alert *alerts;		    /* one per rule, as the store has them */
	struct delta *newest[FAMILY_COUNT]; /* of each family, only names that rules use */
	int64_t deltas_commit;		    /* all commits up to here were judged by the rules */
	struct hot_page *detector;
	int64_t tasks_commit;
	int64_t owners_utc_ms;
	bool needs_ids; /* a hotspot was stored without knowing its id */
	bool is_restored;
	bool is_listed; /* the store has a row of every alert, as today's rules are */
};

/* One look at one target: what comes of it becomes valid when the batch is in the store. */
struct watch {
	const struct watcher_options *options;
	struct watched_target *target;
	struct reader *reader;
	struct batch *batch;
	struct instant now;
	int64_t started_mono_ms; /* of the watcher: nothing is missed before */
	struct alert *alerts;	 /* copies, as they are to be */
	int64_t deltas_commit;
	struct hotspot *hotspots; /* room for WATCH_HOTSPOTS_MAX */
};

enum { WATCH_HOTSPOTS_MAX = 8 };

/* Reads new deltas and lets the rules judge them. Errors: those of the queries. Threads: the
 * watcher's. */
MUST_CHECK bool watch_rules(struct watch *watch, struct error *err);

/* Reads new owners and task samples and lets the detector judge. Errors: those of the queries.
 * Threads: the watcher's. */
MUST_CHECK bool watch_pages(struct watch *watch, struct error *err);

/* Takes back what the store holds of the target's hotspots. Errors: those of the queries. Threads:
 * the watcher's. */
MUST_CHECK bool watch_restore_hotspots(struct watch *watch, struct error *err);
