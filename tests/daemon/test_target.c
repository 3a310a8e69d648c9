/* SPDX-License-Identifier: Apache-2.0 */
/* A target's turns: what is stored, told and shown as its server comes and goes. Session and writer
 * are fakes. */
#include "daemon/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collectors/collect.h"
#include "storage/batch.h"
#include "tests/support.h"

enum { EVENTS_MAX = 16 };

static struct {
	/* the server */
	struct error login; /* kind other than NONE: what a login meets */
	struct error query; /* same for a round trip */
	struct error views; /* same for each view */
	bool is_alive;
	struct epoch epoch;
	int64_t wait_ms;
	int64_t now_ms;
	int login_count;
	char password[32]; /* of the last login */
	/* the writer */
	bool is_full;
	struct event events[EVENTS_MAX];
	int event_count;
	int delta_count;
	enum quality quality; /* of the last delta */
	int64_t value;	      /* of PAGELATCH_EX in it */
	int64_t interval_ms;
} fake;

static struct target *target;
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
	*server = (struct server){.version = "16.0.1", .major = 16, .started_utc_ms = 5};
	*epoch = fake.epoch;
	return true;
}

static const struct collector_info info = {.name = "waits", .grant = "GRANT IT"};

const struct collector_info *collector_info(enum collector collector)
{
	(void)collector;
	return &info;
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
	if (fake.query.kind != ERROR_NONE) {
		*err = fake.query;
		return false;
	}
	fake.epoch.ms_ticks = 1000000 + fake.now_ms;
	collected->epoch = fake.epoch;
	collected->duration_ms = 0;
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
		sample_new(FAMILY_WAITS, &fake.epoch, (struct instant){fake.now_ms, fake.now_ms});
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
		fake.value = delta->row_count > 0 ? delta->rows[0].counters[WAITS_TIME_MS] : 0;
	}
	batch_free(*batch);
	*batch = NULL;
	return true;
}

static void write_password(const char *text)
{
	FILE *file = fopen(password_path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void start(struct baseline *baseline)
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

	config.interval_ms[COLLECTOR_WAITS] = 1000;
	target = target_new(&(struct target_options){
		.config = &config,
		.id = 7,
		.min_waiters = 3,
		.live = live,
		.slot = deadline_slot(deadline, 0),
		.lookup_slot = deadline_slot(deadline, 1),
		.baselines = {baseline},
		.start = {fake.now_ms, fake.now_ms},
	});
}

static int set_up(void **state)
{
	(void)state;
	memset(&fake, 0, sizeof(fake));
	fake.is_alive = true;
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

static int tear_down(void **state)
{
	(void)state;
	bool is_stopped = target_stop_until(target, 0);
	live_free(live);
	deadline_free(deadline);
	unlink(password_path);
	return is_stopped ? 0 : -1;
}

static int64_t turn(void)
{
	return target_step(target, (struct instant){fake.now_ms, fake.now_ms});
}

/* A turn, and after a fall the one that begins the pause. */
static int64_t step(void)
{
	int64_t next_ms = turn();
	return next_ms == fake.now_ms ? turn() : next_ms;
}

/* One second later, with so much more wait. */
static int64_t poll_after(int64_t ms, int64_t more_ms)
{
	fake.now_ms += ms;
	fake.wait_ms += more_ms;
	return step();
}

static struct live_target shown(void)
{
	struct live_target seen;

	live_get_target(live, 0, &seen);
	return seen;
}

static void the_first_poll_is_a_baseline_and_the_next_a_delta(void **state)
{
	(void)state;
	assert_int_equal(shown().state, TARGET_CONNECTING);
	assert_int_equal(step(), fake.now_ms + 1000);
	assert_int_equal(fake.quality, QUALITY_BASELINE);
	assert_string_equal(fake.password, "secret");
	poll_after(1000, 250);
	assert_int_equal(fake.quality, QUALITY_EXACT);
	assert_int_equal(fake.value, 250);
	assert_int_equal(fake.event_count, 0);
	assert_int_equal(shown().state, TARGET_UP);
	assert_int_equal(shown().collectors[COLLECTOR_WAITS].poll_count, 2);
	assert_int_equal(shown().counters_since_utc_ms[FAMILY_WAITS], 5);
}

static void a_failed_push_leaves_the_baseline(void **state)
{
	(void)state;
	step();
	fake.is_full = true;
	poll_after(1000, 250);
	assert_int_equal(fake.delta_count, 1);
	fake.is_full = false;
	poll_after(1000, 250);
	assert_int_equal(fake.value, 500);
	assert_int_equal(fake.interval_ms, 2000);
}

static void our_own_downtime_is_one_gap(void **state)
{
	struct baseline *kept = calloc(1, sizeof(*kept));
	struct error err = ERROR_INIT;
	const int64_t counters[FAMILY_COUNTERS_MAX] = {10, 400, 0, 0};
	struct epoch before = fake.epoch;

	(void)state;
	before.ms_ticks = 1000000 + fake.now_ms - 60000;
	kept->sample = sample_new(FAMILY_WAITS, &before, (struct instant){1, fake.now_ms - 60000});
	sample_add_row(kept->sample, "PAGELATCH_EX", 12, counters, 1);
	assert_true(sample_seal(kept->sample, &err));
	assert_true(target_stop_until(target, 0));
	start(kept);
	step();
	assert_int_equal(fake.quality, QUALITY_AFTER_GAP);
	assert_int_equal(fake.value, 600);
	assert_int_equal(fake.interval_ms, 60000);
	assert_int_equal(fake.event_count, 1);
	assert_string_equal(fake.events[0].kind, "gap");
	assert_int_equal(fake.events[0].begin_utc_ms, fake.now_ms - 60000);
	assert_int_equal(fake.events[0].end_utc_ms, fake.now_ms);
}

static void a_restart_is_told_once(void **state)
{
	(void)state;
	step();
	fake.epoch.process_id = 2;
	fake.epoch.start_ticks = 500000;
	fake.wait_ms = 10;
	poll_after(1000, 0);
	poll_after(1000, 10);
	assert_int_equal(fake.event_count, 1);
	assert_string_equal(fake.events[0].kind, "restart");
	assert_int_equal(fake.quality, QUALITY_EXACT);
}

static void an_unreachable_server_is_down_with_a_reason_and_recovers(void **state)
{
	(void)state;
	step();
	fake.query = (struct error){.kind = ERROR_UNREACHABLE, .text = "connection lost"};
	fake.login = (struct error){.kind = ERROR_UNREACHABLE, .text = "refused"};
	int64_t next_ms = poll_after(1000, 0);
	assert_int_equal(shown().state, TARGET_DOWN);
	assert_string_equal(shown().last_error.text, "connection lost");
	assert_in_range(next_ms - fake.now_ms, 800, 1200);
	fake.now_ms = next_ms;
	next_ms = step();
	assert_string_equal(shown().last_error.text, "refused");
	assert_in_range(next_ms - fake.now_ms, 1600, 2400);
	fake.query.kind = fake.login.kind = ERROR_NONE;
	fake.now_ms = next_ms;
	step();
	assert_int_equal(shown().state, TARGET_UP);
	assert_false(shown().last_error.is_set);
	assert_string_equal(fake.events[0].kind, "down");
	bool is_up_told = false;
	for (int i = 0; i < fake.event_count; i++)
		is_up_told |= strcmp(fake.events[i].kind, "up") == 0;
	assert_true(is_up_told);
}

static void the_pause_begins_when_the_turn_that_hung_has_ended(void **state)
{
	(void)state;
	step();
	fake.query = (struct error){.kind = ERROR_TIMEOUT, .text = "no answer"};
	fake.now_ms += 1000;
	turn();
	fake.now_ms += 2000; /* it hung so long */
	assert_in_range(turn() - fake.now_ms, 800, 1200);
	assert_int_equal(fake.login_count, 1);
}

static void a_refused_login_is_denied_and_tried_rarely(void **state)
{
	(void)state;
	fake.login = (struct error){
		.kind = ERROR_DENIED, .code = 18456, .text = "login 'latchd' refused"};
	int64_t next_ms = step();
	assert_int_equal(shown().state, TARGET_DENIED);
	assert_int_equal(shown().last_error.code, 18456);
	assert_in_range(next_ms - fake.now_ms, 8000, 12000);
	poll_after(1000, 0);
	assert_int_equal(fake.login_count, 1);
	write_password("better\n");
	fake.login.kind = ERROR_NONE;
	fake.now_ms = next_ms;
	step();
	assert_string_equal(fake.password, "better");
	assert_int_equal(shown().state, TARGET_UP);
}

static void a_missing_right_is_denied_and_names_the_grant(void **state)
{
	(void)state;
	fake.views = (struct error){.kind = ERROR_DENIED, .code = 300, .text = "no permission"};
	step();
	assert_int_equal(shown().state, TARGET_DENIED);
	assert_non_null(strstr(shown().last_error.text, "GRANT IT"));
	fake.views.kind = ERROR_NONE;
	poll_after(1000, 0);
	assert_int_equal(shown().state, TARGET_UP);
	assert_int_equal(fake.login_count, 1);
}

static void a_right_missing_for_the_whole_answer_names_the_grant(void **state)
{
	(void)state;
	fake.query = (struct error){.kind = ERROR_DENIED, .code = 300, .text = "no permission"};
	step();
	assert_int_equal(shown().state, TARGET_DENIED);
	assert_int_equal(shown().collectors[COLLECTOR_WAITS].state, COLLECTOR_DENIED);
	assert_string_equal(shown().last_error.text, "no permission; GRANT IT");
}

static void a_denied_select_names_no_grant(void **state)
{
	(void)state;
	fake.views = (struct error){.kind = ERROR_DENIED, .code = 229, .text = "no SELECT"};
	step();
	assert_string_equal(shown().last_error.text, "no SELECT");
}

static void a_missing_password_file_is_down_and_no_login(void **state)
{
	(void)state;
	unlink(password_path);
	step();
	assert_int_equal(shown().state, TARGET_DOWN);
	assert_int_equal(fake.login_count, 0);
	assert_non_null(strstr(shown().last_error.text, password_path));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_first_poll_is_a_baseline_and_the_next_a_delta),
		TEST(a_failed_push_leaves_the_baseline),
		TEST(our_own_downtime_is_one_gap),
		TEST(a_restart_is_told_once),
		TEST(an_unreachable_server_is_down_with_a_reason_and_recovers),
		TEST(the_pause_begins_when_the_turn_that_hung_has_ended),
		TEST(a_refused_login_is_denied_and_tried_rarely),
		TEST(a_right_missing_for_the_whole_answer_names_the_grant),
		TEST(a_denied_select_names_no_grant),
		TEST(a_missing_right_is_denied_and_names_the_grant),
		TEST(a_missing_password_file_is_down_and_no_login),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
