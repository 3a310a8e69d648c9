/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hotspots a detector follows and what it is made of. Inside of hot_page, for its own files
 * only; owned by one detector. No clock, no I/O.
 */
#pragma once

#include "analysis/hot_page.h"
#include "analysis/hot_page_burst.h"
#include "analysis/hot_page_describe.h"

/* A hotspot that is active, or whose end is not told yet. */
struct tracked {
	struct hotspot hotspot;
	struct group_claim claim;
	int64_t alive_utc_ms;	 /* last hit, moved along by gaps */
	int64_t verified_utc_ms; /* its pages were last placed by a look-up */
	bool has_changed;
};

struct hot_page {
	int64_t target_id;
	struct hot_page_options options;
	struct hot_page_window window;
	struct owner_map owners;
	struct burst_list bursts;
	struct tracked **tracked;
	size_t tracked_count, tracked_capacity;
	bool is_fresh; /* a sample or an owner came since the last judgement */
	bool has_judged;
};

/* Adds an empty hotspot to follow. Owns: the detector. Threads: the owner. */
struct tracked *hot_page_track(struct hot_page *detector);

/* Lets a hotspot claim the flow-control waiters of its statements. Threads: the owner. */
void tracked_claim_statements(struct tracked *tracked);

/* Ends a hotspot; the next judgement tells it. Threads: the owner. */
void tracked_end(struct tracked *tracked);

/* The class of pages that a kind is about; PAGE_FILE_HEADER for all the rest. Pure. */
enum page_class tracked_class_of_kind(enum hotspot_kind kind);

/* Gives unnamed hotspots the index that their pages turned out to belong to. Threads: the owner. */
void hot_page_name_late(struct hot_page *detector, const struct group_set *set);

/* Lets the hotspot of a group go on, or begin when the group is hot. Threads: the owner. */
void hot_page_judge_group(struct hot_page *detector, const struct group_set *set,
			  const struct group_view *view);
