/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The questions that can be put to the store. Each is one .sql file, prepared once per reader, and
 * hands its rows to a callback; nothing is kept. Threads: the borrower of the reader.
 */
#pragma once

#include "collectors/delta.h"
#include "collectors/task_sample.h"
#include "storage/reader.h"
#include "storage/record.h"
#include "storage/stored_delta.h"

/* Return false to end the walk early; that is no error. */
typedef bool query_delta_fn(void *context, const struct stored_delta *delta);
typedef bool query_event_fn(void *context, const struct event *event);
typedef bool query_hotspot_fn(void *context, const struct hotspot *hotspot);
typedef bool query_alert_fn(void *context, const struct alert *alert);
typedef bool query_owner_fn(void *context, const struct page_owner *owner);
typedef bool query_tasks_fn(void *context, int64_t commit_id, const struct task_sample *sample);
typedef bool query_outbox_fn(void *context, const struct outbox_row *row);

/*
 * Walks the deltas of one view whose covered time [end - interval, end] touches (start, end], by
 * time. Baselines (nothing covered) come along when their end is in the range.
 *
 * Errors:  ERROR_IO, ERROR_CORRUPT (a frame whose checksum is wrong is skipped and counted, and
 * named by *damaged_count; the walk goes on).
 */
MUST_CHECK bool query_deltas(struct reader *reader, int64_t target_id, enum family family,
			     int64_t start_utc_ms, int64_t end_utc_ms, query_delta_fn *each,
			     void *context, int64_t *damaged_count, struct error *err);

/*
 * Plans which resolutions answer a range of one view.
 *
 * Units:   UTC ms; step_ms is the width of a bucket, 0 for totals.
 * Errors:  ERROR_IO.
 */
MUST_CHECK bool query_plan(struct reader *reader, int64_t target_id, enum family family,
			   int64_t start_utc_ms, int64_t end_utc_ms, int64_t step_ms,
			   struct resolution_plan *plan, struct error *err);

/* Like query_deltas, from the resolutions of a plan, piece by piece. A frame that reaches over the
 * edge of a piece comes with that piece as its window. */
MUST_CHECK bool query_range(struct reader *reader, int64_t target_id, enum family family,
			    const struct resolution_plan *plan, query_delta_fn *each, void *context,
			    int64_t *damaged_count, struct error *err);

/* Walks the deltas of one view with commit_id > after_commit that ended after since_utc_ms, in
 * commit order. */
MUST_CHECK bool query_deltas_after_commit(struct reader *reader, int64_t target_id,
					  enum family family, int64_t since_utc_ms,
					  int64_t after_commit, query_delta_fn *each, void *context,
					  struct error *err);

/* End of the last stored delta of a view; 0 when there is none. */
MUST_CHECK bool query_last_end(struct reader *reader, int64_t target_id, enum family family,
			       int64_t *end_utc_ms, struct error *err);

/* Walks the events that overlap the range, newest first, at most limit. */
MUST_CHECK bool query_events(struct reader *reader, int64_t target_id, int64_t start_utc_ms,
			     int64_t end_utc_ms, int64_t limit, query_event_fn *each, void *context,
			     struct error *err);

/* Walks the hotspots of a target whose [first_seen, last_seen] overlaps the range, newest first. */
MUST_CHECK bool query_hotspots(struct reader *reader, int64_t target_id, int64_t start_utc_ms,
			       int64_t end_utc_ms, query_hotspot_fn *each, void *context,
			       struct error *err);

/* Walks the states of all alerts. */
MUST_CHECK bool query_alerts(struct reader *reader, query_alert_fn *each, void *context,
			     struct error *err);

/* Walks kept task samples of a target with commit_id > after_commit taken after since_utc_ms, in
 * commit order. */
MUST_CHECK bool query_tasks_after_commit(struct reader *reader, int64_t target_id,
					 int64_t since_utc_ms, int64_t after_commit,
					 query_tasks_fn *each, void *context, struct error *err);

/* Walks the page owners of a target looked up after since_utc_ms. */
MUST_CHECK bool query_owners(struct reader *reader, int64_t target_id, int64_t since_utc_ms,
			     query_owner_fn *each, void *context, struct error *err);

/* Walks the outbox rows of a notifier that are due, oldest first. */
MUST_CHECK bool query_outbox(struct reader *reader, const char *notifier, int64_t due_utc_ms,
			     query_outbox_fn *each, void *context, struct error *err);
