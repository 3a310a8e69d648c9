/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counting: by distinct task for the rate, by distinct session for the judgement. A flow-control
 * waiter names no page: it goes to the group whose page waiters run its statement in its database,
 * else to the hotspot that knows the statement, else to nobody. No clock, no I/O.
 */
#include "analysis/hot_page_count.h"

struct counting {
	struct group_set *set;
	const struct group_claim *const *claims;
	size_t claim_count;
	int32_t min_waiters;
};

static struct statement_count *statement_of(struct page_group *group, uint64_t query_hash)
{
	for (size_t i = 0; i < group->statement_count; i++)
		if (group->statements[i].query_hash == query_hash)
			return &group->statements[i];
	if (query_hash == 0 || group->statement_count == GROUP_STATEMENTS_MAX)
		return NULL;
	struct statement_count *statement = &group->statements[group->statement_count++];
	*statement = (struct statement_count){.query_hash = query_hash};
	return statement;
}

static void count_statements(struct group_set *set, const struct observation *observation)
{
	for (size_t i = 0; i < observation->waiter_count; i++) {
		const struct waiter *waiter = &observation->waiters[i];
		if (waiter->role != WAIT_PAGE)
			continue;
		struct page_group *group = &set->groups[group_set_page(set, waiter)->group];
		struct statement_count *statement = statement_of(group, waiter->query_hash);
		if (statement)
			statement->page_waits++;
	}
}

static bool claim_knows(const struct group_claim *claim, const struct waiter *waiter)
{
	if (claim->key.index.database_id != waiter->database_id || waiter->query_hash == 0)
		return false;
	for (size_t i = 0; i < claim->statement_count; i++)
		if (claim->statements[i] == waiter->query_hash)
			return true;
	return false;
}

/* Page waits of a waiter's statement in a group; 0 when it does not run there. */
static int64_t affinity(const struct page_group *group, const struct waiter *waiter)
{
	if (group->key.class != PAGE_ORDINARY ||
	    group->key.index.database_id != waiter->database_id)
		return 0;
	for (size_t i = 0; i < group->statement_count; i++)
		if (group->statements[i].query_hash == waiter->query_hash)
			return group->statements[i].page_waits;
	return 0;
}

static struct page_group *group_of_flow(const struct counting *counting,
					const struct waiter *waiter)
{
	struct page_group *best = NULL;
	int64_t most = 0;
	for (size_t i = 0; i < counting->set->group_count; i++) {
		const int64_t waits = affinity(&counting->set->groups[i], waiter);
		if (waits <= most)
			continue;
		most = waits;
		best = &counting->set->groups[i];
	}
	for (size_t i = 0; !best && i < counting->claim_count; i++)
		if (counting->claims[i]->key.class == PAGE_ORDINARY &&
		    claim_knows(counting->claims[i], waiter))
			best = &counting->set->groups[group_set_place(counting->set,
								      &counting->claims[i]->key)];
	return best;
}

/* Waiters come by session, so that a session counts when it differs from the last one. */
static void count_session(struct page_group *group, const struct waiter *waiter)
{
	if (group->sample_sessions == 0 || group->last_session != waiter->session_id)
		group->sample_sessions++;
	group->last_session = waiter->session_id;
	if (waiter->role != WAIT_PAGE)
		return;
	if (group->sample_page_sessions == 0 || group->last_page_session != waiter->session_id)
		group->sample_page_sessions++;
	group->last_page_session = waiter->session_id;
}

static void count_page_waiter(struct page_group *group, struct group_page *page,
			      const struct waiter *waiter)
{
	group->page_waits++;
	group->sample_page_waits++;
	group->mode_waits[waiter->mode]++;
	group->insert_waits += waiter->is_insert;
	page->waits++;
	page->sample_waits++;
	if (page->sample_waits > group->sample_top_waits) {
		group->sample_top_waits = page->sample_waits;
		group->last_page = page->place;
	}
	count_session(group, waiter);
}

static void count_flow_waiter(const struct counting *counting, const struct waiter *waiter)
{
	struct page_group *group = group_of_flow(counting, waiter);
	if (!group)
		return;
	group->flow_waits++;
	group->sample_flow_waits++;
	struct statement_count *statement = statement_of(group, waiter->query_hash);
	if (statement)
		statement->flow_waits++;
	count_session(group, waiter);
}

static void end_sample(struct page_group *group, const struct counting *counting,
		       const struct observation *observation)
{
	if (group->sample_page_waits && group->first_wait_utc_ms == 0)
		group->first_wait_utc_ms = observation->taken_utc_ms;
	const bool is_page_hit = group->sample_page_sessions >= counting->min_waiters;
	group->page_hit_count += is_page_hit;
	if (is_page_hit || (group->is_claimed && group->sample_sessions >= counting->min_waiters)) {
		group->hit_count++;
		group->last_hit_utc_ms = observation->taken_utc_ms;
	}
	group->concentrated_waits += group->sample_top_waits;
	if (group->sample_page_waits > group->max_page_waits)
		group->max_page_waits = group->sample_page_waits;
	if (group->sample_flow_waits > group->max_flow_waits)
		group->max_flow_waits = group->sample_flow_waits;
	if (group->sample_page_sessions >= GROUP_PEAK_SESSIONS)
		group->last_peak_utc_ms = observation->taken_utc_ms;
	group->sample_page_waits = group->sample_flow_waits = group->sample_top_waits = 0;
	group->sample_sessions = group->sample_page_sessions = 0;
}

static void count_sample(const struct counting *counting, const struct observation *observation)
{
	struct group_set *set = counting->set;
	for (size_t i = 0; i < set->page_count; i++)
		set->pages[i].sample_waits = 0;
	for (size_t i = 0; i < observation->waiter_count; i++) {
		const struct waiter *waiter = &observation->waiters[i];
		if (waiter->role == WAIT_FLOW)
			count_flow_waiter(counting, waiter);
		if (waiter->role != WAIT_PAGE)
			continue;
		struct group_page *page = group_set_page(set, waiter);
		count_page_waiter(&set->groups[page->group], page, waiter);
	}
	for (size_t i = 0; i < set->group_count; i++)
		end_sample(&set->groups[i], counting, observation);
}

static void count_pages(struct group_set *set)
{
	for (size_t i = 0; i < set->page_count; i++) {
		const struct group_page *page = &set->pages[i];
		struct page_group *group = &set->groups[page->group];
		group->distinct_pages++;
		if (page->waits <= group->top_page_waits)
			continue;
		group->top_page_waits = page->waits;
		group->top_level = page->level;
	}
}

void group_set_count(struct group_set *set, const struct hot_page_window *window,
		     const struct window_range *range, const struct group_claim *const *claims,
		     size_t claim_count, int32_t min_waiters)
{
	const struct counting counting = {set, claims, claim_count, min_waiters};
	for (size_t i = range->first; i < range->end; i++)
		count_statements(set, &window->observations[i]);
	for (size_t i = range->first; i < range->end; i++)
		count_sample(&counting, &window->observations[i]);
	count_pages(set);
}
