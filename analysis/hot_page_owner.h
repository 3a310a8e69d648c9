/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the detector has learned of pages and indexes, and which index a page belongs to. Part of
 * hot_page; owned by one detector. No clock, no I/O.
 */
#pragma once

#include "collectors/page_owner.h"

enum { KNOWN_INDEXES_MAX = 32, KNOWN_PAGES_MAX = 512, INHERITED_MAX = 64, OWNER_VALID_MS = 60000 };

struct index_key {
	int32_t database_id;
	int64_t object_id; /* 0 = not known */
	int32_t index_id;
};

/* The shape of an index as it was last looked up. */
struct known_index {
	struct index_key key;
	char database[SERVER_NAME_SIZE];
	char object[OBJECT_NAME_SIZE];
	char index[SERVER_NAME_SIZE];
	char leading_column[COLUMN_NAME_SIZE];
	int32_t is_ascending; /* 1, 0, -1 as in struct page_owner */
	int32_t is_descending;
	int32_t optimize_for_sequential_key;
	int64_t learned_utc_ms;
};

struct known_page {
	struct index_key key;
	int32_t file_id;
	int64_t page_id;
	int32_t level;
	int32_t next_file_id;
	int64_t next_page_id;
	int32_t previous_file_id;
	int64_t previous_page_id;
	bool is_mixed_extent;
	int64_t learned_utc_ms;
};

/* A statement's pages in one file belong to the index that they last were resolved to. */
struct inherited_owner {
	uint64_t query_hash;
	int32_t file_id;
	struct index_key key;
	int64_t learned_utc_ms;
};

struct owner_map {
	struct known_index indexes[KNOWN_INDEXES_MAX];
	size_t index_count;
	struct known_page pages[KNOWN_PAGES_MAX];
	size_t page_count;
	struct inherited_owner inherited[INHERITED_MAX];
	size_t inherited_count;
	char refusal[160]; /* why the last look-up named nothing; "" it did */
};

/* Learns from one look-up. Threads: the owner. */
void owner_map_learn(struct owner_map *map, const struct page_owner *owner);

/* Learns the shape of an index alone, from a hotspot of an earlier run. Threads: the owner. */
void owner_map_learn_index(struct owner_map *map, const struct known_index *index);

/* Remembers which index a statement's pages in a file belong to. Threads: the owner. */
void owner_map_inherit(struct owner_map *map, const struct inherited_owner *inherited);

/* The shape of an index; NULL when it was never looked up or too long ago to be kept. Pure. */
const struct known_index *owner_map_index(const struct owner_map *map, const struct index_key *key);

/* Name of a database, of the system's own or as some look-up told it; "" unknown. Pure. */
const char *owner_map_database(const struct owner_map *map, int32_t database_id);

/* The page itself or a neighbour in its extent, where that is not mixed. Pure. */
const struct known_page *owner_map_extent(const struct owner_map *map, int32_t database_id,
					  int32_t file_id, int64_t page_id, int64_t now_utc_ms);

/* What a statement's pages in a file were last resolved to; NULL when that is too old. Pure. */
const struct inherited_owner *owner_map_inherited(const struct owner_map *map, uint64_t query_hash,
						  int32_t database_id, int32_t file_id,
						  int64_t now_utc_ms);

/*
 * True when the page is at most two links away from the end of its level at which its key inserts:
 * the end for ascending keys, the beginning for descending ones. Pure.
 */
bool owner_map_is_near_end(const struct owner_map *map, const struct known_page *page,
			   int64_t now_utc_ms);
