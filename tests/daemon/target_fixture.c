/* SPDX-License-Identifier: Apache-2.0 */
/* The fakes of session and writer, and the target on them. Runs in the test's thread. */
#include "tests/daemon/target_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collectors/collect.h"
#include "storage/batch.h"

struct fake fake;

struct target *target;
static struct live *live;
static struct deadline *deadline;
static char password_path[64];

struct session *session_open(const struct session_options *options, struct error *err)
{
	fake.login_count++;
	snprintf(fake.password, sizeof(fake.password), "%s", options->password);
	if (fake.login.kind == ERROR_NONE)
		return (struct session *)&fake;
	*err = fake.login;
	return NULL;
}

void session_close(struct session *session)
{
	(void)session;
}

struct session_traffic session_traffic(const struct session *session)
{
	(void)session;
	return fake.traffic;
}

bool session_is_alive(struct session *session)
{
	(void)session;
	return fake.is_alive;
}

bool session_library_start(const char *configuration_path, struct error *err)
{
	(void)configuration_path, (void)err;
	return true;
}

void session_library_stop(void)
{
}

bool collect_server(struct session *session, struct server *server, struct epoch *epoch,
		    struct error *err)
{
	(void)session, (void)err;
	*server = (struct server){
		.version = "16.0.1", .major = 16, .login = "app]", .started_utc_ms = 5};
	*epoch = fake.epoch;
	return true;
}

static const struct collector_info info = {.name = "waits"};

const struct collector_info *collector_info(enum collector collector)
{
	(void)collector;
	return &info;
}

bool probe_run(struct session *session, const struct server *server, struct probe *probe,
	       struct error *err)
{
	(void)session, (void)server, (void)err;
	probe->is_done = true;
	return true;
}

void collected_done(struct collected *collected)
{
	for (int i = 0; i < FAMILY_COUNT; i++)
		sample_free(collected->samples[i]);
	*collected = (struct collected){0};
}

bool session_collect(struct session *session, const struct server *server, unsigned due,
		     struct collected *collected, struct error *err)
{
	struct error seal = ERROR_INIT;

	(void)session, (void)server;
	fake.cost_count += (due & COLLECT_COST) != 0;
	collected->session_cpu_ms = due & COLLECT_COST ? fake.session_cpu_ms : -1;
	fake.asked[fake.asked_count++ % ASKED_MAX] = due & ~(unsigned)COLLECT_COST;
	if (due & fake.hanging) {
		fake.now_ms += 5000; /* the query's time-out */
		return error_set(err, ERROR_TIMEOUT, 0, "no whole answer");
	}
	if (fake.query.kind != ERROR_NONE) {
		*err = fake.query;
		return false;
	}
	fake.now_ms += fake.duration_ms;
	fake.epoch.ms_ticks = 1000000 + fake.now_ms - fake.ticks_lag_ms;
	collected->epoch = fake.epoch;
	collected->duration_ms = fake.duration_ms;
	for (int i = 0; i < COLLECTOR_COUNT; i++) {
		if (!(due & 1u << i))
			continue;
		collected->views[i].was_due = true;
		collected->views[i].error = fake.views;
		collected->views[i].is_ok = fake.views.kind == ERROR_NONE;
	}
	if (!(due & 1u << COLLECTOR_WAITS) || fake.views.kind != ERROR_NONE)
		return true;
	struct sample *sample =
		sample_new(FAMILY_WAITS, &fake.epoch,
			   (struct instant){fake.now_ms, fake.now_ms + fake.utc_step_ms});
	const int64_t counters[FAMILY_COUNTERS_MAX] = {10, fake.wait_ms, 0, 0};
	sample_add_row(sample, "PAGELATCH_EX", 12, counters, 1);
	assert_true(sample_seal(sample, &seal));
	collected->samples[FAMILY_WAITS] = sample;
	return true;
}

bool page_owner_look_up(struct session *session, const struct server *server,
			const struct page_address *pages, size_t page_count, int64_t now_utc_ms,
			struct page_owner *owners, struct error *err)
{
	(void)session, (void)server, (void)pages, (void)page_count, (void)now_utc_ms;
	(void)owners, (void)err;
	return true;
}

void writer_status(struct writer *writer, struct writer_status *status)
{
	(void)writer;
	*status = (struct writer_status){.is_failing = fake.is_failing};
}

bool writer_push(struct writer *writer, struct batch **batch, int64_t deadline_mono_ms,
		 struct error *err)
{
	(void)writer, (void)deadline_mono_ms;
	if (fake.is_full)
		return error_set(err, ERROR_TIMEOUT, 0, "the queue is full");
	for (size_t i = 0; i < (*batch)->event_count; i++)
		fake.events[fake.event_count++] = (*batch)->events[i];
	const struct delta *delta = (*batch)->deltas[FAMILY_WAITS];
	if (delta) {
		assert_non_null((*batch)->baselines[FAMILY_WAITS]);
		fake.delta_count++;
		fake.quality = delta->quality;
		fake.interval_ms = delta->interval_ms;
		fake.elapsed_ms = delta->elapsed_ms;
		fake.end_utc_ms = delta->end_utc_ms;
		fake.is_dated_back = (*batch)->is_dated_back[FAMILY_WAITS];
		fake.value = delta->row_count > 0 ? delta->rows[0].counters[WAITS_TIME_MS] : 0;
	}
	batch_free(*batch);
	*batch = NULL;
	return true;
}

void write_password(const char *text)
{
	FILE *file = fopen(password_path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

void start(struct baseline *baseline)
{
	char user[] = "latchd";
	struct config_target config = {
		.name = "prod",
		.host = "h",
		.port = 1433,
		.login = {.user = user, .password_file = password_path},
		.login_timeout_ms = 5000,
		.query_timeout_ms = 5000,
	};

	for (int i = 0; i < COLLECTOR_COUNT; i++)
		config.interval_ms[i] = fake.others_ms;
	config.interval_ms[COLLECTOR_WAITS] = fake.configured_ms;
	target = target_new(&(struct target_options){
		.config = &config,
		.id = 7,
		.min_waiters = 3,
		.live = live,
		.slot = deadline_slot(deadline, 0),
		.lookup_slot = deadline_slot(deadline, 1),
		.baselines = {baseline},
		.stored_end_utc_ms = {fake.stored_end_utc_ms},
		.start = {fake.now_ms, fake.now_ms},
	});
}

int set_up(void **state)
{
	(void)state;
	memset(&fake, 0, sizeof(fake));
	fake.is_alive = true;
	fake.configured_ms = 1000;
	fake.now_ms = 100000 + schedule_phase("prod") % 1000; /* in its phase */
	fake.wait_ms = 1000;
	fake.epoch.process_id = 1;
	snprintf(fake.epoch.server_name, sizeof(fake.epoch.server_name), "SIM");
	snprintf(password_path, sizeof(password_path), "/tmp/latchd-target-XXXXXX");
	int fd = mkstemp(password_path);
	if (fd < 0)
		return -1;
	close(fd);
	write_password("secret\r\n");
	live = live_new(1);
	deadline = deadline_new(2);
	start(NULL);
	return 0;
}

int tear_down(void **state)
{
	(void)state;
	bool is_stopped = target_stop_until(target, 0);
	live_free(live);
	deadline_free(deadline);
	unlink(password_path);
	return is_stopped ? 0 : -1;
}

int64_t turn(void)
{
	return target_step(target, (struct instant){fake.now_ms, fake.now_ms + fake.utc_step_ms});
}

int64_t step(void)
{
	int64_t next_ms = turn();
	return next_ms == fake.now_ms ? turn() : next_ms;
}

int64_t poll_after(int64_t ms, int64_t more_ms)
{
	fake.now_ms += ms;
	fake.wait_ms += more_ms;
	return step();
}

struct live_target shown(void)
{
	struct live_target seen;

	live_get_target(live, 0, &seen);
	return seen;
}

int count_events(const char *kind)
{
	int count = 0;

	for (int i = 0; i < fake.event_count; i++)
		count += strcmp(fake.events[i].kind, kind) == 0;
	return count;
}

void remove_password(void)
{
	unlink(password_path);
}
