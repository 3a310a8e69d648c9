/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The watcher: one episode is told once, whatever fails or dies in between. The store is a fake
 * that keeps alerts and messages over "crashes"; rules and alerts are the real ones, the detector
 * is a fake.
 */
#include "daemon/watcher.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/alloc.h"
#include "storage/batch.h"
#include "storage/query.h"
#include "tests/support.h"

enum { COMMITS_MAX = 64, TEXTS_MAX = 16 };

static struct {
	struct {
		int64_t end_utc_ms;
		int64_t wait_ms; /* of PAGELATCH_EX in 1 s */
	} commits[COMMITS_MAX];	 /* commit i + 1 */
	int commit_count;
	struct alert alert; /* rule "" while there is none */
	char *outbox[TEXTS_MAX];
	int outbox_count;
	int event_count;
	struct hotspot hotspot; /* as stored; id 0 while there is none */
	bool is_failing;
	/* the detector */
	bool has_hotspot;
	int64_t told_id;
	int gap_count;
} fake;

static struct live *live;
static struct watcher *watcher;
static struct rule rule;
static int woken_count;

struct reader *reader_borrow(struct reader_pool *pool, int64_t deadline_mono_ms, struct error *err)
{
	(void)pool, (void)deadline_mono_ms, (void)err;
	return (struct reader *)&fake;
}

void reader_return(struct reader *reader)
{
	(void)reader;
}

bool query_deltas_after_commit(struct reader *reader, int64_t target_id, enum family family,
			       int64_t since_utc_ms, int64_t after_commit, query_delta_fn *each,
			       void *context, struct error *err)
{
	(void)reader, (void)since_utc_ms, (void)err;
	assert_int_equal(target_id, 7);
	assert_int_equal(family, FAMILY_WAITS);
	for (int i = (int)after_commit; i < fake.commit_count; i++) {
		struct delta_row rows[] = {
			{.name = "OTHER", .counters = {1, 999999, 0}},
			{.name = "PAGELATCH_EX", .counters = {1, fake.commits[i].wait_ms, 0}},
		};
		struct stored_delta stored = {
			.commit_id = i + 1,
			.delta = {.family = family,
				  .quality = QUALITY_EXACT,
				  .has_rate = true,
				  .end_utc_ms = fake.commits[i].end_utc_ms,
				  .interval_ms = 1000,
				  .elapsed_ms = 1000,
				  .rows = rows,
				  .row_count = 2},
		};
		each(context, &stored);
	}
	return true;
}

bool query_alerts(struct reader *reader, query_alert_fn *each, void *context, struct error *err)
{
	(void)reader, (void)err;
	if (fake.alert.rule[0])
		each(context, &fake.alert);
	return true;
}

bool query_hotspots(struct reader *reader, int64_t target_id, int64_t start_utc_ms,
		    int64_t end_utc_ms, query_hotspot_fn *each, void *context, struct error *err)
{
	(void)reader, (void)target_id, (void)start_utc_ms, (void)end_utc_ms, (void)err;
	if (fake.hotspot.id != 0)
		each(context, &fake.hotspot);
	return true;
}

bool query_owners(struct reader *reader, int64_t target_id, int64_t since_utc_ms,
		  query_owner_fn *each, void *context, struct error *err)
{
	(void)reader, (void)target_id, (void)since_utc_ms, (void)each, (void)context, (void)err;
	return true;
}

bool query_tasks_after_commit(struct reader *reader, int64_t target_id, int64_t since_utc_ms,
			      int64_t after_commit, query_tasks_fn *each, void *context,
			      struct error *err)
{
	(void)reader, (void)target_id, (void)since_utc_ms, (void)after_commit, (void)each;
	(void)context, (void)err;
	return true;
}

bool writer_push_and_wait(struct writer *writer, struct batch **batch, int64_t deadline_mono_ms,
			  struct error *err)
{
	(void)writer, (void)deadline_mono_ms;
	if (fake.is_failing)
		return error_set(err, ERROR_FULL, 0, "the disk is full");
	for (size_t i = 0; i < (*batch)->alert_count; i++)
		fake.alert = (*batch)->alerts[i];
	for (size_t i = 0; i < (*batch)->outbox_count; i++)
		fake.outbox[fake.outbox_count++] = TAKE((*batch)->outbox[i].body);
	for (size_t i = 0; i < (*batch)->hotspot_count; i++) {
		fake.hotspot = (*batch)->hotspots[i];
		fake.hotspot.id = 42;
	}
	fake.event_count += (int)(*batch)->event_count;
	batch_free(*batch);
	*batch = NULL;
	return true;
}

struct hot_page *hot_page_new(int64_t target_id, const struct hot_page_options *options)
{
	assert_int_equal(target_id, 7);
	assert_int_equal(options->interval_ms, 1000);
	return (struct hot_page *)&fake;
}

void hot_page_free(struct hot_page *detector)
{
	(void)detector;
}

void hot_page_restore(struct hot_page *detector, const struct hotspot *hotspot)
{
	(void)detector;
	fake.told_id = hotspot->id;
}

void hot_page_learn(struct hot_page *detector, const struct page_owner *owner)
{
	(void)detector, (void)owner;
}

void hot_page_add(struct hot_page *detector, const struct task_sample *sample)
{
	(void)detector, (void)sample;
}

size_t hot_page_judge(struct hot_page *detector, int64_t now_utc_ms, struct hotspot *hotspots,
		      size_t hotspot_max)
{
	(void)detector, (void)now_utc_ms;
	assert_true(hotspot_max > 0);
	if (!fake.has_hotspot)
		return 0;
	hotspots[0] = (struct hotspot){
		.id = fake.told_id, .target_id = 7, .is_active = true, .object = "dbo.Orders"};
	return 1;
}

void hot_page_set_id(struct hot_page *detector, const struct hotspot *stored)
{
	(void)detector;
	fake.told_id = stored->id;
}

void hot_page_gap(struct hot_page *detector, int64_t begin_utc_ms, int64_t end_utc_ms)
{
	(void)detector;
	assert_true(begin_utc_ms < end_utc_ms);
	fake.gap_count++;
}

static void on_outbox(void *context)
{
	(void)context;
	woken_count++;
}

static void start(int64_t at_ms)
{
	watcher = watcher_new(
		&(struct watcher_options){
			.rules = &rule, .rule_count = 1, .live = live, .on_outbox = on_outbox},
		(struct instant){at_ms, at_ms});
}

static void crash_and_start(int64_t at_ms)
{
	assert_true(watcher_stop_until(watcher, 0));
	start(at_ms);
}

/* A poll of one second with so much wait, at that time, seen by live too. */
static void commit(int64_t end_ms, int64_t wait_ms)
{
	struct live_target target;

	fake.commits[fake.commit_count].end_utc_ms = end_ms;
	fake.commits[fake.commit_count++].wait_ms = wait_ms;
	live_get_target(live, 0, &target);
	target.collectors[COLLECTOR_WAITS].last_ok_mono_ms = end_ms;
	target.collectors[COLLECTOR_WAITING_TASKS].last_ok_mono_ms = end_ms;
	target.collectors[COLLECTOR_WAITING_TASKS].last_ok_utc_ms = end_ms;
	live_set_target(live, 0, &target);
}

static void look(int64_t at_ms)
{
	assert_int_equal(watcher_step(watcher, (struct instant){at_ms, at_ms}), at_ms + 1000);
}

static int set_up(void **state)
{
	struct live_target target = {.id = 7, .name = "prod"};
	struct error err = ERROR_INIT;

	(void)state;
	memset(&fake, 0, sizeof(fake));
	woken_count = 0;
	target.collectors[COLLECTOR_WAITS].interval_ms = 1000;
	target.collectors[COLLECTOR_WAITING_TASKS].interval_ms = 1000;
	live = live_new(1);
	live_set_target(live, 0, &target);
	rule = (struct rule){.name = "High", .severity = "warning", .for_ms = 3000, .clear = 500};
	if (!rule_parse_when("wait(\"PAGELATCH_EX\") > 1000ms/s", &rule, &err))
		return -1;
	rule.notifier_count = 1;
	snprintf(rule.notifiers[0], sizeof(rule.notifiers[0]), "ops");
	start(100000);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	for (int i = 0; i < fake.outbox_count; i++)
		free(fake.outbox[i]);
	bool is_stopped = watcher_stop_until(watcher, 0);
	live_free(live);
	return is_stopped ? 0 : -1;
}

static void breach(int64_t from_ms, int64_t seconds, int64_t wait_ms)
{
	for (int64_t i = 1; i <= seconds; i++)
		commit(from_ms + i * 1000, wait_ms);
}

static void an_episode_is_told_as_firing_and_resolved(void **state)
{
	(void)state;
	breach(100000, 4, 5000);
	look(104500);
	assert_int_equal(fake.outbox_count, 1);
	assert_non_null(strstr(fake.outbox[0], "\"status\":\"firing\""));
	assert_non_null(strstr(fake.outbox[0], "\"target\":\"prod\""));
	assert_int_equal(fake.alert.state, ALERT_FIRING);
	assert_non_null(strstr(fake.alert.labels, "\"alertname\":\"High\""));
	breach(104000, 4, 0);
	look(108500);
	assert_int_equal(fake.outbox_count, 2);
	assert_non_null(strstr(fake.outbox[1], "\"status\":\"resolved\""));
	assert_int_equal(fake.event_count, 2);
	assert_int_equal(woken_count, 2);
}

static void a_rule_is_listed_before_its_target_was_heard(void **state)
{
	(void)state;
	look(100500);
	assert_string_equal(fake.alert.rule, "High");
	assert_false(fake.alert.has_value);
	fake.alert.rule[0] = '\0';
	look(101500);
	assert_string_equal(fake.alert.rule, "");
}

static void nothing_new_is_told_by_looking_again(void **state)
{
	(void)state;
	breach(100000, 6, 5000);
	look(106500);
	look(107500);
	look(108500);
	assert_int_equal(fake.outbox_count, 1);
}

static void a_crash_after_the_commit_does_not_repeat_it(void **state)
{
	(void)state;
	breach(100000, 4, 5000);
	look(104500);
	crash_and_start(105000);
	breach(104000, 2, 5000);
	look(106500);
	assert_int_equal(fake.outbox_count, 1);
	assert_int_equal(fake.alert.state, ALERT_FIRING);
	assert_int_equal(fake.alert.evaluated_commit, 6);
}

static void a_crash_before_the_commit_does_not_lose_it(void **state)
{
	(void)state;
	breach(100000, 2, 5000);
	look(102500);
	breach(102000, 2, 5000);
	fake.is_failing = true;
	look(104500);
	assert_int_equal(fake.outbox_count, 0);
	crash_and_start(105000);
	fake.is_failing = false;
	look(105500);
	assert_int_equal(fake.outbox_count, 1);
	assert_int_equal(fake.alert.fired_utc_ms, 103000);
}

static void a_commit_that_fails_is_judged_again(void **state)
{
	(void)state;
	breach(100000, 4, 5000);
	fake.is_failing = true;
	look(104500);
	fake.is_failing = false;
	look(105500);
	look(106500);
	assert_int_equal(fake.outbox_count, 1);
	assert_int_equal(woken_count, 1);
}

static void lost_data_are_told_where_the_rule_wants_it(void **state)
{
	(void)state;
	rule.no_data = RULE_NO_DATA_ALERT;
	breach(100000, 1, 0);
	look(101500);
	look(105500);
	look(106500);
	assert_int_equal(fake.outbox_count, 1);
	assert_int_equal(fake.alert.state, ALERT_NO_DATA);
	breach(106000, 1, 0);
	look(107500);
	assert_int_equal(fake.outbox_count, 2);
	assert_non_null(strstr(fake.outbox[1], "\"status\":\"resolved\""));
}

static void silence_resolves_nothing(void **state)
{
	(void)state;
	breach(100000, 4, 5000);
	look(104500);
	for (int64_t at_ms = 105500; at_ms < 140000; at_ms += 1000)
		look(at_ms);
	assert_int_equal(fake.alert.state, ALERT_FIRING);
	assert_int_equal(fake.outbox_count, 1);
	assert_true(fake.gap_count > 0);
}

static void a_hotspot_gets_its_id_before_it_is_judged_again(void **state)
{
	(void)state;
	fake.has_hotspot = true;
	breach(100000, 1, 0);
	look(101500);
	assert_int_equal(fake.told_id, 0);
	look(102500);
	assert_int_equal(fake.told_id, 42);
}

/* B103: a notice about a wait says what is waited for. */
static void the_evidence_names_the_hotspot(void **state)
{
	(void)state;
	fake.has_hotspot = true;
	breach(100000, 1, 5000);
	look(101500);
	breach(101000, 3, 5000);
	look(104500);
	assert_non_null(strstr(fake.outbox[0], "\"object\":\"dbo.Orders\""));
	assert_non_null(strstr(fake.alert.evidence, "\"object\":\"dbo.Orders\""));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_episode_is_told_as_firing_and_resolved),
		TEST(a_rule_is_listed_before_its_target_was_heard),
		TEST(nothing_new_is_told_by_looking_again),
		TEST(a_crash_after_the_commit_does_not_repeat_it),
		TEST(a_crash_before_the_commit_does_not_lose_it),
		TEST(a_commit_that_fails_is_judged_again),
		TEST(lost_data_are_told_where_the_rule_wants_it),
		TEST(silence_resolves_nothing),
		TEST(a_hotspot_gets_its_id_before_it_is_judged_again),
		TEST(the_evidence_names_the_hotspot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
