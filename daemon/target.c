/* SPDX-License-Identifier: Apache-2.0 */
/* The turns of a target and its connection. Runs in the target's thread, made and ended by main. */
#include "daemon/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/alloc.h"
#include "daemon/login.h"
#include "daemon/target_state.h"

enum { LOGIN_SPREAD_MS = 1000 }; /* of the first logins after the start */

/* The views that have nothing to subtract from: the store kept no sample of them. */
static unsigned fresh_views(const struct target *target)
{
	unsigned fresh = 1u << COLLECTOR_WAITING_TASKS;

	for (int i = 0; i < FAMILY_COUNT; i++)
		if (!target->baselines[i])
			fresh |= 1u << i;
	return fresh;
}

struct target *target_new(const struct target_options *options)
{
	struct target *target = xcalloc(1, sizeof(*target));
	struct live_target *live = &target->live;

	target->options = *options;
	target->config = config_target_copy(options->config);
	target->options.config = &target->config;
	target->stop = stop_new();
	memcpy(target->baselines, options->baselines, sizeof(target->baselines));
	schedule_init(&target->schedule, target->config.interval_ms,
		      schedule_phase(target->config.name), fresh_views(target), options->start);
	back_off_init(&target->back_off, (uint64_t)options->id ^ (uint64_t)options->start.mono_ms);
	for (int i = 0; i < FAMILY_COUNT; i++)
		if (target->baselines[i])
			target->told.epoch = target->baselines[i]->sample->epoch;
	memcpy(target->stored_end_utc_ms, options->stored_end_utc_ms,
	       sizeof(target->stored_end_utc_ms));
	/* A fleet does not log in at one instant either. */
	target->retry_mono_ms =
		options->start.mono_ms + schedule_wait(schedule_phase(target->config.name),
						       LOGIN_SPREAD_MS, options->start.utc_ms);
	live->id = options->id;
	memcpy(live->name, target->config.name, sizeof(live->name));
	memcpy(live->host, target->config.host, sizeof(live->host));
	live->port = target->config.port;
	memcpy(live->labels, target->config.labels, sizeof(live->labels));
	live->label_count = target->config.label_count;
	for (int i = 0; i < COLLECTOR_COUNT; i++)
		live->collectors[i].interval_ms = target->config.interval_ms[i];
	target->session_cpu_ms = -1;
	target->cost_closed.server_cpu_ms = -1;
	live->cost.server_cpu_ms = -1;
	target->lookup = lookup_new(&(struct lookup_options){
		.config = &target->config,
		.target_id = options->id,
		.min_waiters = options->min_waiters,
		.writer = options->writer,
		.route = options->route,
		.slot = options->lookup_slot,
	});
	live_set_target(options->live, options->index, live);
	return target;
}

static void target_free(struct target *target)
{
	session_close(target->session);
	for (int i = 0; i < FAMILY_COUNT; i++)
		baseline_free(target->baselines[i]);
	config_target_done(&target->config);
	stop_free(target->stop);
	free(target);
}

static void go_down(struct target *target, struct instant now, const struct error *err)
{
	bool is_denied = err->kind == ERROR_DENIED;

	target_cost_keep(target);
	session_close(target->session);
	target->session = NULL;
	target->rest_ms = back_off_next(&target->back_off, is_denied);
	target->live.state = is_denied ? TARGET_DENIED : TARGET_DOWN;
	target->live.last_error = (struct live_error){
		.is_set = true, .kind = err->kind, .code = err->code, .at_utc_ms = now.utc_ms};
	snprintf(target->live.last_error.text, sizeof(target->live.last_error.text), "%s",
		 err->text);
	complaint_say(&target->complaint, now.mono_ms, "target '%s' is %s: %s", target->config.name,
		      target_state_name(target->live.state), err->text);
	target_tell_down(target, now, err);
}

/* False when the session broke; that something may not be seen is no failure. */
static bool probe_server(struct target *target, const struct server *server, struct instant now,
			 struct error *err)
{
	deadline_begin(target->options.slot, now.mono_ms + target->config.login_timeout_ms +
						     2 * target->config.query_timeout_ms);
	bool is_done = probe_run(target->session, server, &target->live.probe, err);
	if (deadline_end(target->options.slot))
		is_done = error_set(err, ERROR_TIMEOUT, 0, "no whole answer in time");
	return is_done || session_is_alive(target->session);
}

static bool connect_server(struct target *target, struct instant now, struct error *err)
{
	struct server server = {0};
	struct epoch epoch = {0};

	target->session = login_open(&target->config, &target->options.route, target->options.slot,
				     now.mono_ms, &server, &epoch, err);
	if (!target->session)
		return false;
	target->live.port = target->options.route.port;
	if (!stop_is_requested(target->stop) && !probe_server(target, &server, now, err))
		return false;
	target->live.has_server = true;
	target->live.server = server;
	target->live.epoch = epoch;
	return true;
}

/* One turn with whatever time it takes; false when the target is down after it. */
static bool take_turn(struct target *target, struct instant now, struct error *err)
{
	if (!target->session && !connect_server(target, now, err))
		return false;
	if (stop_is_requested(target->stop))
		return true;
	if (!target_poll(target, now, err))
		return false;
	if (target->live.state == TARGET_DENIED)
		complaint_say(&target->complaint, now.mono_ms, "target '%s' is denied: %s",
			      target->config.name, target->live.last_error.text);
	if (target->live.state != TARGET_UP)
		return true;
	back_off_reset(&target->back_off);
	target_tell_up(target, now);
	complaint_end(&target->complaint, "target '%s' is up again", target->config.name);
	return true;
}

int64_t target_step(struct target *target, struct instant now)
{
	struct error err = ERROR_INIT;

	/* The pause begins when the turn that failed has ended: it may have hung until its timeout.
	 */
	if (target->rest_ms > 0) {
		target->retry_mono_ms = now.mono_ms + target->rest_ms;
		target->rest_ms = 0;
	}
	if (!target->session && now.mono_ms < target->retry_mono_ms)
		return target->retry_mono_ms;
	bool is_well = take_turn(target, now, &err);
	/* After a hang beyond the stop nothing shared may be touched any more. */
	if (stop_is_requested(target->stop))
		return INT64_MAX;
	if (!is_well)
		go_down(target, now, &err);
	target_cost_sum(target, now.mono_ms);
	live_set_target(target->options.live, target->options.index, &target->live);
	return target->session ? schedule_next(&target->schedule) : now.mono_ms;
}

static void target_body(void *context)
{
	struct target *target = context;

	while (!stop_wait_until(target->stop, target_step(target, clock_now())))
		;
	session_close(target->session);
	target->session = NULL;
}

void target_set_writer(struct target *target, struct writer *writer)
{
	target->options.writer = writer;
	lookup_set_writer(target->lookup, writer);
}

bool target_start(struct target *target, struct error *err)
{
	char name[TARGET_NAME_SIZE + 2];

	snprintf(name, sizeof(name), "t:%s", target->config.name);
	target->thread = thread_start(name, target_body, target, err);
	return target->thread;
}

void target_request_stop(struct target *target)
{
	if (!target)
		return;
	stop_request(target->stop);
	lookup_request_stop(target->lookup);
}

bool target_stop_until(struct target *target, int64_t deadline_mono_ms)
{
	if (!target)
		return true;
	target_request_stop(target);
	if (!thread_join_until(target->thread, deadline_mono_ms))
		return false;
	target->thread = NULL;
	if (!lookup_stop_until(target->lookup, deadline_mono_ms))
		return false;
	target_free(target);
	return true;
}
