/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last known state of each target and collector, and the number of the last commit. Copied in
 * by target threads and the writer, copied out by web and watcher: only copies travel. One mutex.
 */
#pragma once

#include <stddef.h>

#include "collectors/collect.h"
#include "collectors/probe.h"
#include "storage/record.h"

struct live;

enum target_state { TARGET_CONNECTING, TARGET_UP, TARGET_DOWN, TARGET_DENIED };
enum collector_state { COLLECTOR_OK, COLLECTOR_FAILING, COLLECTOR_DENIED, COLLECTOR_UNSUPPORTED };

enum { LABELS_MAX = 8, LABEL_SIZE = 64, HOST_SIZE = 256 };

struct live_error {
	bool is_set;
	enum error_kind kind;
	int code;
	char text[256];
	int64_t at_utc_ms;
};

struct live_collector {
	int64_t interval_ms; /* 0 off */
	int64_t last_duration_ms;
	int64_t row_count;
	int64_t poll_count;
	int64_t failure_count;
	int64_t skipped_count;	/* instants of its schedule that passed without a run */
	int64_t last_ok_utc_ms; /* of what the store took, tasks: of the sample shown; 0 never */
	int64_t last_ok_mono_ms;
	enum collector_state state;
	struct live_error last_error; /* unset again by the next success; failure_count stays */
};

/* A wait that lasts, as the last task sample saw it. */
struct live_wait {
	char wait_type[WAIT_TYPE_SIZE]; /* "" none */
	int64_t wait_ms;
	int32_t session_id;
};

/* What watching a target has cost, summed over its connections. */
struct live_cost {
	int64_t mono_ms; /* when it was summed up */
	int64_t round_trip_count;
	int64_t row_count;
	int64_t received_bytes; /* 0 unknown */
	int64_t server_cpu_ms;	/* of latchd's own session, as the server counts it; -1 unknown */
	int64_t own_cpu_us;	/* of latchd's thread */
};

struct live_target {
	/* set once, from the configuration */
	int64_t id; /* in the store */
	char name[TARGET_NAME_SIZE];
	char host[HOST_SIZE];
	int port;
	char labels[LABELS_MAX][2][LABEL_SIZE]; /* key, value */
	int label_count;
	/* kept by the target's thread */
	enum target_state state;
	bool is_stuck; /* a login that hangs where no deadline reaches it */
	bool has_server;
	struct server server;
	struct probe probe; /* what the login may see; not done when it could not be asked */
	struct epoch epoch;
	int64_t counters_since_utc_ms[FAMILY_COUNT]; /* 0 unknown: since the start of the server at
							best */
	int64_t last_poll_utc_ms;		     /* last good poll of any collector; 0 never */
	struct live_cost cost;			     /* since latchd began */
	struct live_cost cost_from; /* the same one to two minutes ago: what a rate is against */
	struct live_wait longest_wait;
	struct live_error last_error;
	struct live_collector collectors[COLLECTOR_COUNT];
};

/* Makes room for a fixed number of targets. Owns: the caller frees. Threads: main. */
struct live *live_new(size_t target_count);

/* Frees it; NULL is fine. Owns: live. Threads: main, after the others ended. */
void live_free(struct live *live);
DEFINE_CLEANUP(struct live *, live_free);

/* Number of targets. Threads: any. */
size_t live_target_count(const struct live *live);

/* Number of targets that are up. Threads: any. */
size_t live_up_count(struct live *live);

/* Replaces the state of target number index with a copy. Threads: any. */
void live_set_target(struct live *live, size_t index, const struct live_target *target);

/* Says whether a login of target number index hangs; everything else stays. Threads: main. */
void live_set_stuck(struct live *live, size_t index, bool is_stuck);

/* Copies the state of target number index out. Threads: any. */
void live_get_target(struct live *live, size_t index, struct live_target *target);

/* Finds a target by name and copies it out; false when there is none. Threads: any. */
MUST_CHECK bool live_find_target(struct live *live, const char *name, struct live_target *target);

/* Replaces the last task sample of target number index with a copy. Threads: any. */
void live_set_tasks(struct live *live, size_t index, const struct task_sample *tasks);

/* Copies the last task sample of a target out; NULL when there was none. Owns: the caller frees.
 * Threads: any. */
struct task_sample *live_copy_tasks(struct live *live, const char *name);

/* Says that commit number commit_id is in the store. Threads: the writer. */
void live_set_commit(struct live *live, int64_t commit_id);

/* Number of the last commit; 0 before the first. Threads: any. */
int64_t live_commit(struct live *live);

/* Names as the API shows them. Pure. */
const char *target_state_name(enum target_state state);
const char *collector_state_name(enum collector_state state);
