/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts the waiters of a window into its groups, sample by sample. Part of hot_page_group, split
 * for length; no clock, no I/O.
 */
#pragma once

#include "analysis/hot_page_group.h"

/* The page a waiter waits for; it is in the set when the waiter is in the window. Pure. */
struct group_page *group_set_page(const struct group_set *set, const struct waiter *waiter);

/* The place of the group with that key, made when there is none. Threads: the owner. */
size_t group_set_place(struct group_set *set, const struct group_key *key);

/* Fills the counts of groups whose pages are placed. Threads: the owner. */
void group_set_count(struct group_set *set, const struct hot_page_window *window,
		     const struct window_range *range, const struct group_claim *const *claims,
		     size_t claim_count, int32_t min_waiters);
