/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who waits for what at this instant: the last task sample, grouped by wait and resource. From
 * storage/live alone. Runs in the web threads.
 *
 * These are waits that last. The server books a wait when it ends, so that nothing of this is in
 * the series yet, and none of it may be added to them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/wait_type.h"
#include "daemon/base/alloc.h"
#include "storage/live.h"
#include "web/answer.h"
#include "web/api.h"

/* Blockers further up than this are not followed: a chain may be a ring for a moment. */
enum { CHAIN_MAX = 64 };

/* Tasks that wait with one wait type for one resource. */
struct group {
	const struct task *longest;
	size_t waiter_count; /* tasks */
	size_t session_count;
};

static int compare_numbers(int64_t left, int64_t right)
{
	return left < right ? -1 : left > right;
}

/* A page is one resource however its text goes on; any other is what its text says. */
static int compare_resources(const struct task *left, const struct task *right)
{
	const struct page_address *const a = &left->resource;
	const struct page_address *const b = &right->resource;
	if (a->kind != b->kind)
		return compare_numbers(a->kind, b->kind);
	if (a->kind != RESOURCE_PAGE)
		return strcmp(left->resource_text, right->resource_text);
	const int by_database = compare_numbers(a->database_id, b->database_id);
	const int by_file = compare_numbers(a->file_id, b->file_id);
	return by_database ? by_database
	       : by_file   ? by_file
			   : compare_numbers(a->page_id, b->page_id);
}

static int compare_group_of(const struct task *left, const struct task *right)
{
	const int by_type = strcmp(left->wait_type, right->wait_type);
	return by_type ? by_type : compare_resources(left, right);
}

/* The tasks of a group side by side, those of a session too. */
static int compare_tasks(const void *left, const void *right)
{
	const struct task *const a = *(const struct task *const *)left;
	const struct task *const b = *(const struct task *const *)right;
	const int by_group = compare_group_of(a, b);
	return by_group ? by_group : compare_numbers(a->session_id, b->session_id);
}

/* What is idle comes last; else the longest wait first. */
static int compare_groups(const void *left, const void *right)
{
	const struct group *const a = left;
	const struct group *const b = right;
	const int by_benign = wait_type_is_benign(a->longest->wait_type) -
			      wait_type_is_benign(b->longest->wait_type);
	return by_benign ? by_benign : compare_numbers(b->longest->wait_ms, a->longest->wait_ms);
}

static size_t pick_waiting(const struct task_sample *sample, const struct task **waiting)
{
	size_t count = 0;
	for (size_t i = 0; i < sample->task_count; i++)
		if (sample->tasks[i].wait_type[0] != '\0')
			waiting[count++] = &sample->tasks[i];
	if (count > 1)
		qsort(waiting, count, sizeof(const struct task *), compare_tasks);
	return count;
}

static size_t group_tasks(const struct task *const *waiting, size_t count, struct group *groups)
{
	size_t group_count = 0;
	for (size_t i = 0; i < count; i++) {
		const bool is_new = i == 0 || compare_group_of(waiting[i - 1], waiting[i]) != 0;
		if (is_new)
			groups[group_count++] = (struct group){.longest = waiting[i]};
		struct group *const group = &groups[group_count - 1];
		group->waiter_count++;
		group->session_count +=
			is_new || waiting[i - 1]->session_id != waiting[i]->session_id;
		if (waiting[i]->wait_ms > group->longest->wait_ms)
			group->longest = waiting[i];
	}
	if (group_count > 1)
		qsort(groups, group_count, sizeof(*groups), compare_groups);
	return group_count;
}

static int32_t blocker_of(const struct task_sample *sample, int32_t session_id)
{
	for (size_t i = 0; i < sample->task_count; i++) {
		const struct task *const task = &sample->tasks[i];
		if (task->session_id == session_id && task->blocking_session_id > 0)
			return task->blocking_session_id;
	}
	return 0;
}

/* The session at the head of the chain that a task waits in; 0 when the server names none. */
static int32_t head_of(const struct task_sample *sample, const struct task *task)
{
	int32_t head = task->blocking_session_id > 0 ? task->blocking_session_id : 0;
	for (int i = 0; head > 0 && i < CHAIN_MAX; i++) {
		const int32_t next = blocker_of(sample, head);
		if (next == 0 || next == head)
			break;
		head = next;
	}
	return head;
}

/* A number of the resource, null when its text does not carry it. */
static void add_number(struct json *json, const char *key, int64_t value)
{
	json_key(json, key);
	if (value >= 0)
		json_add_int(json, value);
	else
		json_add_null(json);
}

static void add_resource(struct json *json, const struct task *task)
{
	const struct page_address *const resource = &task->resource;
	const bool is_page = resource->kind == RESOURCE_PAGE;
	char page[64];
	snprintf(page, sizeof(page), "%" PRId32 ":%" PRId32 ":%" PRId64, resource->database_id,
		 resource->file_id, resource->page_id);
	json_key(json, "resource");
	json_open_object(json);
	json_member_text(json, "kind", resource_kind_name(resource->kind));
	answer_member_text(json, "text", is_page ? page : task->resource_text);
	add_number(json, "database_id", resource->database_id);
	add_number(json, "file_id", resource->file_id);
	add_number(json, "page_id", resource->page_id);
	json_member_text(
		json, "page_class",
		is_page ? page_class_name(page_class_of(resource->file_id, resource->page_id))
			: NULL);
	add_number(json, "object_id", resource->object_id);
	add_number(json, "hobt_id", resource->hobt_id);
	answer_member_text(json, "latch_class", resource->latch_class);
	json_close_object(json);
}

static void add_group(struct json *json, const struct task_sample *sample,
		      const struct group *group)
{
	const struct task *const longest = group->longest;
	json_open_object(json);
	json_member_text(json, "wait_type", longest->wait_type);
	json_member_text(json, "category", wait_type_category(longest->wait_type));
	json_member_bool(json, "benign", wait_type_is_benign(longest->wait_type));
	add_resource(json, longest);
	json_member_int(json, "waiters", (int64_t)group->waiter_count);
	json_member_int(json, "sessions", (int64_t)group->session_count);
	json_member_int(json, "longest_ms", longest->wait_ms);
	json_member_int(json, "longest_session_id", longest->session_id);
	answer_member_int(json, "blocking_session_id", longest->blocking_session_id);
	answer_member_int(json, "head_session_id", head_of(sample, longest));
	json_close_object(json);
}

static void add_sample(struct json *json, const struct task_sample *sample)
{
	CLEANUP(freep)
	const struct task **waiting = xcalloc(sample->task_count + 1, sizeof(const struct task *));
	CLEANUP(freep) struct group *groups = xcalloc(sample->task_count + 1, sizeof(*groups));
	const size_t waiting_count = pick_waiting(sample, waiting);
	const size_t group_count = group_tasks(waiting, waiting_count, groups);
	answer_member_int(json, "t", sample->taken.utc_ms);
	answer_member_int(json, "schedulers", sample->scheduler_count);
	json_member_int(json, "tasks", (int64_t)sample->task_count);
	json_member_int(json, "waiting", (int64_t)waiting_count);
	json_member_bool(json, "truncated", sample->is_truncated);
	json_key(json, "resources");
	json_open_array(json);
	for (size_t i = 0; i < group_count; i++)
		add_group(json, sample, &groups[i]);
	json_close_array(json);
}

void api_tasks(const struct web_context *context, const struct request *request,
	       struct response *response)
{
	static const struct task_sample none;
	struct live_target target;
	if (!answer_find_target(context, request, &target, response))
		return;
	CLEANUP(task_sample_freep)
	struct task_sample *sample = live_copy_tasks(context->options.live, target.name);
	const struct answer_age age =
		answer_collector_age(&target, COLLECTOR_WAITING_TASKS, request->now.mono_ms);
	struct json json = json_begin(&response->body);
	json_open_object(&json);
	json_member_text(&json, "target", target.name);
	add_sample(&json, sample ? sample : &none);
	answer_add_age(&json, &age);
	json_close_object(&json);
}
