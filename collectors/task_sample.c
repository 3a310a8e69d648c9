/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gathers tasks. The waiting rows come first, so a request only completes what is there or stands
 * for a session that does not wait. Runs in the thread that polls; knows no I/O. Look-ups are
 * linear: a busy server has hundreds of tasks, and TASKS_MAX bounds the worst.
 */
#include "collectors/task_sample.h"

#include <stdlib.h>
#include <string.h>

#include "collectors/wait_type.h"
#include "daemon/base/alloc.h"

struct task_sample *task_sample_new(struct instant taken, int32_t scheduler_count)
{
	struct task_sample *sample = xcalloc(1, sizeof(*sample));
	sample->taken = taken;
	sample->scheduler_count = scheduler_count;
	return sample;
}

void task_sample_free(struct task_sample *sample)
{
	if (!sample)
		return;
	free(sample->tasks);
	free(sample);
}

struct task_sample *task_sample_copy(const struct task_sample *sample)
{
	struct task_sample *copy = xcalloc(1, sizeof(*copy));
	*copy = *sample;
	copy->task_capacity = sample->task_count;
	copy->tasks = xcalloc(sample->task_count + 1, sizeof(*copy->tasks));
	if (sample->task_count > 0)
		memcpy(copy->tasks, sample->tasks, sample->task_count * sizeof(*copy->tasks));
	return copy;
}

static struct task *find_by_address(struct task_sample *sample, uint64_t address)
{
	if (address == 0)
		return NULL;
	for (size_t i = 0; i < sample->task_count; i++)
		if (sample->tasks[i].address == address)
			return &sample->tasks[i];
	return NULL;
}

static void append(struct task_sample *sample, const struct task *task)
{
	if (sample->task_count >= TASKS_MAX) {
		sample->is_truncated = true;
		return;
	}
	sample->tasks = array_grow(sample->tasks, sample->task_count, &sample->task_capacity,
				   sizeof(*sample->tasks));
	sample->tasks[sample->task_count++] = *task;
}

/* How much a resource tells: a page or latch class names the hot spot, a text that was not
 * understood names nothing. */
static int worth(const struct page_address *resource)
{
	switch (resource->kind) {
	case RESOURCE_NONE:
		return 0;
	case RESOURCE_INVALID:
	case RESOURCE_UNKNOWN:
		return 1;
	case RESOURCE_PAGE:
	case RESOURCE_LATCH_CLASS:
		return 3;
	case RESOURCE_PAGE_LOCK:
	case RESOURCE_KEY_LOCK:
	case RESOURCE_ROW_LOCK:
	case RESOURCE_OBJECT_LOCK:
	case RESOURCE_COMPILE_LOCK:
	case RESOURCE_DATABASE_LOCK:
	case RESOURCE_FILE_LOCK:
	case RESOURCE_EXTENT_LOCK:
	case RESOURCE_HOBT_LOCK:
	case RESOURCE_ALLOCATION_UNIT_LOCK:
	case RESOURCE_APPLICATION_LOCK:
	case RESOURCE_METADATA_LOCK:
	case RESOURCE_XACT_LOCK:
	case RESOURCE_EXCHANGE:
	case RESOURCE_THREADPOOL:
	case RESOURCE_EXTERNAL:
	case RESOURCE_GUID:
	case RESOURCE_LINKED_SERVER:
	case RESOURCE_GENERIC:
		break;
	}
	return 2;
}

static void improve_resource(struct task *task, const struct task *other)
{
	if (worth(&other->resource) <= worth(&task->resource))
		return;
	task->resource = other->resource;
	memcpy(task->resource_text, other->resource_text, sizeof(task->resource_text));
}

void task_sample_add_waiting(struct task_sample *sample, const struct task *task)
{
	sample->invalid_resource_count += task->resource.kind == RESOURCE_INVALID;
	struct task *known = find_by_address(sample, task->address);
	if (!known) {
		append(sample, task);
		return;
	}
	improve_resource(known, task);
	if (known->blocking_session_id == 0)
		known->blocking_session_id = task->blocking_session_id;
}

/* What holds for every task of a request. */
static void complete_from_request(struct task *task, const struct task *request)
{
	if (task->database_id == 0)
		task->database_id = request->database_id;
	if (task->query_hash == 0)
		task->query_hash = request->query_hash;
	task->is_insert = task->is_insert || request->is_insert;
}

/* What holds for the task that the request itself runs on. A request that has gone on to another
 * wait meanwhile has another resource. */
static void complete_own_task(struct task *task, const struct task *request)
{
	complete_from_request(task, request);
	if (task->scheduler_id < 0)
		task->scheduler_id = request->scheduler_id;
	if (strcmp(task->wait_type, request->wait_type) == 0)
		improve_resource(task, request);
}

/* The workers of a parallel request wait at addresses of their own; false when the session has no
 * task here. */
static bool complete_session(struct task_sample *sample, const struct task *request)
{
	bool is_there = false;
	for (size_t i = 0; i < sample->task_count; i++) {
		struct task *task = &sample->tasks[i];
		if (task->session_id != request->session_id)
			continue;
		is_there = true;
		if (task->query_hash == 0)
			complete_from_request(task, request);
	}
	return is_there;
}

void task_sample_add_request(struct task_sample *sample, const struct task *request)
{
	sample->invalid_resource_count += request->resource.kind == RESOURCE_INVALID;
	struct task *own = find_by_address(sample, request->address);
	if (own)
		complete_own_task(own, request);
	if (!complete_session(sample, request) && !own)
		append(sample, request);
}

bool task_is_of_interest(const struct task *task)
{
	static const char *const prefixes[] = {"PAGELATCH_", "PAGEIOLATCH_", "LATCH_"};
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (strncmp(task->wait_type, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return strcmp(task->wait_type, "BTREE_INSERT_FLOW_CONTROL") == 0;
}

const struct task *task_sample_longest(const struct task_sample *sample)
{
	const struct task *longest = NULL;
	for (size_t i = 0; i < sample->task_count; i++) {
		const struct task *task = &sample->tasks[i];
		if (task->wait_type[0] != '\0' && !wait_type_is_benign(task->wait_type) &&
		    (!longest || task->wait_ms > longest->wait_ms))
			longest = task;
	}
	return longest;
}

bool task_sample_is_of_interest(const struct task_sample *sample)
{
	for (size_t i = 0; i < sample->task_count; i++)
		if (task_is_of_interest(&sample->tasks[i]))
			return true;
	return false;
}
