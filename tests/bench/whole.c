/* SPDX-License-Identifier: Apache-2.0 */
/* Runs in a benchmark; the writer has a thread of its own, and each poll a commit of its own. */
#include "tests/bench/whole.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "daemon/base/alloc.h"
#include "daemon/target.h"
#include "storage/store.h"

enum { INTERVAL_MS = 10000, WAIT_NS = 50000, WAITS_MAX = 200000, STOP_MS = 5000 };

struct whole {
	struct live *live;
	struct deadline *deadline;
	struct writer *writer;
	struct target *target;
	struct instant now; /* when the next poll is due: the benchmark does not wait for it */
	char *password_path;
};

static void require(bool is_ok, const char *what, const struct error *err)
{
	if (is_ok)
		return;
	(void)fprintf(stderr, "latchd cannot %s: %s\n", what, err->text);
	exit(1);
}

static int64_t cpu_ns(clockid_t clock)
{
	struct timespec now = {0};
	(void)clock_gettime(clock, &now); /* fails only for clocks that are not there */
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t whole_thread_cpu_ns(void)
{
	return cpu_ns(CLOCK_THREAD_CPUTIME_ID);
}

int64_t whole_process_cpu_ns(void)
{
	return cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
}

static char *write_password(const char *folder)
{
	const struct error err = {.text = "the file cannot be written"};
	char *path = xasprintf("%s/password", folder);
	FILE *file = fopen(path, "we");
	bool is_written = file && fputs("latchd\n", file) >= 0;
	if (file)
		is_written = fclose(file) == 0 && is_written;
	require(is_written, "have its password", &err);
	return path;
}

static void start_writer(struct whole *whole, const char *folder)
{
	struct error err = ERROR_INIT;
	bool was_damaged = false;
	CLEANUP(freep) char *path = xasprintf("%s/latchd.db", folder);
	struct writer_options options = {
		.store = store_open(&(struct store_options){.path = path}, &was_damaged, &err),
		.live = whole->live,
		.queue_capacity = 64,
		.keep_ms = {INT64_MAX / 2, INT64_MAX / 2, INT64_MAX / 2},
	};
	require(options.store, "open its store", &err);
	int64_t target_id = 0;
	require(store_intern_target(options.store, "sim", &target_id, &err), "name its target",
		&err);
	whole->writer = writer_start(&options, &err);
	require(whole->writer, "start its writer", &err);
}

struct whole *whole_open(const char *folder, const char *host, int port)
{
	struct whole *whole = xcalloc(1, sizeof(*whole));
	whole->live = live_new(1);
	whole->deadline = deadline_new(2);
	whole->now = clock_now();
	whole->password_path = write_password(folder);
	start_writer(whole, folder);
	char user[] = "latchd";
	struct config_target config = {
		.name = "sim",
		.port = port,
		.login = {.user = user, .password_file = whole->password_path},
		.login_timeout_ms = 5000,
		.query_timeout_ms = 5000,
		.interval_ms = {INTERVAL_MS, INTERVAL_MS, INTERVAL_MS, 0},
	};
	(void)snprintf(config.host, sizeof(config.host), "%s", host);
	whole->target = target_new(&(struct target_options){
		.config = &config,
		.id = 1,
		.min_waiters = 3,
		.live = whole->live,
		.slot = deadline_slot(whole->deadline, 0),
		.lookup_slot = deadline_slot(whole->deadline, 1),
		.start = whole->now,
	});
	target_set_writer(whole->target, whole->writer);
	return whole;
}

void whole_close(struct whole *whole)
{
	if (!whole)
		return;
	(void)target_stop_until(whole->target, clock_now().mono_ms + STOP_MS); /* it ends anyway */
	writer_stop(whole->writer);
	deadline_free(whole->deadline);
	live_free(whole->live);
	free(whole->password_path);
	free(whole);
}

static int64_t polls_of(const struct whole *whole)
{
	struct live_target shown;
	live_get_target(whole->live, 0, &shown);
	require(shown.state == TARGET_UP || shown.state == TARGET_CONNECTING, "poll",
		&(struct error){.text = "it is down"});
	return shown.collectors[COLLECTOR_WAITS].poll_count;
}

int64_t whole_poll(struct whole *whole)
{
	const int64_t commit = live_commit(whole->live);
	const int64_t poll_count = polls_of(whole);
	while (polls_of(whole) == poll_count) {
		const int64_t due_mono_ms = target_step(whole->target, whole->now);
		whole->now.utc_ms += due_mono_ms - whole->now.mono_ms;
		whole->now.mono_ms = due_mono_ms;
	}
	const int64_t begin_ns = whole_thread_cpu_ns();
	for (int i = 0; live_commit(whole->live) == commit; i++) {
		struct live_target shown;
		live_get_target(whole->live, 0, &shown);
		const struct error err = {.text = "the poll was not committed"};
		require(i < WAITS_MAX, shown.last_error.is_set ? shown.last_error.text : "poll",
			&err);
		(void)nanosleep(&(struct timespec){.tv_nsec = WAIT_NS}, NULL);
	}
	return whole_thread_cpu_ns() - begin_ns;
}
