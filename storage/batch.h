/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A batch: everything that one step of one thread wants written, in one transaction. Built by its
 * producer, then owned by the queue and the writer.
 */
#pragma once

#include <stddef.h>

#include "collectors/delta.h"
#include "collectors/task_sample.h"
#include "storage/record.h"

struct batch {
	int64_t target_id;		    /* of deltas, baselines, tasks and owners */
	struct delta *deltas[FAMILY_COUNT]; /* owned; NULL where there is none */
	/*
	 * The delta covers time that is covered in the store already: the UTC clock was set back.
	 * What is there gives way.
	 */
	bool is_dated_back[FAMILY_COUNT];
	struct baseline
		*baselines[FAMILY_COUNT]; /* owned copies of what the next delta is taken against */
	struct task_sample *tasks;	  /* owned; only samples of interest are kept as frames */
	struct event *events;
	size_t event_count, event_capacity;
	struct page_owner *owners;
	size_t owner_count, owner_capacity;
	struct hotspot *hotspots; /* id 0 inserts, else updates; the ids come back in the watcher's
				     next read */
	size_t hotspot_count, hotspot_capacity;
	struct alert *alerts;
	size_t alert_count, alert_capacity;
	struct outbox_row *outbox; /* id 0 inserts; else updates attempt and due */
	size_t outbox_count, outbox_capacity;
	int64_t *outbox_delivered; /* ids to delete */
	size_t delivered_count, delivered_capacity;
};

/* Makes an empty batch. Owns: the caller frees or hands it on. Threads: any. */
struct batch *batch_new(int64_t target_id);

/* Frees a batch with all it holds; NULL is fine. Owns: batch. Threads: the owner. */
void batch_free(struct batch *batch);
DEFINE_CLEANUP(struct batch *, batch_free);

/* Adds a copy of one row. Owns: copies; batch_add_outbox takes row->body. Threads: the owner. */
void batch_add_event(struct batch *batch, const struct event *event);
void batch_add_owner(struct batch *batch, const struct page_owner *owner);
void batch_add_hotspot(struct batch *batch, const struct hotspot *hotspot);
void batch_add_alert(struct batch *batch, const struct alert *alert);
void batch_add_outbox(struct batch *batch, struct outbox_row *row);
void batch_add_delivered(struct batch *batch, int64_t outbox_id);
