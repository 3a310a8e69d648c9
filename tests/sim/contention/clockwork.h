/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The events that are to come, earliest first; of the same moment in the order they were added.
 * One thread at a time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct worker;

enum event_kind {
	EVENT_COMPUTED, /* the worker has used the processor time it asked for */
	EVENT_DISPATCH, /* the scheduler takes its next worker */
	EVENT_WOKEN,	/* the worker's read or pause is over */
	EVENT_LOG,	/* a write of the log has ended */
	EVENT_DISK,	/* a read has ended */
};

struct event {
	int64_t due_ns;
	uint64_t serial; /* set by clockwork_add */
	enum event_kind kind;
	int32_t scheduler;
	struct worker *worker;
};

struct clockwork {
	struct event *items; /* a binary heap */
	size_t count;
	size_t capacity;
	uint64_t serial;
};

void clockwork_add(struct clockwork *clockwork, struct event event);

/* When the earliest is due; INT64_MAX when there is none. Pure. */
int64_t clockwork_due_ns(const struct clockwork *clockwork);

/* Removes the earliest; there must be one. */
struct event clockwork_take(struct clockwork *clockwork);

void clockwork_done(struct clockwork *clockwork);
