/* SPDX-License-Identifier: Apache-2.0 */
/* Events: shape, range, order, limit. */
#include <stdio.h>
#include <string.h>

#include "storage/batch.h"
#include "tests/support.h"
#include "tests/web/web_fixture.h"

#define EVENTS "/api/v1/targets/prod-01/events"

static int start(void **state)
{
	static struct web_fixture fixture;
	fixture_start(&fixture);
	struct batch *const batch = batch_new(fixture.target.id);
	for (int i = 0; i < 3; i++) {
		struct event event = {.target_id = fixture.target.id,
				      .begin_utc_ms =
					      fixture_now_utc_ms - INT64_C(600000) * (i + 1) - 5000,
				      .end_utc_ms = fixture_now_utc_ms - INT64_C(600000) * (i + 1),
				      .kind = "restart",
				      .family = i == 0 ? FAMILY_LATCHES : NO_FAMILY,
				      .details = "{\"uptime_ms\":9223372036854775807}"};
		snprintf(event.text, sizeof(event.text), "number %d", i);
		batch_add_event(batch, &event);
	}
	fixture_commit(&fixture, batch);
	*state = &fixture;
	return 0;
}

static int stop(void **state)
{
	fixture_stop(*state);
	return 0;
}

static void every_member_is_there_and_the_newest_comes_first(void **state)
{
	json_t *const root = fixture_get(*state, EVENTS, 200);
	/* B115, B116: how old this is, here that nothing was polled yet. */
	assert_true(json_is_null(fixture_at(root, "age_ms")));
	assert_true(json_is_true(fixture_at(root, "stale")));
	assert_int_equal(json_array_size(fixture_at(root, "events")), 3);
	json_t *const event = fixture_at(root, "events.0");
	fixture_assert_members(event, "t t_end kind family text details");
	assert_string_equal(fixture_text(event, "text"), "number 0");
	assert_string_equal(fixture_text(event, "kind"), "restart");
	assert_string_equal(fixture_text(event, "family"), "latches");
	assert_int_equal(fixture_int(event, "t"), fixture_now_utc_ms - 605000);
	assert_int_equal(fixture_int(event, "t_end"), fixture_now_utc_ms - 600000);
	assert_int_equal(fixture_int(event, "details.uptime_ms"), INT64_MAX);
	assert_true(json_is_null(fixture_at(root, "events.1.family")));
	json_decref(root);
}

static void range_and_limit_are_kept(void **state)
{
	json_t *root = fixture_get(*state, EVENTS "?start=-21m", 200);
	assert_int_equal(json_array_size(fixture_at(root, "events")), 2);
	json_decref(root);
	root = fixture_get(*state, EVENTS "?limit=1", 200);
	assert_int_equal(json_array_size(fixture_at(root, "events")), 1);
	json_decref(root);
	root = fixture_get(*state, EVENTS "?limit=100000", 422);
	json_decref(root);
	root = fixture_get(*state, "/api/v1/targets/nobody/events", 404);
	assert_non_null(strstr(fixture_text(root, "errors.0.hint"), "'prod-01'"));
	json_decref(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_member_is_there_and_the_newest_comes_first),
		cmocka_unit_test(range_and_limit_are_kept),
	};
	return cmocka_run_group_tests(tests, start, stop);
}
