/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last known state of each target. Any thread; copies in and out under one mutex.
 */
#include "storage/live.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/alloc.h"

struct live {
	pthread_mutex_t mutex;
	struct live_target *targets;
	struct task_sample **tasks; /* of each target the last; NULL none */
	size_t target_count;	    /* never changes */
	int64_t commit_id;
};

static const char *const target_states[] = {
	[TARGET_CONNECTING] = "connecting",
	[TARGET_UP] = "up",
	[TARGET_DOWN] = "down",
	[TARGET_DENIED] = "denied",
};

static const char *const collector_states[] = {
	[COLLECTOR_OK] = "ok",
	[COLLECTOR_FAILING] = "failing",
	[COLLECTOR_DENIED] = "denied",
	[COLLECTOR_UNSUPPORTED] = "unsupported",
};

struct live *live_new(size_t target_count)
{
	struct live *live = xcalloc(1, sizeof(*live));
	const int failed = pthread_mutex_init(&live->mutex, NULL);
	assert(!failed);
	live->targets = xcalloc(target_count > 0 ? target_count : 1, sizeof(*live->targets));
	live->tasks = xcalloc(target_count > 0 ? target_count : 1, sizeof(struct task_sample *));
	live->target_count = target_count;
	return live;
}

void live_free(struct live *live)
{
	if (!live)
		return;
	pthread_mutex_destroy(&live->mutex);
	for (size_t i = 0; i < live->target_count; i++)
		task_sample_free(live->tasks[i]);
	free(live->tasks);
	free(live->targets);
	free(live);
}

size_t live_target_count(const struct live *live)
{
	return live->target_count;
}

size_t live_up_count(struct live *live)
{
	size_t count = 0;

	pthread_mutex_lock(&live->mutex);
	for (size_t i = 0; i < live->target_count; i++)
		count += live->targets[i].state == TARGET_UP;
	pthread_mutex_unlock(&live->mutex);
	return count;
}

void live_set_target(struct live *live, size_t index, const struct live_target *target)
{
	assert(index < live->target_count);
	pthread_mutex_lock(&live->mutex);
	live->targets[index] = *target;
	pthread_mutex_unlock(&live->mutex);
}

void live_set_stuck(struct live *live, size_t index, bool is_stuck)
{
	assert(index < live->target_count);
	pthread_mutex_lock(&live->mutex);
	live->targets[index].is_stuck = is_stuck;
	pthread_mutex_unlock(&live->mutex);
}

void live_get_target(struct live *live, size_t index, struct live_target *target)
{
	assert(index < live->target_count);
	pthread_mutex_lock(&live->mutex);
	*target = live->targets[index];
	pthread_mutex_unlock(&live->mutex);
}

bool live_find_target(struct live *live, const char *name, struct live_target *target)
{
	bool is_found = false;
	pthread_mutex_lock(&live->mutex);
	for (size_t i = 0; i < live->target_count && !is_found; i++) {
		is_found = strcmp(live->targets[i].name, name) == 0;
		if (is_found)
			*target = live->targets[i];
	}
	pthread_mutex_unlock(&live->mutex);
	return is_found;
}

void live_set_tasks(struct live *live, size_t index, const struct task_sample *tasks)
{
	assert(index < live->target_count);
	struct task_sample *copy = task_sample_copy(tasks);
	pthread_mutex_lock(&live->mutex);
	struct task_sample *old = live->tasks[index];
	live->tasks[index] = copy;
	pthread_mutex_unlock(&live->mutex);
	task_sample_free(old);
}

struct task_sample *live_copy_tasks(struct live *live, const char *name)
{
	struct task_sample *copy = NULL;
	pthread_mutex_lock(&live->mutex);
	for (size_t i = 0; i < live->target_count && !copy; i++)
		if (live->tasks[i] && strcmp(live->targets[i].name, name) == 0)
			copy = task_sample_copy(live->tasks[i]);
	pthread_mutex_unlock(&live->mutex);
	return copy;
}

void live_set_commit(struct live *live, int64_t commit_id)
{
	pthread_mutex_lock(&live->mutex);
	live->commit_id = commit_id;
	pthread_mutex_unlock(&live->mutex);
}

int64_t live_commit(struct live *live)
{
	pthread_mutex_lock(&live->mutex);
	const int64_t commit_id = live->commit_id;
	pthread_mutex_unlock(&live->mutex);
	return commit_id;
}

const char *target_state_name(enum target_state state)
{
	return target_states[state];
}

const char *collector_state_name(enum collector_state state)
{
	return collector_states[state];
}
