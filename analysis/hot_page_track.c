/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The life of a hotspot: it begins when a group is hot and has a kind, goes on while samples show
 * it, takes its index's name when that becomes known. One detector owns it; no clock, no I/O.
 */
#include "analysis/hot_page_track.h"

#include "analysis/hot_page_judge.h"
#include "daemon/base/alloc.h"

struct tracked *hot_page_track(struct hot_page *detector)
{
	detector->tracked = array_grow(detector->tracked, detector->tracked_count,
				       &detector->tracked_capacity, sizeof(void *));
	struct tracked *tracked = xcalloc(1, sizeof(*tracked));
	detector->tracked[detector->tracked_count++] = tracked;
	return tracked;
}

static struct tracked *find_active(const struct hot_page *detector, const struct group_key *key)
{
	for (size_t i = 0; i < detector->tracked_count; i++) {
		struct tracked *tracked = detector->tracked[i];
		if (tracked->hotspot.is_active && group_key_equals(&tracked->claim.key, key))
			return tracked;
	}
	return NULL;
}

void tracked_claim_statements(struct tracked *tracked)
{
	tracked->claim.statement_count = 0;
	for (int i = 0; i < tracked->hotspot.statement_count; i++)
		tracked->claim.statements[tracked->claim.statement_count++] =
			tracked->hotspot.statements[i].query_hash;
}

enum page_class tracked_class_of_kind(enum hotspot_kind kind)
{
	switch (kind) {
	case HOTSPOT_ALLOCATION_PFS:
		return PAGE_PFS;
	case HOTSPOT_ALLOCATION_GAM:
		return PAGE_GAM;
	case HOTSPOT_ALLOCATION_SGAM:
		return PAGE_SGAM;
	case HOTSPOT_ALLOCATION_OTHER:
		return PAGE_FILE_HEADER;
	case HOTSPOT_LAST_PAGE_INSERT:
	case HOTSPOT_HOT_PAGE:
	case HOTSPOT_TREE_ROOT:
	case HOTSPOT_TEMPDB_METADATA:
		break;
	}
	return PAGE_ORDINARY;
}

void tracked_end(struct tracked *tracked)
{
	tracked->hotspot.is_active = false;
	tracked->has_changed = true;
}

/* The group that most of the waits on the claimed pages belong to by now. */
static const struct page_group *new_home(const struct group_set *set,
					 const struct group_claim *claim)
{
	const struct page_group *best = NULL;
	int64_t most = 0;
	for (size_t i = 0; i < set->group_count; i++) {
		int64_t waits = 0;
		for (size_t j = 0; j < set->page_count; j++)
			if (set->pages[j].group == i &&
			    set->pages[j].database_id == claim->key.index.database_id &&
			    group_claim_has_page(claim, set->pages[j].place))
				waits += set->pages[j].waits;
		if (waits <= most)
			continue;
		most = waits;
		best = &set->groups[i];
	}
	return best;
}

/* Late naming: the hotspot keeps its identity; where the index has one already, the two are one. */
void hot_page_name_late(struct hot_page *detector, const struct group_set *set)
{
	for (size_t i = 0; i < detector->tracked_count; i++) {
		struct tracked *tracked = detector->tracked[i];
		const struct group_key *key = &tracked->claim.key;
		if (!tracked->hotspot.is_active || key->class != PAGE_ORDINARY ||
		    key->index.object_id != 0)
			continue;
		const struct page_group *home = new_home(set, &tracked->claim);
		if (!home || home->key.index.object_id == 0)
			continue;
		if (find_active(detector, &home->key)) {
			tracked_end(tracked);
			continue;
		}
		tracked->claim.key = home->key;
		tracked->hotspot.is_confirmed = false; /* judged anew, now that it has a name */
		tracked->has_changed = true;
	}
}

static void count_pages(struct tracked *tracked, const struct group_set *set, size_t group)
{
	for (size_t i = 0; i < set->page_count; i++)
		if (set->pages[i].group == group)
			tracked->hotspot.pages_seen +=
				group_claim_add_page(&tracked->claim, set->pages[i].place);
}

static bool is_hot(const struct hot_page *detector, const struct page_group *group,
		   int32_t hit_count, int64_t now_utc_ms)
{
	return hit_count >= detector->options.hits ||
	       (group->last_peak_utc_ms != 0 &&
		burst_list_count(&detector->bursts, &group->key, now_utc_ms) >= BURSTS_NEEDED);
}

/* A kind that was only probable may turn out to be another one; what is confirmed stays. */
static void apply_verdict(struct hotspot *hotspot, const struct group_verdict *verdict)
{
	if (!verdict->is_hotspot)
		return;
	if (verdict->kind != hotspot->kind && !hotspot->is_confirmed) {
		hotspot->kind = verdict->kind;
		hotspot->is_confirmed = verdict->is_confirmed;
	}
	hotspot->is_confirmed |= verdict->kind == hotspot->kind && verdict->is_confirmed;
}

static void go_on(struct hot_page *detector, struct tracked *tracked, const struct group_set *set,
		  const struct group_view *view)
{
	const struct page_group *group = view->group;
	hot_page_describe_names(&tracked->hotspot, view);
	count_pages(tracked, set, (size_t)(group - set->groups));
	if (group->is_verified)
		tracked->verified_utc_ms = view->range->end_utc_ms;
	if (group->last_hit_utc_ms > tracked->hotspot.last_seen_utc_ms) {
		tracked->hotspot.last_seen_utc_ms = group->last_hit_utc_ms;
		tracked->has_changed = true;
	}
	if (group->last_hit_utc_ms > tracked->alive_utc_ms)
		tracked->alive_utc_ms = group->last_hit_utc_ms;
	if (!is_hot(detector, group, group->hit_count, view->range->end_utc_ms))
		return;
	const struct group_verdict verdict = group_judge(group, view->index, view->range);
	apply_verdict(&tracked->hotspot, &verdict);
	hot_page_describe_figures(&tracked->hotspot, view);
	tracked_claim_statements(tracked);
	tracked->has_changed = true;
}

static void begin(struct hot_page *detector, const struct group_set *set,
		  const struct group_view *view, const struct group_verdict *verdict)
{
	struct tracked *tracked = hot_page_track(detector);
	tracked->claim.key = view->group->key;
	tracked->verified_utc_ms = view->range->end_utc_ms;
	tracked->hotspot = (struct hotspot){
		.target_id = detector->target_id,
		.kind = verdict->kind,
		.is_active = true,
		.is_confirmed = verdict->is_confirmed,
		.first_seen_utc_ms = view->group->first_wait_utc_ms,
		.optimize_for_sequential_key = -1,
		.inserters = -1,
	};
	go_on(detector, tracked, set, view);
}

void hot_page_judge_group(struct hot_page *detector, const struct group_set *set,
			  const struct group_view *view)
{
	const struct page_group *group = view->group;
	if (group->last_peak_utc_ms != 0)
		burst_list_note(&detector->bursts, &group->key, group->last_peak_utc_ms,
				detector->options.window_ms);
	struct tracked *tracked = find_active(detector, &group->key);
	if (tracked) {
		go_on(detector, tracked, set, view);
		return;
	}
	if (!is_hot(detector, group, group->page_hit_count, view->range->end_utc_ms))
		return;
	const struct group_verdict verdict = group_judge(group, view->index, view->range);
	if (verdict.is_hotspot)
		begin(detector, set, view, &verdict);
}
