/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which group a page belongs to, and the groups of a window. Counting is in hot_page_count.c. One
 * detector owns it; no clock, no I/O.
 */
#include "analysis/hot_page_group.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/hot_page_count.h"
#include "daemon/base/alloc.h"

static enum page_class class_of(const struct group_page *page)
{
	const enum page_class class = page_class_of(page->place.file_id, page->place.page_id);
	const bool has_kind = class == PAGE_ORDINARY || class == PAGE_PFS || class == PAGE_GAM ||
			      class == PAGE_SGAM;
	return has_kind ? class : PAGE_FILE_HEADER;
}

bool group_key_equals(const struct group_key *a, const struct group_key *b)
{
	return a->class == b->class && a->index.database_id == b->index.database_id &&
	       a->index.object_id == b->index.object_id && a->index.index_id == b->index.index_id &&
	       a->file_id == b->file_id;
}

static size_t known_pages(const struct group_claim *claim)
{
	return claim->page_count < GROUP_PAGES_REMEMBERED ? claim->page_count
							  : GROUP_PAGES_REMEMBERED;
}

bool group_claim_has_page(const struct group_claim *claim, struct page_place place)
{
	const size_t count = known_pages(claim);
	for (size_t i = 0; i < count; i++)
		if (claim->pages[i].page_id == place.page_id &&
		    claim->pages[i].file_id == place.file_id)
			return true;
	return false;
}

bool group_claim_add_page(struct group_claim *claim, struct page_place place)
{
	if (group_claim_has_page(claim, place))
		return false;
	claim->pages[claim->page_count++ % GROUP_PAGES_REMEMBERED] = place;
	return true;
}

static int compare_page(const void *left, const void *right)
{
	const struct group_page *a = left, *b = right;
	if (a->database_id != b->database_id)
		return a->database_id < b->database_id ? -1 : 1;
	if (a->place.file_id != b->place.file_id)
		return a->place.file_id < b->place.file_id ? -1 : 1;
	return (a->place.page_id > b->place.page_id) - (a->place.page_id < b->place.page_id);
}

static struct group_page page_of(const struct waiter *waiter)
{
	return (struct group_page){
		.database_id = waiter->database_id,
		.place = {.file_id = waiter->file_id, .page_id = waiter->page_id},
		.level = -1,
	};
}

struct group_page *group_set_page(const struct group_set *set, const struct waiter *waiter)
{
	const struct group_page wanted = page_of(waiter);
	return bsearch(&wanted, set->pages, set->page_count, sizeof(*set->pages), compare_page);
}

static void list_pages(struct group_set *set, const struct hot_page_window *window,
		       const struct window_range *range)
{
	size_t capacity = 0, count = 0;
	for (size_t i = range->first; i < range->end; i++) {
		const struct observation *observation = &window->observations[i];
		for (size_t j = 0; j < observation->waiter_count; j++) {
			if (observation->waiters[j].role != WAIT_PAGE)
				continue;
			set->pages = array_grow(set->pages, count, &capacity, sizeof(*set->pages));
			set->pages[count++] = page_of(&observation->waiters[j]);
		}
	}
	if (count == 0)
		return;
	qsort(set->pages, count, sizeof(*set->pages), compare_page);
	for (size_t i = 0; i < count; i++)
		if (set->page_count == 0 ||
		    compare_page(&set->pages[set->page_count - 1], &set->pages[i]) != 0)
			set->pages[set->page_count++] = set->pages[i];
}

size_t group_set_place(struct group_set *set, const struct group_key *key)
{
	for (size_t i = 0; i < set->group_count; i++)
		if (group_key_equals(&set->groups[i].key, key))
			return i;
	set->groups = array_grow(set->groups, set->group_count, &set->group_capacity,
				 sizeof(*set->groups));
	set->groups[set->group_count] = (struct page_group){.key = *key, .top_level = -1};
	return set->group_count++;
}

/* Everything that helps to place a page. */
struct placing {
	struct owner_map *owners;
	const struct group_claim *const *claims;
	size_t claim_count;
	int64_t now_utc_ms;
};

static const struct group_key *claimed_key(const struct placing *placing,
					   const struct group_page *page)
{
	for (size_t i = 0; i < placing->claim_count; i++) {
		const struct group_claim *claim = placing->claims[i];
		if (claim->claims_pages && claim->key.index.database_id == page->database_id &&
		    group_claim_has_page(claim, page->place))
			return &claim->key;
	}
	return NULL;
}

static struct group_key unknown_key(const struct group_page *page, enum page_class class)
{
	return (struct group_key){
		.class = class,
		.index.database_id = page->database_id,
		.file_id = class == PAGE_ORDINARY ? page->place.file_id : 0,
	};
}

static void place_known(struct group_set *set, const struct placing *placing,
			struct group_page *page)
{
	const struct known_page *known = page->known;
	const struct group_key key = {.class = PAGE_ORDINARY, .index = known->key};
	page->group = group_set_place(set, &key);
	set->groups[page->group].is_verified = true;
	if (known->page_id != page->place.page_id)
		return;
	struct page_group *group = &set->groups[page->group];
	page->level = known->level;
	group->is_exact = true;
	if (owner_map_is_near_end(placing->owners, known, placing->now_utc_ms))
		group->is_near_end = true;
}

/* Places what the owners know at once; the rest waits for its statement or its hotspot. */
static bool place_page(struct group_set *set, const struct placing *placing,
		       struct group_page *page)
{
	const enum page_class class = class_of(page);
	if (class != PAGE_ORDINARY) {
		const struct group_key key = unknown_key(page, class);
		page->group = group_set_place(set, &key);
		return true;
	}
	page->known = owner_map_extent(placing->owners, page->database_id, page->place.file_id,
				       page->place.page_id, placing->now_utc_ms);
	if (page->known)
		place_known(set, placing, page);
	return page->known != NULL;
}

enum { NOT_PLACED = -1 };

static void place_by_statement(struct group_set *set, const struct placing *placing,
			       struct group_page *page, const struct waiter *waiter)
{
	const struct inherited_owner *inherited =
		owner_map_inherited(placing->owners, waiter->query_hash, page->database_id,
				    page->place.file_id, placing->now_utc_ms);
	if (!inherited)
		return;
	const struct group_key key = {.class = PAGE_ORDINARY, .index = inherited->key};
	page->group = group_set_place(set, &key);
	set->groups[page->group].is_verified = true;
}

static void remember_statement(struct group_set *set, const struct placing *placing,
			       struct group_page *page, const struct waiter *waiter)
{
	(void)set; /* what the callback of a walk gets; this one needs only the page */
	if (!page->known || waiter->query_hash == 0)
		return;
	owner_map_inherit(placing->owners, &(struct inherited_owner){
						   .query_hash = waiter->query_hash,
						   .file_id = page->place.file_id,
						   .key = page->known->key,
						   .learned_utc_ms = page->known->learned_utc_ms,
					   });
}

typedef void page_waiter_fn(struct group_set *set, const struct placing *placing,
			    struct group_page *page, const struct waiter *waiter);

/* Calls each for every waiter on a page that is placed, or on one that is not. */
static void walk_page_waiters(struct group_set *set, const struct hot_page_window *window,
			      const struct window_range *range, const struct placing *placing,
			      bool is_placed, page_waiter_fn *each)
{
	for (size_t i = range->first; i < range->end; i++) {
		const struct observation *observation = &window->observations[i];
		for (size_t j = 0; j < observation->waiter_count; j++) {
			const struct waiter *waiter = &observation->waiters[j];
			if (waiter->role != WAIT_PAGE)
				continue;
			struct group_page *page = group_set_page(set, waiter);
			if ((page->group != (size_t)NOT_PLACED) == is_placed)
				each(set, placing, page, waiter);
		}
	}
}

static void place_pages(struct group_set *set, const struct hot_page_window *window,
			const struct window_range *range, const struct placing *placing)
{
	for (size_t i = 0; i < set->page_count; i++)
		if (!place_page(set, placing, &set->pages[i]))
			set->pages[i].group = (size_t)NOT_PLACED;
	walk_page_waiters(set, window, range, placing, true, remember_statement);
	walk_page_waiters(set, window, range, placing, false, place_by_statement);
	for (size_t i = 0; i < set->page_count; i++) {
		struct group_page *page = &set->pages[i];
		if (page->group != (size_t)NOT_PLACED)
			continue;
		const struct group_key *claimed = claimed_key(placing, page);
		const struct group_key unknown = unknown_key(page, PAGE_ORDINARY);
		page->group = group_set_place(set, claimed ? claimed : &unknown);
	}
}

struct group_set group_set_build(const struct hot_page_window *window,
				 const struct window_range *range, struct owner_map *owners,
				 const struct group_claim *const *claims, size_t claim_count,
				 int32_t min_waiters)
{
	struct group_set set = {.groups = NULL};
	const struct placing placing = {owners, claims, claim_count, range->end_utc_ms};
	for (size_t i = 0; i < claim_count; i++) {
		const size_t group = group_set_place(&set, &claims[i]->key);
		set.groups[group].is_claimed = true;
	}
	list_pages(&set, window, range);
	place_pages(&set, window, range, &placing);
	group_set_count(&set, window, range, claims, claim_count, min_waiters);
	return set;
}

void group_set_done(struct group_set *set)
{
	free(set->groups);
	free(set->pages);
	*set = (struct group_set){.groups = NULL};
}
