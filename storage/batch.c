/* SPDX-License-Identifier: Apache-2.0 */
/* A batch and its lists. Runs in the thread that owns it. */
#include "storage/batch.h"

#include <stdlib.h>

#include "daemon/base/alloc.h"

struct batch *batch_new(int64_t target_id)
{
	struct batch *batch = xcalloc(1, sizeof(*batch));
	batch->target_id = target_id;
	return batch;
}

void batch_free(struct batch *batch)
{
	if (!batch)
		return;
	for (int family = 0; family < FAMILY_COUNT; family++) {
		delta_free(batch->deltas[family]);
		baseline_free(batch->baselines[family]);
	}
	task_sample_free(batch->tasks);
	for (size_t i = 0; i < batch->outbox_count; i++)
		free(batch->outbox[i].body);
	free(batch->events);
	free(batch->owners);
	free(batch->hotspots);
	free(batch->alerts);
	free(batch->outbox);
	free(batch->outbox_delivered);
	free(batch);
}

void batch_add_event(struct batch *batch, const struct event *event)
{
	batch->events = array_grow(batch->events, batch->event_count, &batch->event_capacity,
				   sizeof(*batch->events));
	batch->events[batch->event_count++] = *event;
}

void batch_add_owner(struct batch *batch, const struct page_owner *owner)
{
	batch->owners = array_grow(batch->owners, batch->owner_count, &batch->owner_capacity,
				   sizeof(*batch->owners));
	batch->owners[batch->owner_count++] = *owner;
}

void batch_add_hotspot(struct batch *batch, const struct hotspot *hotspot)
{
	batch->hotspots = array_grow(batch->hotspots, batch->hotspot_count,
				     &batch->hotspot_capacity, sizeof(*batch->hotspots));
	batch->hotspots[batch->hotspot_count++] = *hotspot;
}

void batch_add_alert(struct batch *batch, const struct alert *alert)
{
	batch->alerts = array_grow(batch->alerts, batch->alert_count, &batch->alert_capacity,
				   sizeof(*batch->alerts));
	batch->alerts[batch->alert_count++] = *alert;
}

void batch_add_outbox(struct batch *batch, struct outbox_row *row)
{
	batch->outbox = array_grow(batch->outbox, batch->outbox_count, &batch->outbox_capacity,
				   sizeof(*batch->outbox));
	batch->outbox[batch->outbox_count++] = *row;
	row->body = NULL;
}

void batch_add_delivered(struct batch *batch, int64_t outbox_id)
{
	batch->outbox_delivered =
		array_grow(batch->outbox_delivered, batch->delivered_count,
			   &batch->delivered_capacity, sizeof(*batch->outbox_delivered));
	batch->outbox_delivered[batch->delivered_count++] = outbox_id;
}
