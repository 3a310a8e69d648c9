/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a group of waiters is: the kinds of hotspots, by what Microsoft documents of page latches
 * and allocation pages. Part of hot_page. Pure.
 */
#pragma once

#include "analysis/hot_page_group.h"
#include "storage/record.h"

struct group_verdict {
	bool is_hotspot;
	bool is_confirmed;
	enum hotspot_kind kind;
};

/* Judges the counts of one group; index is NULL where it is not known. Pure. */
struct group_verdict group_judge(const struct page_group *group, const struct known_index *index,
				 const struct window_range *range);
