/* SPDX-License-Identifier: Apache-2.0 */
/* The sender: what becomes of messages when receiver or store fail. Store and webhook are fakes. */
#include "daemon/sender.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/alloc.h"
#include "storage/batch.h"
#include "storage/query.h"
#include "tests/support.h"
#include "web/outbound_webhook.h"

enum { ROWS_MAX = 4, POSTS_MAX = 16 };

static struct {
	struct outbox_row rows[ROWS_MAX]; /* by age; id 0: gone */
	int64_t posted[POSTS_MAX];
	int post_count;
	int failures_left;  /* posts that fail before one succeeds */
	int failure_status; /* 0: unreachable */
	int store_failures_left;
	int event_count;
} fake;

static struct sender *sender;
static const struct config_notifier notifier = {.name = "ops"};

struct reader *reader_borrow(struct reader_pool *pool, int64_t deadline_mono_ms, struct error *err)
{
	(void)pool, (void)deadline_mono_ms, (void)err;
	return (struct reader *)&fake;
}

void reader_return(struct reader *reader)
{
	(void)reader;
}

bool query_outbox(struct reader *reader, const char *name, int64_t due_utc_ms,
		  query_outbox_fn *each, void *context, struct error *err)
{
	(void)reader, (void)err;
	assert_string_equal(name, "ops");
	for (int i = 0; i < ROWS_MAX; i++)
		if (fake.rows[i].id != 0 && fake.rows[i].due_utc_ms <= due_utc_ms &&
		    !each(context, &fake.rows[i]))
			break;
	return true;
}

static struct outbox_row *find_row(int64_t id)
{
	for (int i = 0; i < ROWS_MAX; i++)
		if (fake.rows[i].id == id)
			return &fake.rows[i];
	fail_msg("no row %lld", (long long)id);
	return NULL;
}

bool writer_push_and_wait(struct writer *writer, struct batch **batch, int64_t deadline_mono_ms,
			  struct error *err)
{
	(void)writer, (void)deadline_mono_ms;
	if (fake.store_failures_left > 0) {
		fake.store_failures_left--;
		return error_set(err, ERROR_TIMEOUT, 0, "the queue is full");
	}
	for (size_t i = 0; i < (*batch)->delivered_count; i++) {
		struct outbox_row *row = find_row((*batch)->outbox_delivered[i]);
		free(row->body);
		*row = (struct outbox_row){0};
	}
	for (size_t i = 0; i < (*batch)->outbox_count; i++) {
		struct outbox_row *row = find_row((*batch)->outbox[i].id);
		row->attempt_count = (*batch)->outbox[i].attempt_count;
		row->due_utc_ms = (*batch)->outbox[i].due_utc_ms;
		assert_string_equal((*batch)->outbox[i].body, row->body);
	}
	fake.event_count += (int)(*batch)->event_count;
	batch_free(*batch);
	*batch = NULL;
	return true;
}

struct webhook *webhook_new(const char *url, int64_t timeout_ms, struct error *err)
{
	(void)url, (void)timeout_ms, (void)err;
	return (struct webhook *)&fake;
}

void webhook_free(struct webhook *webhook)
{
	(void)webhook;
}

bool webhook_post(struct webhook *webhook, const char *body, int64_t delivery_id, struct error *err)
{
	(void)webhook, (void)body;
	fake.posted[fake.post_count++] = delivery_id;
	if (fake.failures_left == 0)
		return true;
	fake.failures_left--;
	if (fake.failure_status == 0)
		return error_set(err, ERROR_UNREACHABLE, 0, "refused");
	return error_set(err, ERROR_SERVER, fake.failure_status, "answers %d", fake.failure_status);
}

static void add_row(int64_t id)
{
	fake.rows[id - 1] = (struct outbox_row){
		.id = id, .created_utc_ms = 1000, .due_utc_ms = 1000, .body = xstrdup("{}")};
}

static int64_t step(int64_t at_ms)
{
	return sender_step(sender, (struct instant){at_ms, at_ms});
}

static int set_up(void **state)
{
	struct error err = ERROR_INIT;

	(void)state;
	memset(&fake, 0, sizeof(fake));
	add_row(1);
	add_row(2);
	sender = sender_new(&(struct sender_options){.notifier = &notifier}, &err);
	return sender ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	for (int i = 0; i < ROWS_MAX; i++)
		free(fake.rows[i].body);
	return sender_stop_until(sender, 0) ? 0 : -1;
}

static void messages_leave_in_order_and_once(void **state)
{
	(void)state;
	step(2000);
	step(2000);
	step(2000);
	assert_int_equal(fake.post_count, 2);
	assert_int_equal(fake.posted[0], 1);
	assert_int_equal(fake.posted[1], 2);
	assert_int_equal(fake.rows[0].id, 0);
	assert_int_equal(fake.rows[1].id, 0);
}

static void a_failed_post_backs_off_and_holds_up_the_next(void **state)
{
	(void)state;
	fake.failures_left = 2;
	step(2000);
	assert_int_equal(fake.rows[0].attempt_count, 1);
	assert_int_equal(fake.rows[0].due_utc_ms, 3000);
	assert_int_equal(step(2500), 3000);
	assert_int_equal(fake.post_count, 1);
	step(3000);
	assert_int_equal(fake.rows[0].due_utc_ms, 5000);
	step(5000);
	assert_int_equal(fake.rows[0].id, 0);
	assert_int_equal(fake.posted[2], 1);
	assert_int_equal(fake.rows[1].id, 2);
}

static void a_message_refused_for_good_is_given_up_with_an_event(void **state)
{
	(void)state;
	fake.failures_left = 1;
	fake.failure_status = 400;
	step(2000);
	assert_int_equal(fake.rows[0].id, 0);
	assert_int_equal(fake.event_count, 1);
	step(2000);
	assert_int_equal(fake.posted[1], 2);
}

static void an_overloaded_receiver_is_tried_again(void **state)
{
	(void)state;
	fake.failures_left = 1;
	fake.failure_status = 429;
	step(2000);
	assert_int_equal(fake.rows[0].id, 1);
	assert_int_equal(fake.event_count, 0);
}

static void what_the_store_did_not_hear_is_not_posted_again(void **state)
{
	(void)state;
	fake.store_failures_left = 2;
	step(2000);
	step(3000);
	assert_int_equal(fake.post_count, 1);
	step(4000);
	assert_int_equal(fake.rows[0].id, 0);
	assert_int_equal(fake.post_count, 2);
	assert_int_equal(fake.posted[1], 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(messages_leave_in_order_and_once),
		TEST(a_failed_post_backs_off_and_holds_up_the_next),
		TEST(a_message_refused_for_good_is_given_up_with_an_event),
		TEST(an_overloaded_receiver_is_tried_again),
		TEST(what_the_store_did_not_hear_is_not_posted_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
