/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The waiters of a window, put together by index (a page moves, its index stays), by file where the
 * index is not known, by kind of allocation page where it is one; and counted. Part of hot_page; no
 * clock, no I/O.
 */
#pragma once

#include "analysis/hot_page_owner.h"
#include "analysis/hot_page_window.h"

enum { GROUP_STATEMENTS_MAX = 16, GROUP_PAGES_REMEMBERED = 256, GROUP_PEAK_SESSIONS = 10 };

/* What makes two waits one contention. */
struct group_key {
	enum page_class class;	/* PAGE_ORDINARY, PAGE_PFS, PAGE_GAM, PAGE_SGAM; else one of all the
				   rest: PAGE_FILE_HEADER */
	struct index_key index; /* object 0 while not known; of an ordinary page */
	int32_t file_id;	/* 0 unless ordinary and not known */
};

struct page_place {
	int32_t file_id;
	int64_t page_id;
};

struct statement_count {
	uint64_t query_hash;
	int64_t page_waits;
	int64_t flow_waits;
};

/*
 * What an active hotspot claims beyond what the owners say: the pages it was just seen on, until
 * they are looked up again, and the flow-control waiters of its statements.
 */
struct group_claim {
	struct group_key key;
	bool claims_pages;
	struct page_place pages[GROUP_PAGES_REMEMBERED]; /* a ring */
	size_t page_count;				 /* ever remembered */
	uint64_t statements[GROUP_STATEMENTS_MAX];
	size_t statement_count;
};

/* Counts over a window; a wait is one task in one sample. */
struct page_group {
	struct group_key key;
	bool is_claimed;  /* an active hotspot stands behind it */
	bool is_verified; /* some page was placed by a look-up or by its statement */
	bool is_exact;	  /* some page was looked up itself */
	bool is_near_end; /* some page is at the end of its index, see owner_map */
	int64_t page_waits;
	int64_t flow_waits;
	int64_t insert_waits; /* of the page waits */
	int64_t mode_waits[LATCH_MODE_COUNT];
	int64_t top_page_waits;	    /* on the page that had most over the window */
	int64_t concentrated_waits; /* sample by sample, on the page that had most in it */
	int32_t top_level;	    /* of the page that had most; -1 unknown */
	int64_t distinct_pages;
	struct page_place last_page; /* that had most in the newest sample with waits */
	int64_t first_wait_utc_ms;
	int64_t last_hit_utc_ms; /* newest sample with enough sessions; 0 none */
	int32_t hit_count;
	int32_t page_hit_count; /* the same without flow control */
	int32_t max_page_waits; /* in one sample */
	int32_t max_flow_waits;
	int64_t last_peak_utc_ms; /* newest sample with GROUP_PEAK_SESSIONS in page waits; 0 none */
	struct statement_count statements[GROUP_STATEMENTS_MAX];
	size_t statement_count;
	/* of one sample while it is counted */
	int32_t sample_page_waits, sample_flow_waits, sample_top_waits;
	int32_t sample_sessions, sample_page_sessions;
	int32_t last_session, last_page_session;
};

/* One page of the window. */
struct group_page {
	int32_t database_id;
	struct page_place place;
	const struct known_page *known; /* the page or its extent, as looked up; NULL not */
	size_t group;
	int64_t waits;
	int32_t level;	      /* -1 unknown */
	int32_t sample_waits; /* of one sample while it is counted */
};

struct group_set {
	struct page_group *groups;
	size_t group_count, group_capacity;
	struct group_page *pages; /* by database, file, page */
	size_t page_count;
};

/* True when both name the same contention. Pure. */
bool group_key_equals(const struct group_key *a, const struct group_key *b);

/* True when the ring of a claim holds the page. Pure. */
bool group_claim_has_page(const struct group_claim *claim, struct page_place place);

/* Puts a page into the ring; true when it was not there. Threads: the owner. */
bool group_claim_add_page(struct group_claim *claim, struct page_place place);

/*
 * Groups and counts what the range of the window holds; every claim gets a group, if an empty one.
 * Statements whose pages were looked up are remembered in owners.
 *
 * Owns:    the caller ends the set with group_set_done.
 * Threads: the owner.
 */
struct group_set group_set_build(const struct hot_page_window *window,
				 const struct window_range *range, struct owner_map *owners,
				 const struct group_claim *const *claims, size_t claim_count,
				 int32_t min_waiters);

/* Frees a set's contents. Owns: its contents. Threads: the owner. */
void group_set_done(struct group_set *set);
