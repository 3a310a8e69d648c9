/* SPDX-License-Identifier: Apache-2.0 */
/* The bursts of the last quarter of an hour. One detector owns the list; no clock, no I/O. */
#include "analysis/hot_page_burst.h"

static size_t known_count(const struct burst_list *list)
{
	return list->count < BURSTS_REMEMBERED ? list->count : BURSTS_REMEMBERED;
}

void burst_list_note(struct burst_list *list, const struct group_key *key, int64_t peak_utc_ms,
		     int64_t apart_ms)
{
	for (size_t i = 0; i < known_count(list); i++) {
		struct burst *burst = &list->bursts[i];
		if (!group_key_equals(&burst->key, key) ||
		    peak_utc_ms - burst->peak_utc_ms > apart_ms)
			continue;
		if (peak_utc_ms > burst->peak_utc_ms)
			burst->peak_utc_ms = peak_utc_ms;
		return;
	}
	list->bursts[list->count++ % BURSTS_REMEMBERED] =
		(struct burst){.key = *key, .peak_utc_ms = peak_utc_ms};
}

int burst_list_count(const struct burst_list *list, const struct group_key *key, int64_t now_utc_ms)
{
	int count = 0;
	for (size_t i = 0; i < known_count(list); i++)
		count += group_key_equals(&list->bursts[i].key, key) &&
			 now_utc_ms - list->bursts[i].peak_utc_ms <= BURST_MEMORY_MS;
	return count;
}
