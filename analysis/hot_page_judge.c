/* SPDX-License-Identifier: Apache-2.0 */
/* Names the kind of a group of waiters, or none: not every crowd is one of ours. Pure. */
#include "analysis/hot_page_judge.h"

enum { MOVING_PAGES = 3, STAYING_PAGES = 2 };

static bool is_insert_contention(const struct page_group *group)
{
	return group->page_waits > 0 && group->top_level <= 0 &&
	       group->mode_waits[LATCH_MODE_EX] * 2 >= group->page_waits &&
	       group->insert_waits * 2 >= group->page_waits;
}

static bool is_sequential(const struct known_index *index)
{
	return index && (index->is_ascending == 1 || index->is_descending == 1);
}

/* Four fifths of the waits are on one page, all the time. A file may have a little noise besides;
 * an index with more pages is more than one page. */
static bool is_staying(const struct page_group *group)
{
	return group->top_page_waits * 5 >= group->page_waits * 4 &&
	       (group->distinct_pages <= STAYING_PAGES || group->key.index.object_id == 0);
}

/* At any moment one page has most of the waits, but not the same one all the time. */
static bool is_moving(const struct page_group *group)
{
	return !is_staying(group) && group->concentrated_waits * 2 >= group->page_waits;
}

static bool has_filled_window(const struct page_group *group, const struct window_range *range)
{
	return group->first_wait_utc_ms <= range->begin_utc_ms + 2 * range->interval_ms;
}

static struct group_verdict verdict(enum hotspot_kind kind, bool is_confirmed)
{
	return (struct group_verdict){true, is_confirmed, kind};
}

static struct group_verdict judge_ordinary(const struct page_group *group,
					   const struct known_index *index,
					   const struct window_range *range)
{
	if (is_insert_contention(group)) {
		if (group->is_near_end)
			return verdict(HOTSPOT_LAST_PAGE_INSERT, true);
		if (is_sequential(index))
			return verdict(HOTSPOT_LAST_PAGE_INSERT,
				       group->distinct_pages >= MOVING_PAGES);
		if (is_moving(group))
			return verdict(HOTSPOT_LAST_PAGE_INSERT, false);
	}
	if (group->page_waits > 0 && is_staying(group) && has_filled_window(group, range))
		return verdict(HOTSPOT_HOT_PAGE, group->is_exact && !is_insert_contention(group));
	return (struct group_verdict){.is_hotspot = false};
}

struct group_verdict group_judge(const struct page_group *group, const struct known_index *index,
				 const struct window_range *range)
{
	switch ((int)group->key.class) {
	case PAGE_ORDINARY:
		return judge_ordinary(group, index, range);
	case PAGE_PFS:
		return verdict(HOTSPOT_ALLOCATION_PFS, true);
	case PAGE_GAM:
		return verdict(HOTSPOT_ALLOCATION_GAM, true);
	case PAGE_SGAM:
		return verdict(HOTSPOT_ALLOCATION_SGAM, true);
	default:
		return verdict(HOTSPOT_ALLOCATION_OTHER, true);
	}
}
