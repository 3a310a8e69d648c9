/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The instance itself: clocks, identity, epoch, counters and load, behind one mutex. Any thread;
 * does not know SQL or the wire.
 */
#include "tests/sim/instance.h"

#include "tests/sim/held_wait.h"
#include "tests/sim/instance_load.h"
#include "tests/sim/metadata.h"
#include "tests/sim/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SECOND_US	     INT64_C(1000000)
#define UPTIME_US	     (INT64_C(3) * 86400 * SECOND_US)
#define BOOT_BEFORE_START_US (INT64_C(5) * 3600 * SECOND_US)
#define FIRST_ROWS	     6000000
#define LOAD_WORDS_MAX	     16

static int64_t read_clock(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (int64_t)time.tv_sec * SECOND_US + time.tv_nsec / 1000;
}

static int64_t machine_mono_us(void *context)
{
	(void)context;
	return read_clock(CLOCK_MONOTONIC);
}

static int64_t machine_utc_us(void *context)
{
	(void)context;
	return read_clock(CLOCK_REALTIME);
}

void instance_lock(struct instance *instance)
{
	pthread_mutex_lock(&instance->mutex);
	instance_follow(instance, instance_now(instance));
}

void instance_unlock(struct instance *instance)
{
	pthread_mutex_unlock(&instance->mutex);
}

struct moment instance_now(const struct instance *instance)
{
	return (struct moment){
		.mono_us = instance->clock.mono_us(instance->clock.context),
		.utc_us = instance->clock.utc_us(instance->clock.context) + instance->clock_step_us,
	};
}

int64_t instance_ticks_ms(const struct instance *instance, struct moment now)
{
	return (now.mono_us - instance->boot_mono_us) / 1000;
}

static void apply_flow(struct instance *instance, const struct workload_flow *flow, bool is_on,
		       struct moment now)
{
	struct counter *counter = counters_find(&instance->counters[flow->view], flow->name);
	struct counter_flow speed = {0};

	if (is_on)
		speed = workload_counter_flow(flow);
	if (counter)
		counter_set_flow(counter, flow->view, &speed, now.mono_us);
}

/* Lets the flows of a load run, or stops them. */
static void apply_flows(struct instance *instance, const struct workload *workload, bool is_on,
			struct moment now)
{
	const struct workload_flow page_latches = workload_page_latches(workload);

	for (const struct workload_flow *flow = workload->flows; flow->name; flow++)
		apply_flow(instance, flow, is_on, now);
	if (page_latches.events_per_s > 0)
		apply_flow(instance, &page_latches, is_on, now);
}

void instance_set_workload(struct instance *instance, const struct workload *workload,
			   struct moment now)
{
	if (instance->workload)
		apply_flows(instance, instance->workload, false, now);
	instance->workload = workload;
	apply_flows(instance, workload, true, now);
	page_store_set_rate(&instance->pages, workload->rows_per_s * 1000, now.mono_us);
	if (workload->has_sequential_key_option || strcmp(workload->name, "last-page") == 0)
		instance->has_sequential_key_option = workload->has_sequential_key_option;
}

void instance_restart(struct instance *instance, bool is_reboot, struct moment now)
{
	for (int view = 0; view < COUNTER_VIEWS; view++)
		counters_restart(&instance->counters[view], now.mono_us);
	if (is_reboot)
		instance->boot_mono_us = now.mono_us - 40 * SECOND_US;
	instance->start_mono_us = now.mono_us;
	instance->start_utc_us = now.utc_us;
	instance->process_id += 1116;
	held_waits_drop(instance);
	contention_restart(instance->contention);
}

static bool load_counters(struct instance *instance, const char *directory, struct moment now)
{
	static const char *const files[COUNTER_VIEWS] = {
		[COUNTER_WAITS] = "wait_types.csv",
		[COUNTER_LATCHES] = "latch_classes.csv",
		[COUNTER_SPINLOCKS] = "spinlocks.csv",
	};

	for (int view = 0; view < COUNTER_VIEWS; view++) {
		instance->counters[view].view = (enum counter_view)view;
		if (!counters_load(&instance->counters[view], directory, files[view], now.mono_us))
			return false;
		counter_seed(&instance->counters[view], instance->start_mono_us, now.mono_us);
		profile_fit_counters(instance->profile, &instance->counters[view], now.mono_us);
	}
	return true;
}

static bool add_logins(struct instance *instance, const struct instance_options *options)
{
	for (size_t i = 0; i < options->login_count; i++)
		if (!accounts_add(&instance->accounts, options->logins[i]))
			return false;
	return options->login_count > 0 || accounts_add(&instance->accounts, "latchd:latchd");
}

static struct instance_clock default_clock(void)
{
	return (struct instance_clock){.mono_us = machine_mono_us, .utc_us = machine_utc_us};
}

/* The words of a load as they stand behind --workload. */
static bool order_first_load(struct instance *instance, const char *line, struct moment now,
			     const char **reason)
{
	char *copy = memory_copy_string(line ? line : "idle", strlen(line ? line : "idle"));
	char *words[LOAD_WORDS_MAX];
	size_t count = 0;
	char *rest = NULL;

	for (char *word = strtok_r(copy, " ", &rest); word && count < LOAD_WORDS_MAX;
	     word = strtok_r(NULL, " ", &rest))
		words[count++] = word;
	bool is_ordered = instance_order_load(instance, words, count, now, reason);
	free(copy);
	return is_ordered;
}

struct instance *instance_new(const struct instance_options *options, const char **reason)
{
	const struct profile *profile = profile_find(options->profile ? options->profile : "2019");

	if (!profile) {
		*reason = "there is no profile of that name";
		return NULL;
	}
	struct instance *instance = memory_new(1, sizeof(*instance));
	pthread_mutex_init(&instance->mutex, NULL);
	instance->clock = options->clock ? *options->clock : default_clock();
	struct moment now = instance_now(instance);
	instance->start_mono_us = now.mono_us - UPTIME_US;
	instance->boot_mono_us = instance->start_mono_us - BOOT_BEFORE_START_US;
	instance->start_utc_us = now.utc_us - UPTIME_US;
	instance->process_id = 1892;
	instance->profile = profile;
	if (!add_logins(instance, options)) {
		*reason = "a login is not of the form NAME:PASSWORD[:RIGHT,...]";
		instance_free(instance);
		return NULL;
	}
	const char *name = options->server_name ? options->server_name : "SQLSIM01";
	snprintf(instance->server_name, NAME_SIZE, "%s", name);
	snprintf(instance->node_name, NAME_SIZE, "%.*s", (int)strcspn(name, "\\"), name);
	instance->pages = (struct page_store){.base_rows = FIRST_ROWS, .anchor_us = now.mono_us};
	if (!load_counters(instance, options->data_directory, now)) {
		*reason = "cannot read the names in the data directory";
		instance_free(instance);
		return NULL;
	}
	instance->contention = contention_new(&instance->pages, now.mono_us);
	if (!order_first_load(instance, options->workload, now, reason)) {
		instance_free(instance);
		return NULL;
	}
	if (!options->clock)
		instance_pace_start(instance);
	return instance;
}

void instance_free(struct instance *instance)
{
	if (!instance)
		return;
	instance_pace_stop(instance);
	contention_free(instance->contention);
	held_waits_drop(instance);
	for (int view = 0; view < COUNTER_VIEWS; view++)
		counters_done(&instance->counters[view]);
	while (instance->clients) {
		struct client_session *next = instance->clients->next;
		free(instance->clients);
		instance->clients = next;
	}
	accounts_done(&instance->accounts);
	pthread_mutex_destroy(&instance->mutex);
	free(instance);
}

bool instance_login_is_valid(struct instance *instance, const char *user, const char *password)
{
	instance_lock(instance);
	const struct account *account = accounts_find(&instance->accounts, user);
	bool is_valid = account && strcmp(account->password, password) == 0;
	instance_unlock(instance);
	return is_valid;
}

bool instance_has_database(struct instance *instance, const char *user, const char *database)
{
	bool is_open = strcasecmp(database, "master") == 0 || strcasecmp(database, "tempdb") == 0 ||
		       strcasecmp(database, "msdb") == 0;

	instance_lock(instance);
	unsigned rights =
		account_rights(accounts_find(&instance->accounts, user), instance->profile);
	instance_unlock(instance);
	return metadata_find_database(database) &&
	       (is_open || (rights & RIGHT_CONNECT_ANY_DATABASE) != 0);
}

void instance_server_name(struct instance *instance, char *name, size_t name_size)
{
	instance_lock(instance);
	snprintf(name, name_size, "%s", instance->server_name);
	instance_unlock(instance);
}
