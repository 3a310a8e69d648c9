/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Markers of a range. Jitter or late waits of adjoining intervals are one marker, for on a busy
 * server they go on for hours. Runs in the web threads.
 */
#include "web/marker.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/alloc.h"
#include "storage/query.h"

enum { EVENT_MARKERS_MAX = 1000 };

struct event_walk {
	struct marker_list *list;
	enum family family;
};

static struct marker *add_marker(struct marker_list *list, int64_t t_utc_ms, int64_t end_utc_ms,
				 const char *kind)
{
	list->markers =
		array_grow(list->markers, list->count, &list->capacity, sizeof(*list->markers));
	struct marker *const marker = &list->markers[list->count++];
	*marker = (struct marker){.t_utc_ms = t_utc_ms, .end_utc_ms = end_utc_ms};
	snprintf(marker->kind, sizeof(marker->kind), "%s", kind);
	return marker;
}

static bool is_marker_kind(const char *kind)
{
	static const char *const kinds[] = {"clear", "restart", "failover", "gap"};
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i], kind) == 0)
			return true;
	return false;
}

static bool take_event(void *context, const struct event *event)
{
	const struct event_walk *const walk = context;
	if (!is_marker_kind(event->kind) ||
	    (event->family != NO_FAMILY && event->family != (int)walk->family))
		return true;
	struct marker *const marker =
		add_marker(walk->list, event->begin_utc_ms, event->end_utc_ms, event->kind);
	snprintf(marker->text, sizeof(marker->text), "%s", event->text);
	return true;
}

/* Adds the intervals that have such rows; those that follow each other become one marker. */
static void add_flagged(struct marker_list *list, const struct range *range, const char *kind,
			bool is_late)
{
	struct marker *last = NULL;
	size_t last_interval = 0;
	for (size_t i = 0; i < range->interval_count; i++) {
		const struct range_interval *const interval = &range->intervals[i];
		const int64_t row_count = is_late ? interval->late_count : interval->jitter_count;
		if (row_count == 0)
			continue;
		if (!last || last_interval + 1 != i)
			last = add_marker(list, interval->end_utc_ms - interval->interval_ms,
					  interval->end_utc_ms, kind);
		last->end_utc_ms = interval->end_utc_ms;
		last->row_count += row_count;
		last_interval = i;
		snprintf(last->text, sizeof(last->text),
			 is_late ? "%" PRId64 " rows booked a wait longer than their interval"
				 : "%" PRId64 " rows fell a little and count as 0",
			 last->row_count);
	}
}

static int compare_markers(const void *left, const void *right)
{
	const struct marker *const a = left;
	const struct marker *const b = right;
	if (a->t_utc_ms != b->t_utc_ms)
		return a->t_utc_ms < b->t_utc_ms ? -1 : 1;
	return strcmp(a->kind, b->kind);
}

bool marker_list_read(struct reader *reader, const struct range *range, struct marker_list *list,
		      struct error *err)
{
	struct event_walk walk = {.list = list, .family = range->query.family};
	if (!query_events(reader, range->query.target_id, range->query.range.start_utc_ms,
			  range->query.range.end_utc_ms, EVENT_MARKERS_MAX, take_event, &walk, err))
		return false;
	add_flagged(list, range, "jitter", false);
	add_flagged(list, range, "late", true);
	if (list->count > 1)
		qsort(list->markers, list->count, sizeof(*list->markers), compare_markers);
	return true;
}

void marker_list_done(struct marker_list *list)
{
	free(list->markers);
	*list = (struct marker_list){0};
}

void marker_list_add(struct json *json, const struct marker_list *list)
{
	json_open_array(json);
	for (size_t i = 0; i < list->count; i++) {
		json_open_object(json);
		json_member_int(json, "t", list->markers[i].t_utc_ms);
		json_member_int(json, "t_end", list->markers[i].end_utc_ms);
		json_member_text(json, "kind", list->markers[i].kind);
		json_member_text(json, "text", list->markers[i].text);
		json_close_object(json);
	}
	json_close_array(json);
}
