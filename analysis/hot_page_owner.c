/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages and indexes the detector knows, each list bounded: the entry that was learned longest ago
 * makes room. One detector owns it; no clock, no I/O.
 */
#include "analysis/hot_page_owner.h"

#include <stdio.h>
#include <string.h>

enum { EXTENT_PAGES = 8, HOPS_MAX = 2 };

static bool key_equals(const struct index_key *a, const struct index_key *b)
{
	return a->database_id == b->database_id && a->object_id == b->object_id &&
	       a->index_id == b->index_id;
}

static bool is_valid(int64_t learned_utc_ms, int64_t now_utc_ms)
{
	return now_utc_ms - learned_utc_ms <= OWNER_VALID_MS;
}

static struct known_index *index_place(struct owner_map *map, const struct index_key *key)
{
	struct known_index *oldest = &map->indexes[0];
	for (size_t i = 0; i < map->index_count; i++) {
		if (key_equals(&map->indexes[i].key, key))
			return &map->indexes[i];
		if (map->indexes[i].learned_utc_ms < oldest->learned_utc_ms)
			oldest = &map->indexes[i];
	}
	return map->index_count < KNOWN_INDEXES_MAX ? &map->indexes[map->index_count++] : oldest;
}

static bool page_is(const struct known_page *page, int32_t database_id, int32_t file_id,
		    int64_t page_id)
{
	return page->page_id == page_id && page->file_id == file_id &&
	       page->key.database_id == database_id;
}

static struct known_page *slot_for(struct owner_map *map, const struct page_owner *owner)
{
	struct known_page *oldest = &map->pages[0];
	for (size_t i = 0; i < map->page_count; i++) {
		if (page_is(&map->pages[i], owner->database_id, owner->file_id, owner->page_id))
			return &map->pages[i];
		if (map->pages[i].learned_utc_ms < oldest->learned_utc_ms)
			oldest = &map->pages[i];
	}
	return map->page_count < KNOWN_PAGES_MAX ? &map->pages[map->page_count++] : oldest;
}

static void forget_page(struct owner_map *map, const struct page_owner *owner)
{
	for (size_t i = 0; i < map->page_count; i++)
		if (page_is(&map->pages[i], owner->database_id, owner->file_id, owner->page_id))
			map->pages[i] = map->pages[--map->page_count];
}

static const char *refusal_of(enum page_owner_state state)
{
	switch (state) {
	case PAGE_OWNER_NO_RIGHT:
		return "the login may not read page information";
	case PAGE_OWNER_NO_VIEW:
		return "this version cannot tell a page's owner (SQL Server 2019 and later can)";
	case PAGE_OWNER_NOT_FOUND:
		return "the page belonged to no table any more when it was looked up";
	case PAGE_OWNER_FAILED:
		return "the look-up failed";
	case PAGE_OWNER_NAMED:
		break;
	}
	return "";
}

static struct known_index shape_of(const struct page_owner *owner, const struct index_key *key)
{
	struct known_index index = {
		.key = *key,
		.is_ascending = owner->is_ascending,
		.is_descending = owner->is_descending,
		.optimize_for_sequential_key = owner->optimize_for_sequential_key,
		.learned_utc_ms = owner->looked_up_utc_ms,
	};
	memcpy(index.database, owner->database, sizeof(index.database));
	memcpy(index.object, owner->object, sizeof(index.object));
	memcpy(index.index, owner->index, sizeof(index.index));
	memcpy(index.leading_column, owner->leading_column, sizeof(index.leading_column));
	return index;
}

void owner_map_learn(struct owner_map *map, const struct page_owner *owner)
{
	snprintf(map->refusal, sizeof(map->refusal), "%s", refusal_of(owner->state));
	if (owner->state == PAGE_OWNER_FAILED && owner->error[0])
		snprintf(map->refusal, sizeof(map->refusal), "the look-up failed: %.100s",
			 owner->error);
	if (owner->state == PAGE_OWNER_NO_RIGHT && owner->error[0])
		snprintf(map->refusal, sizeof(map->refusal), "%.150s", owner->error);
	if (owner->state == PAGE_OWNER_NOT_FOUND)
		forget_page(map, owner);
	if (owner->state != PAGE_OWNER_NAMED || owner->object_id == 0)
		return;
	const struct index_key key = {owner->database_id, owner->object_id, owner->index_id};
	const struct known_index index = shape_of(owner, &key);
	owner_map_learn_index(map, &index);
	*slot_for(map, owner) = (struct known_page){
		.key = key,
		.file_id = owner->file_id,
		.page_id = owner->page_id,
		.level = owner->level,
		.next_file_id = owner->next_file_id,
		.next_page_id = owner->next_page_id,
		.previous_file_id = owner->previous_file_id,
		.previous_page_id = owner->previous_page_id,
		.is_mixed_extent = owner->is_mixed_extent,
		.learned_utc_ms = owner->looked_up_utc_ms,
	};
}

void owner_map_learn_index(struct owner_map *map, const struct known_index *index)
{
	struct known_index *place = index_place(map, &index->key);
	if (!key_equals(&place->key, &index->key) || place->learned_utc_ms <= index->learned_utc_ms)
		*place = *index;
}

void owner_map_inherit(struct owner_map *map, const struct inherited_owner *inherited)
{
	struct inherited_owner *place = &map->inherited[0];
	for (size_t i = 0; i < map->inherited_count; i++) {
		struct inherited_owner *other = &map->inherited[i];
		if (other->query_hash == inherited->query_hash &&
		    other->file_id == inherited->file_id &&
		    other->key.database_id == inherited->key.database_id) {
			if (other->learned_utc_ms <= inherited->learned_utc_ms)
				*other = *inherited;
			return;
		}
		if (other->learned_utc_ms < place->learned_utc_ms)
			place = other;
	}
	if (map->inherited_count < INHERITED_MAX)
		place = &map->inherited[map->inherited_count++];
	*place = *inherited;
}

const struct known_index *owner_map_index(const struct owner_map *map, const struct index_key *key)
{
	for (size_t i = 0; i < map->index_count; i++)
		if (key_equals(&map->indexes[i].key, key))
			return &map->indexes[i];
	return NULL;
}

const char *owner_map_database(const struct owner_map *map, int32_t database_id)
{
	static const char *const system_databases[] = {"", "master", "tempdb", "model", "msdb"};
	if (database_id >= 1 && database_id <= 4)
		return system_databases[database_id];
	for (size_t i = 0; i < map->index_count; i++)
		if (map->indexes[i].key.database_id == database_id)
			return map->indexes[i].database;
	return "";
}

/* The very page, when its look-up still holds; else NULL. */
static const struct known_page *find_page(const struct owner_map *map, int32_t database_id,
					  int32_t file_id, int64_t page_id, int64_t now_utc_ms)
{
	for (size_t i = 0; i < map->page_count; i++)
		if (page_is(&map->pages[i], database_id, file_id, page_id) &&
		    is_valid(map->pages[i].learned_utc_ms, now_utc_ms))
			return &map->pages[i];
	return NULL;
}

const struct known_page *owner_map_extent(const struct owner_map *map, int32_t database_id,
					  int32_t file_id, int64_t page_id, int64_t now_utc_ms)
{
	const struct known_page *exact = find_page(map, database_id, file_id, page_id, now_utc_ms);
	if (exact)
		return exact;
	for (size_t i = 0; i < map->page_count; i++) {
		const struct known_page *page = &map->pages[i];
		if (page->key.database_id == database_id && page->file_id == file_id &&
		    page->page_id / EXTENT_PAGES == page_id / EXTENT_PAGES &&
		    !page->is_mixed_extent && is_valid(page->learned_utc_ms, now_utc_ms))
			return page;
	}
	return NULL;
}

const struct inherited_owner *owner_map_inherited(const struct owner_map *map, uint64_t query_hash,
						  int32_t database_id, int32_t file_id,
						  int64_t now_utc_ms)
{
	for (size_t i = 0; i < map->inherited_count; i++) {
		const struct inherited_owner *inherited = &map->inherited[i];
		if (query_hash != 0 && inherited->query_hash == query_hash &&
		    inherited->file_id == file_id && inherited->key.database_id == database_id &&
		    is_valid(inherited->learned_utc_ms, now_utc_ms))
			return inherited;
	}
	return NULL;
}

/* The only page of its level is both its first and its last: that says nothing about the key. */
static bool is_alone(const struct known_page *page)
{
	return page->next_page_id == 0 && page->previous_page_id == 0;
}

bool owner_map_is_near_end(const struct owner_map *map, const struct known_page *page,
			   int64_t now_utc_ms)
{
	const struct known_index *index = owner_map_index(map, &page->key);
	const bool is_descending = index && index->is_descending == 1;
	if (is_alone(page))
		return false;
	for (int hop = 0; page && hop <= HOPS_MAX; hop++) {
		const int64_t next_id = is_descending ? page->previous_page_id : page->next_page_id;
		const int32_t next_file =
			is_descending ? page->previous_file_id : page->next_file_id;
		if (next_id <= 0)
			return next_id == 0;
		page = find_page(map, page->key.database_id, next_file, next_id, now_utc_ms);
	}
	return false;
}
