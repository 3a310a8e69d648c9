/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Short peaks that a window of ten seconds calls calm, but that come again. Part of hot_page; owned
 * by one detector. No clock, no I/O.
 */
#pragma once

#include "analysis/hot_page_group.h"

enum { BURSTS_REMEMBERED = 64, BURSTS_NEEDED = 3, BURST_MEMORY_MS = 15 * 60 * 1000 };

struct burst {
	struct group_key key;
	int64_t peak_utc_ms; /* the last of it */
};

struct burst_list {
	struct burst bursts[BURSTS_REMEMBERED]; /* a ring */
	size_t count;				/* ever noted */
};

/* Notes a peak; one within apart_ms of the last peak of the same key is of the same burst. Threads:
 * the owner. */
void burst_list_note(struct burst_list *list, const struct group_key *key, int64_t peak_utc_ms,
		     int64_t apart_ms);

/* Bursts of the key in the last 15 minutes. Pure. */
int burst_list_count(const struct burst_list *list, const struct group_key *key,
		     int64_t now_utc_ms);
