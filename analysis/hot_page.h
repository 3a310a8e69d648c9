/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The detector: from task samples and page owners to hotspots. Pure functions over a sliding
 * window; no clock, no I/O. One detector per target; the watcher owns it.
 */
#pragma once

#include "collectors/task_sample.h"
#include "storage/record.h"

struct hot_page;

struct hot_page_options {
	int64_t window_ms;    /* 10 s */
	int32_t min_waiters;  /* 3 distinct sessions */
	int32_t hits;	      /* in 5 samples of the window */
	int64_t end_after_ms; /* active becomes ended after so long without a hit; 60 s */
	int64_t interval_ms;  /* between samples as configured; 0 = 1 s. Rarer samples make the
				 window longer: it is meant to hold as many. */
};

/* Makes an empty detector for a target. Owns: the caller frees. Threads: any. */
struct hot_page *hot_page_new(int64_t target_id, const struct hot_page_options *options);

/* Frees it; NULL is fine. Owns: detector. Threads: the owner. */
void hot_page_free(struct hot_page *detector);
DEFINE_CLEANUP(struct hot_page *, hot_page_free);

/* Takes over a hotspot that the store holds as active, at start. Threads: the owner. */
void hot_page_restore(struct hot_page *detector, const struct hotspot *hotspot);

/* Learns who owns a page (and its extent, where it is not mixed). Threads: the owner. */
void hot_page_learn(struct hot_page *detector, const struct page_owner *owner);

/*
 * Adds one sample; samples must come in order of time. One in which nothing of interest waited may
 * be left out: what is between two samples and was not told to be a gap counts as calm.
 *
 * Owns:    copies what it needs.
 * Threads: the owner.
 */
void hot_page_add(struct hot_page *detector, const struct task_sample *sample);

/*
 * Judges the window as of now and returns how many hotspots changed since the last call (began,
 * went on, ended); hotspots[] receives up to hotspot_max of them with their findings, to be
 * written, the others come with the next call. A hotspot without id gets one from the store:
 * hot_page_set_id tells it.
 *
 * Units:   now_utc_ms on the clock of the samples' taken.utc_ms.
 * Threads: the owner.
 */
size_t hot_page_judge(struct hot_page *detector, int64_t now_utc_ms, struct hotspot *hotspots,
		      size_t hotspot_max);

/* Tells the detector the id the store gave to an equal hotspot (kind, database, object, index,
 * first_seen). Threads: the owner. */
void hot_page_set_id(struct hot_page *detector, const struct hotspot *stored);

/*
 * Says that no samples were taken from begin to end: what was active stays as it was, until samples
 * come again. To be told while the gap grows, too. The time before the first judgement is a gap.
 *
 * Threads: the owner.
 */
void hot_page_gap(struct hot_page *detector, int64_t begin_utc_ms, int64_t end_utc_ms);
