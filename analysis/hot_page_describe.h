/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes what a group shows into its hotspot: names, figures, statements, evidence. Part of
 * hot_page; no clock, no I/O.
 */
#pragma once

#include "analysis/hot_page_group.h"
#include "storage/record.h"

/* Everything that can be said of one group. */
struct group_view {
	const struct hot_page_window *window;
	const struct window_range *range;
	const struct owner_map *owners;
	const struct page_group *group;
	const struct known_index *index; /* NULL not known */
};

/* Names the database and, where it is known, the index. Pure but for *hotspot. */
void hot_page_describe_names(struct hotspot *hotspot, const struct group_view *view);

/* Fills the figures over the window and the lines of evidence. Pure but for *hotspot. */
void hot_page_describe_figures(struct hotspot *hotspot, const struct group_view *view);
