/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clients that insert stand in the same queues as the load: the session thread sleeps until the
 * model has come to the end of its commit. The pace thread moves the model on meanwhile, and wakes
 * them; on a clock of a test, where there is no such thread, the sleeper moves it itself.
 */
#include "tests/sim/instance_load.h"

#include <time.h>

#define LOOK_EVERY_US	 INT64_C(25000)
#define LOOK_UNPACED_US	 INT64_C(500)
#define PACE_US		 INT64_C(20000)
#define PACE_IDLE_US	 INT64_C(1000000)
#define PACE_SHORTEST_US INT64_C(100)

struct insert_job {
	pthread_cond_t ended;
	bool is_ended;
};

static void finish_job(struct worker *worker)
{
	struct insert_job *job = worker->job;

	worker->job = NULL;
	job->is_ended = true;
	pthread_cond_signal(&job->ended);
}

static void init_condition(pthread_cond_t *condition)
{
	pthread_condattr_t attributes;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(condition, &attributes);
	pthread_condattr_destroy(&attributes);
}

/* Sleeps with the instance unlocked, on the clock of the real machine. */
static void sleep_us(struct instance *instance, pthread_cond_t *condition, int64_t wait_us)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	int64_t nanoseconds = until.tv_nsec + wait_us % 1000000 * 1000;
	until.tv_sec += (time_t)(wait_us / 1000000 + nanoseconds / 1000000000);
	until.tv_nsec = (long)(nanoseconds % 1000000000);
	pthread_cond_timedwait(condition, &instance->mutex, &until);
}

static bool wait_for(struct instance *instance, struct insert_job *job,
		     bool (*is_wanted)(void *context), void *context)
{
	while (!job->is_ended) {
		sleep_us(instance, &job->ended,
			 instance->has_pace ? LOOK_EVERY_US : LOOK_UNPACED_US);
		if (job->is_ended)
			return true;
		instance_unlock(instance);
		bool goes_on = is_wanted(context);
		instance_lock(instance);
		if (!goes_on)
			return job->is_ended;
	}
	return true;
}

bool instance_insert(struct instance *instance, struct client_session *client, int32_t object_id,
		     int64_t row_count, bool (*is_wanted)(void *context), void *context,
		     bool *is_known)
{
	struct insert_job job = {.is_ended = false};
	bool is_done = false;

	init_condition(&job.ended);
	instance_lock(instance);
	instance->contention->stage.machine.finished = finish_job;
	struct worker *worker = contention_insert(instance->contention, client->worker,
						  client->session_id, object_id, row_count, &job);
	*is_known = worker != NULL;
	if (worker) {
		client->worker = worker;
		instance->insert_count++;
		if (instance->has_pace)
			pthread_cond_signal(&instance->pace_changed);
		is_done = wait_for(instance, &job, is_wanted, context);
		instance->insert_count--;
		if (!is_done)
			instance_release_client(instance, client);
	}
	instance_unlock(instance);
	pthread_cond_destroy(&job.ended);
	return is_done;
}

void instance_release_client(struct instance *instance, struct client_session *client)
{
	if (!client->worker)
		return;
	contention_release(instance->contention, client->worker);
	client->worker = NULL;
}

/* How long the model can be left alone. With clients inside it has to be exact. */
static int64_t pace_us(const struct instance *instance)
{
	int64_t due_us = contention_due_us(instance->contention, instance_now(instance).mono_us);

	if (due_us == INT64_MAX)
		return PACE_IDLE_US;
	if (instance->insert_count == 0 || due_us > PACE_US)
		return PACE_US;
	return due_us < PACE_SHORTEST_US ? PACE_SHORTEST_US : due_us;
}

static void *pace_run(void *context)
{
	struct instance *instance = context;

	instance_lock(instance);
	while (!instance->is_pace_stopping) {
		sleep_us(instance, &instance->pace_changed, pace_us(instance));
		instance_follow(instance, instance_now(instance));
	}
	instance_unlock(instance);
	return NULL;
}

void instance_pace_start(struct instance *instance)
{
	init_condition(&instance->pace_changed);
	instance->has_pace = pthread_create(&instance->pace, NULL, pace_run, instance) == 0;
	if (instance->has_pace)
		pthread_setname_np(instance->pace, "sim-pace");
}

void instance_pace_stop(struct instance *instance)
{
	if (!instance->has_pace)
		return;
	pthread_mutex_lock(&instance->mutex);
	instance->is_pace_stopping = true;
	pthread_cond_signal(&instance->pace_changed);
	pthread_mutex_unlock(&instance->mutex);
	pthread_join(instance->pace, NULL);
	pthread_cond_destroy(&instance->pace_changed);
}
