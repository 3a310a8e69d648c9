/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of the instance, for the files that make it up. Everything here is guarded by `mutex`;
 * the functions below that take a moment expect it locked.
 */
#pragma once

#include "tests/sim/account.h"
#include "tests/sim/catalog.h"
#include "tests/sim/contention/contention.h"
#include "tests/sim/counters.h"
#include "tests/sim/instance.h"
#include "tests/sim/page_store.h"
#include "tests/sim/workload.h"

#include <pthread.h>

#define NAME_SIZE      129
#define STATEMENT_SIZE 400

/* One session of a real client. */
struct client_session {
	struct client_session *next;
	int32_t session_id;
	char login_name[NAME_SIZE];
	char program_name[NAME_SIZE];
	char host_name[NAME_SIZE];
	int32_t database_id;
	bool is_encrypted;
	int32_t packet_size;
	int64_t login_utc_us;
	int64_t request_mono_us; /* start of the running batch; 0 = sleeping */
	int64_t request_utc_us;
	int64_t cpu_us;	       /* of its batches that have ended */
	struct worker *worker; /* in the contention model, once it has inserted */
	char statement[STATEMENT_SIZE];
	uint64_t query_hash;
};

struct instance {
	pthread_mutex_t mutex;
	struct instance_clock clock;
	int64_t clock_step_us;
	int64_t boot_mono_us;  /* ms_ticks count from here */
	int64_t start_mono_us; /* the service started here */
	int64_t start_utc_us;  /* the same as a label; does not follow clock steps */
	int32_t process_id;
	const struct profile *profile; /* never changes */
	struct accounts accounts;      /* who may log in */
	char server_name[NAME_SIZE];
	char node_name[NAME_SIZE];
	struct counters counters[COUNTER_VIEWS];
	const struct workload *workload;
	struct page_store pages;
	bool has_sequential_key_option;
	struct client_session *clients;
	struct held_wait *held_waits;
	struct contention *contention;
	int32_t insert_count; /* clients that are inserting */
	bool has_pace;
	bool is_pace_stopping;
	pthread_t pace;
	pthread_cond_t pace_changed;
};

/* Locks, and lets the contending sessions come to now. */
void instance_lock(struct instance *instance);
void instance_unlock(struct instance *instance);

/* Reads both clocks of the simulated machine. */
struct moment instance_now(const struct instance *instance);

/* ms_ticks of dm_os_sys_info. */
int64_t instance_ticks_ms(const struct instance *instance, struct moment now);

/* Stops the flows of the load that runs and starts those of another. */
void instance_set_workload(struct instance *instance, const struct workload *workload,
			   struct moment now);

/* Starts anew: counters, process, epoch; with is_reboot the ticks as well. */
void instance_restart(struct instance *instance, bool is_reboot, struct moment now);

/* Leaves the rows this version has: later waits go, and quiet rows up to the version's count; names
 * that no document knows come where there are too few. */
void profile_fit_counters(const struct profile *profile, struct counters *counters, int64_t now_us);

/* Fills the counters with what three days of a quiet server leave, and starts the background flows.
 */
void counter_seed(struct counters *counters, int64_t start_us, int64_t now_us);
