/* SPDX-License-Identifier: Apache-2.0 */
/* Status and health of latchd itself. */
#include <string.h>

#include "tests/support.h"
#include "tests/web/web_fixture.h"

static int start(void **state)
{
	static struct web_fixture fixture;
	fixture_start(&fixture);
	*state = &fixture;
	return 0;
}

static int stop(void **state)
{
	fixture_stop(*state);
	return 0;
}

static bool is_never_ready(void *context)
{
	(void)context;
	return false;
}

static int status_of(struct web_fixture *fixture, const char *path)
{
	struct response response;
	fixture_send(fixture, "GET", path, &response);
	const int status = response.status;
	response_done(&response);
	return status;
}

/* B110: the sizes of the store and of its log are told. */
static void status_tells_of_store_queue_and_process(void **state)
{
	json_t *const root = fixture_get(*state, "/api/v1/status", 200);
	fixture_assert_members(root, "version started_utc_ms uptime_ms ready config targets store "
				     "queue process");
	assert_string_equal(fixture_text(root, "version"), LATCHD_VERSION);
	assert_int_equal(fixture_int(root, "uptime_ms"), 100000);
	assert_string_equal(fixture_text(root, "config.state"), "loaded");
	assert_int_equal(fixture_int(root, "targets.total"), 1);
	assert_int_equal(fixture_int(root, "targets.connecting"), 1);
	assert_int_equal(fixture_int(root, "targets.stale"), 1);
	assert_int_equal(fixture_int(root, "queue.capacity"), 8);
	fixture_assert_members(fixture_at(root, "store"),
			       "path size_bytes wal_bytes commits commit_failures last_commit "
			       "failing last_error");
	assert_true(fixture_int(root, "process.resident_bytes") > 0);
	json_decref(root);
}

static void a_dead_server_does_not_make_it_unready(void **state)
{
	static const char *const paths[] = {"/-/healthy", "/livez", "/healthz", "/-/ready",
					    "/readyz"};
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		assert_int_equal(status_of(*state, paths[i]), 200);
}

static void not_ready_is_503_and_still_healthy(void **state)
{
	struct web_fixture *const fixture = *state;
	fixture->context.options.is_ready = is_never_ready;
	json_decref(fixture_get(fixture, "/-/ready", 503));
	assert_int_equal(status_of(fixture, "/-/healthy"), 200);
	fixture->context.options.is_ready = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(status_tells_of_store_queue_and_process),
		cmocka_unit_test(a_dead_server_does_not_make_it_unready),
		cmocka_unit_test(not_ready_is_503_and_still_healthy),
	};
	return cmocka_run_group_tests(tests, start, stop);
}
