/* SPDX-License-Identifier: Apache-2.0 */
/* The tasks of one task sample, packed; the header describes the form. Pure. */
#include "storage/task_frame.h"

#include <stdio.h>

#include "daemon/base/alloc.h"
#include "storage/varint.h"

enum { TASK_FRAME_VERSION = 1, NUMBER_COUNT = 7 };

/* The numbers of a resource as a list. */
struct numbers {
	int64_t values[NUMBER_COUNT];
};

static struct numbers numbers_of(const struct page_address *address)
{
	return (struct numbers){{address->database_id, address->file_id, address->page_id,
				 address->object_id, address->hobt_id, address->partition,
				 address->slot}};
}

static void pack_resource(struct strbuf *out, const struct page_address *address)
{
	const struct numbers numbers = numbers_of(address);
	unsigned mask = 0;
	for (unsigned i = 0; i < NUMBER_COUNT; i++)
		if (numbers.values[i] != -1)
			mask |= 1U << i;
	varint_put(out, address->kind);
	strbuf_addc(out, (char)mask);
	for (unsigned i = 0; i < NUMBER_COUNT; i++)
		if (mask & 1U << i)
			varint_put_signed(out, numbers.values[i]);
}

static void unpack_resource(struct varint_source *source, struct page_address *address)
{
	const uint64_t kind = varint_get(source);
	if (kind > RESOURCE_GENERIC)
		source->is_broken = true;
	const unsigned mask = varint_byte(source);
	int64_t values[NUMBER_COUNT];
	for (unsigned i = 0; i < NUMBER_COUNT; i++)
		values[i] = mask & 1U << i ? varint_get_signed(source) : -1;
	*address = (struct page_address){
		.kind = (enum resource_kind)kind,
		.database_id = (int32_t)values[0],
		.file_id = (int32_t)values[1],
		.page_id = values[2],
		.object_id = values[3],
		.hobt_id = values[4],
		.partition = values[5],
		.slot = (int32_t)values[6],
	};
}

void task_frame_pack(struct strbuf *out, const struct task_sample *sample,
		     const struct task_name_ids *ids)
{
	strbuf_addc(out, TASK_FRAME_VERSION);
	varint_put(out, sample->task_count);
	for (size_t i = 0; i < sample->task_count; i++) {
		const struct task *task = &sample->tasks[i];
		varint_put(out, task->address);
		varint_put_signed(out, task->session_id);
		varint_put_signed(out, task->database_id);
		varint_put_signed(out, task->scheduler_id);
		varint_put(out, task->query_hash);
		varint_put(out, task->is_insert);
		varint_put(out, (uint64_t)ids[i].wait_type);
		varint_put_signed(out, task->wait_ms);
		pack_resource(out, &task->resource);
		varint_put(out, (uint64_t)ids[i].latch_class);
	}
	varint_seal(out);
}

static void unpack_name(struct varint_source *source, const struct frame_names *names, char *text,
			size_t size)
{
	const uint64_t id = varint_get(source);
	const char *name = id > 0 && id < names->count ? names->by_id[id] : NULL;
	if (id > 0 && !name)
		source->is_broken = true;
	(void)snprintf(text, size, "%s", name ? name : ""); /* came from a field of this size */
}

static void unpack_task(struct varint_source *source, const struct frame_names *names,
			struct task *task)
{
	*task = (struct task){0};
	task->address = varint_get(source);
	task->session_id = (int32_t)varint_get_signed(source);
	task->database_id = (int32_t)varint_get_signed(source);
	task->scheduler_id = (int32_t)varint_get_signed(source);
	task->query_hash = varint_get(source);
	task->is_insert = varint_get(source) != 0;
	unpack_name(source, names, task->wait_type, sizeof(task->wait_type));
	task->wait_ms = varint_get_signed(source);
	unpack_resource(source, &task->resource);
	unpack_name(source, names, task->resource.latch_class, sizeof(task->resource.latch_class));
}

bool task_frame_unpack(const void *body, size_t size, const struct frame_names *names,
		       struct task_sample *sample, struct error *err)
{
	struct varint_source source = varint_open(body, size);
	const bool is_known = varint_byte(&source) == TASK_FRAME_VERSION;
	const uint64_t task_count = varint_get(&source);
	if (!is_known || source.is_broken || task_count > TASKS_MAX)
		return error_set(err, ERROR_CORRUPT, 0, "a task sample of %zu bytes is damaged",
				 size);
	if (task_count > sample->task_capacity) {
		sample->tasks = xreallocarray(sample->tasks, task_count, sizeof(*sample->tasks));
		sample->task_capacity = task_count;
	}
	for (size_t i = 0; i < task_count && !source.is_broken; i++)
		unpack_task(&source, names, &sample->tasks[i]);
	if (!varint_is_done(&source))
		return error_set(err, ERROR_CORRUPT, 0, "a task sample of %zu bytes is damaged",
				 size);
	sample->task_count = task_count;
	return true;
}
