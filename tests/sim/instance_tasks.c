/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tasks of the load and of inserting clients look like at a moment. Runs with the instance
 * locked.
 */
#include "tests/sim/instance_load.h"

#include <stdio.h>

#define CLIENT_TASK_ADDRESS UINT64_C(0x000001F19E9A5468)
#define LATCH_ADDRESS	    UINT64_C(0x000001F1B8003400)
#define MILLISECOND_NS	    1000000

uint64_t instance_task_address(int32_t session_id)
{
	if (session_id >= WORKLOAD_FIRST_SESSION)
		return workload_task_address(session_id - WORKLOAD_FIRST_SESSION);
	return CLIENT_TASK_ADDRESS + (uint64_t)session_id * 0x400;
}

static uint64_t latch_address(const struct latch *latch)
{
	return LATCH_ADDRESS + (uint64_t)latch->page * 0x40 + (uint64_t)latch->file_id * 0x10 +
	       (uint64_t)latch->latch_class;
}

static void describe_latch(struct workload_task *task, const struct latch *latch)
{
	task->resource_address = latch_address(latch);
	if (latch->latch_class == LATCH_BUFFER)
		snprintf(task->resource, sizeof(task->resource), "%d:%d:%lld", latch->database_id,
			 latch->file_id, (long long)latch->page);
	else
		snprintf(task->resource, sizeof(task->resource), "%s (%016llX)",
			 latch_class_name(latch->latch_class),
			 (unsigned long long)task->resource_address);
	if (!latch->owner)
		return;
	task->blocking_session_id = latch->owner->session_id;
	task->blocking_task_address = instance_task_address(latch->owner->session_id);
}

/* A worker that has been signalled waits no more, it is runnable. */
static struct workload_task look_at(const struct machine *machine, const struct worker *worker)
{
	struct workload_task task = {
		.session_id = worker->session_id,
		.scheduler_id = worker->scheduler,
		.task_address = instance_task_address(worker->session_id),
		.is_runnable = worker->state == WORKER_RUNNABLE,
	};

	if (worker->state != WORKER_SUSPENDED)
		return task;
	task.wait_type = wait_kind_name(worker->wait_kind);
	task.wait_ms = (int32_t)((machine->now_ns - worker->wait_start_ns) / MILLISECOND_NS);
	if (worker->latch)
		describe_latch(&task, worker->latch);
	return task;
}

static struct instance_task task_of(const struct machine *machine, const struct worker *worker)
{
	return (struct instance_task){
		.task = look_at(machine, worker),
		.command = worker->load ? worker->load->command : "INSERT",
		.query_hash = worker->load ? worker->load->query_hash : 0,
		.last_wait_type = wait_kind_name(worker->last_wait_kind),
		.elapsed_ms = (machine->now_ns - worker->statement_start_ns) / MILLISECOND_NS,
		.cpu_ms = worker->cpu_ns / MILLISECOND_NS,
	};
}

static bool look_at_flow(const struct instance *instance, int32_t index, struct moment now,
			 struct instance_task *task)
{
	const struct workload *workload = instance->workload;

	*task = (struct instance_task){
		.task = workload_look(workload, &instance->pages, index, now.mono_us),
		.command = workload->command,
		.query_hash = workload->query_hash,
		.last_wait_type = workload->flows[0].name,
	};
	task->elapsed_ms = task->task.wait_ms + 1;
	task->cpu_ms = task->elapsed_ms / 20;
	return true;
}

int32_t instance_task_count(const struct instance *instance)
{
	return instance->workload->session_count +
	       (int32_t)instance->contention->stage.machine.worker_count;
}

bool instance_task_look(const struct instance *instance, int32_t index, struct moment now,
			struct instance_task *task)
{
	const struct machine *machine = &instance->contention->stage.machine;

	if (index < instance->workload->session_count)
		return look_at_flow(instance, index, now, task);
	const struct worker *worker = machine->workers[index - instance->workload->session_count];
	if (!worker->load || worker->is_gone || worker->state == WORKER_RESTING)
		return false;
	*task = task_of(machine, worker);
	return true;
}

bool instance_client_look(const struct client_session *client, const struct instance *instance,
			  struct instance_task *task)
{
	const struct worker *worker = client->worker;

	if (!worker || worker->state == WORKER_RESTING)
		return false;
	*task = task_of(&instance->contention->stage.machine, worker);
	task->query_hash = client->query_hash;
	return true;
}

const char *instance_statement_text(const struct instance *instance, uint64_t query_hash)
{
	size_t count;
	const struct load *all = loads(&count);

	for (const struct client_session *client = instance->clients; client; client = client->next)
		if (client->query_hash == query_hash && client->request_mono_us != 0)
			return client->statement;
	for (size_t i = 0; i < count; i++)
		if (all[i].query_hash == query_hash)
			return all[i].text;
	return NULL;
}
