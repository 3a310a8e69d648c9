/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starting and stopping in order. Runs in main.
 *
 * A thread that hangs where nothing ends it (name resolution, a login without a socket) is left
 * behind at stop: it has seen nothing but its own memory since the stop was requested and touches
 * nothing shared when it wakes, so the store can be closed under it. What it might still look at is
 * then not freed; the process ends right after.
 */
#include "daemon/service.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/alloc.h"
#include "daemon/base/log.h"
#include "daemon/deadline.h"
#include "daemon/file.h"
#include "daemon/login.h"
#include "daemon/sender.h"
#include "daemon/target.h"
#include "daemon/watcher.h"
#include "storage/live.h"
#include "storage/reader.h"
#include "storage/store.h"
#include "storage/writer.h"
#include "web/server.h"

enum {
	READER_COUNT = 4, /* two web threads, the watcher, a sender */
	QUEUE_MIN = 64,
	STOP_TARGETS_MS = 1500,
	STOP_WATCHER_MS = 2500,
	STOP_SENDERS_MS = 3000,
};

struct service {
	const struct config *config;
	struct held_file freetds;   /* its configuration */
	struct login_route *routes; /* as each target begins with */
	bool has_library;
	struct store *store; /* until the writer has it */
	struct live *live;
	struct deadline *deadline; /* two slots per target: its own and that of its look-ups */
	struct writer *writer;
	struct reader_pool *readers;
	struct web_server *web;
	struct watcher *watcher;
	struct sender **senders;
	struct target **targets;
	struct instant started;
	atomic_bool is_ready;
	_Atomic(const char *) config_state;
};

static bool is_ready(void *context)
{
	struct service *service = context;
	struct writer_status status;

	writer_status(service->writer, &status);
	return atomic_load(&service->is_ready) && !status.is_failing;
}

static const char *config_state(void *context)
{
	struct service *service = context;

	return atomic_load(&service->config_state);
}

static void wake_senders(void *context)
{
	struct service *service = context;

	for (size_t i = 0; i < service->config->notifier_count; i++)
		if (service->senders[i])
			sender_wake(service->senders[i]);
}

static bool start_library(struct service *service, struct error *err)
{
	service->has_library =
		login_library_start(service->config, service->routes, &service->freetds, err);
	return service->has_library;
}

static bool open_store(struct service *service, struct error *err)
{
	bool was_damaged = false;

	service->store = store_open(
		&(struct store_options){
			.path = service->config->store_path,
			.is_synchronous_full = service->config->is_synchronous_full,
		},
		&was_damaged, err);
	if (was_damaged)
		log_error("the store '%s' was damaged; it was moved aside and a new one begun",
			  service->config->store_path);
	return service->store;
}

static bool make_target(struct service *service, size_t index, struct error *err)
{
	const struct config_target *config = &service->config->targets[index];
	struct target_options options = {
		.config = config,
		.index = index,
		.min_waiters = service->config->detector.min_waiters,
		.live = service->live,
		.route = service->routes[index],
		.slot = deadline_slot(service->deadline, 2 * index),
		.lookup_slot = deadline_slot(service->deadline, 2 * index + 1),
		.start = service->started,
	};

	if (!store_intern_target(service->store, config->name, &options.id, err))
		return false;
	for (int i = 0; i < FAMILY_COUNT; i++)
		if (!store_load_baseline(service->store, options.id, (enum family)i,
					 &options.baselines[i], err) ||
		    !store_load_last_end(service->store, options.id, (enum family)i,
					 &options.stored_end_utc_ms[i], err)) {
			for (int j = 0; j <= i; j++)
				baseline_free(options.baselines[j]);
			return false;
		}
	service->targets[index] = target_new(&options);
	return true;
}

/* Targets are made while main still has the store; they begin last, with a writer. */
static bool make_targets(struct service *service, struct error *err)
{
	for (size_t i = 0; i < service->config->target_count; i++)
		if (!make_target(service, i, err))
			return error_prefix(err, "target '%s'", service->config->targets[i].name);
	return true;
}

static bool start_writer(struct service *service, struct error *err)
{
	size_t capacity = 2 * service->config->target_count;

	service->writer = writer_start(
		&(struct writer_options){
			.store = service->store,
			.live = service->live,
			.queue_capacity = capacity > QUEUE_MIN ? capacity : QUEUE_MIN,
			.keep_ms = {service->config->keep_ms[RESOLUTION_RAW],
				    service->config->keep_ms[RESOLUTION_MINUTE],
				    service->config->keep_ms[RESOLUTION_HOUR]},
			.max_size_bytes = service->config->max_size_bytes,
		},
		err);
	if (!service->writer)
		return false;
	service->store = NULL;
	service->readers = reader_pool_open(service->config->store_path, READER_COUNT, err);
	return service->readers;
}

static bool start_web(struct service *service, struct error *err)
{
	struct web_options options = {
		.listen_count = service->config->listen_count,
		.readers = service->readers,
		.live = service->live,
		.writer = service->writer,
		.rules = service->config->rules,
		.rule_count = service->config->rule_count,
		.store_path = service->config->store_path,
		.started_utc_ms = service->started.utc_ms,
		.config_state = config_state,
		.is_ready = is_ready,
		.context = service,
	};

	for (int i = 0; i < options.listen_count; i++)
		options.listen[i] = service->config->listen[i];
	service->web = web_server_start(&options, err);
	return service->web;
}

static bool start_watcher(struct service *service, struct error *err)
{
	service->watcher = watcher_new(
		&(struct watcher_options){
			.rules = service->config->rules,
			.rule_count = service->config->rule_count,
			.detector = service->config->detector,
			.live = service->live,
			.readers = service->readers,
			.writer = service->writer,
			.on_outbox = wake_senders,
			.context = service,
		},
		service->started);
	return watcher_start(service->watcher, err);
}

static bool start_senders(struct service *service, struct error *err)
{
	for (size_t i = 0; i < service->config->notifier_count; i++) {
		const struct config_notifier *notifier = &service->config->notifiers[i];

		service->senders[i] = sender_new(
			&(struct sender_options){
				.notifier = notifier,
				.readers = service->readers,
				.writer = service->writer,
			},
			err);
		if (!service->senders[i] || !sender_start(service->senders[i], err))
			return error_prefix(err, "notifier '%s'", notifier->name);
	}
	return true;
}

static bool start_targets(struct service *service, struct error *err)
{
	for (size_t i = 0; i < service->config->target_count; i++) {
		target_set_writer(service->targets[i], service->writer);
		if (!target_start(service->targets[i], err))
			return error_prefix(err, "target '%s'", service->config->targets[i].name);
	}
	return true;
}

/* Senders begin before the watcher, which wakes them. */
static bool start_all(struct service *service, struct error *err)
{
	return start_library(service, err) && open_store(service, err) &&
	       make_targets(service, err) && start_writer(service, err) &&
	       start_web(service, err) && start_senders(service, err) &&
	       start_watcher(service, err) && start_targets(service, err);
}

struct service *service_start(const struct config *config, struct error *err)
{
	struct service *service = xcalloc(1, sizeof(*service));

	service->config = config;
	atomic_store(&service->config_state, "loaded");
	service->freetds = HELD_FILE_NONE;
	service->started = clock_now();
	service->live = live_new(config->target_count);
	service->deadline = deadline_new(2 * config->target_count);
	service->senders = xcalloc(config->notifier_count + 1, sizeof(struct sender *));
	service->routes = xcalloc(config->target_count + 1, sizeof(*service->routes));
	service->targets = xcalloc(config->target_count + 1, sizeof(struct target *));
	if (start_all(service, err)) {
		atomic_store(&service->is_ready, true);
		return service;
	}
	(void)service_stop(service); /* nothing can hang yet but a login just begun */
	return NULL;
}

void service_tick(struct service *service, struct instant now)
{
	deadline_tick(service->deadline, now.mono_ms);
	for (size_t i = 0; i < service->config->target_count; i++)
		live_set_stuck(
			service->live, i,
			deadline_is_stuck(deadline_slot(service->deadline, 2 * i), now.mono_ms));
}

void service_note_reload(struct service *service, bool is_valid)
{
	atomic_store(&service->config_state, is_valid ? "changed" : "invalid");
}

const char *service_address(const struct service *service, int index)
{
	return web_server_address(service->web, index);
}

size_t service_up_count(const struct service *service)
{
	return live_up_count(service->live);
}

static bool stop_targets(struct service *service, int64_t deadline_mono_ms)
{
	bool is_whole = true;

	for (size_t i = 0; i < service->config->target_count; i++)
		target_request_stop(service->targets[i]);
	deadline_shut_all(service->deadline);
	for (size_t i = 0; i < service->config->target_count; i++)
		if (!target_stop_until(service->targets[i], deadline_mono_ms)) {
			log_warning("target '%s' hangs in a login and is left behind",
				    service->config->targets[i].name);
			is_whole = false;
		}
	return is_whole;
}

static bool stop_senders(struct service *service, int64_t deadline_mono_ms)
{
	bool is_whole = true;

	for (size_t i = 0; i < service->config->notifier_count; i++)
		if (service->senders[i])
			sender_request_stop(service->senders[i]);
	for (size_t i = 0; i < service->config->notifier_count; i++)
		if (!sender_stop_until(service->senders[i], deadline_mono_ms)) {
			log_warning("notifier '%s' hangs in a post and is left behind; the "
				    "message is sent after the next start",
				    service->config->notifiers[i].name);
			is_whole = false;
		}
	return is_whole;
}

bool service_stop(struct service *service)
{
	if (!service)
		return true;
	int64_t begin_mono_ms = clock_now().mono_ms;

	atomic_store(&service->is_ready, false);
	web_server_stop(service->web);
	bool is_whole = stop_targets(service, begin_mono_ms + STOP_TARGETS_MS);
	is_whole &= watcher_stop_until(service->watcher, begin_mono_ms + STOP_WATCHER_MS);
	is_whole &= stop_senders(service, begin_mono_ms + STOP_SENDERS_MS);
	if (is_whole)
		reader_pool_close(service->readers);
	writer_stop(service->writer);
	store_close(service->store);
	if (!is_whole)
		return false;
	if (service->has_library)
		session_library_stop();
	file_release(&service->freetds);
	deadline_free(service->deadline);
	live_free(service->live);
	free(service->senders);
	free(service->targets);
	free(service->routes);
	free(service);
	return true;
}
