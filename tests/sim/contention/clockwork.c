/* SPDX-License-Identifier: Apache-2.0 */
/* A binary heap of events. One thread at a time; knows nothing of what they mean. */
#include "tests/sim/contention/clockwork.h"

#include "tests/sim/text.h"

#include <assert.h>
#include <stdlib.h>

static bool is_earlier(const struct event *one, const struct event *other)
{
	if (one->due_ns != other->due_ns)
		return one->due_ns < other->due_ns;
	return one->serial < other->serial;
}

void clockwork_add(struct clockwork *clockwork, struct event event)
{
	if (clockwork->count == clockwork->capacity) {
		clockwork->capacity = clockwork->capacity == 0 ? 128 : clockwork->capacity * 2;
		clockwork->items = memory_grow(clockwork->items, clockwork->capacity,
					       sizeof(*clockwork->items));
	}
	size_t at = clockwork->count++;
	event.serial = clockwork->serial++;
	while (at > 0 && is_earlier(&event, &clockwork->items[(at - 1) / 2])) {
		clockwork->items[at] = clockwork->items[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	clockwork->items[at] = event;
}

int64_t clockwork_due_ns(const struct clockwork *clockwork)
{
	return clockwork->count == 0 ? INT64_MAX : clockwork->items[0].due_ns;
}

struct event clockwork_take(struct clockwork *clockwork)
{
	assert(clockwork->count > 0);
	struct event *items = clockwork->items;
	struct event first = items[0];
	struct event last = items[--clockwork->count];
	size_t at = 0;

	for (;;) {
		size_t child = 2 * at + 1;
		if (child >= clockwork->count)
			break;
		if (child + 1 < clockwork->count && is_earlier(&items[child + 1], &items[child]))
			child++;
		if (!is_earlier(&items[child], &last))
			break;
		items[at] = items[child];
		at = child;
	}
	items[at] = last;
	return first;
}

void clockwork_done(struct clockwork *clockwork)
{
	free(clockwork->items);
	*clockwork = (struct clockwork){0};
}
