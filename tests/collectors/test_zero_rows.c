/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that are all zero do not travel: against a simulated server, what is still told apart. */
#include <string.h>

#include "collectors/collect.h"
#include "tests/collectors/simulated_target.h"
#include "tests/support.h"

enum { ALL_DUE = (1U << COLLECTOR_COUNT) - 1U };

/* S27, B049: rows of zeros stay away, the view does not. */
static void a_cleared_view_still_has_rows(void **state)
{
	(void)state;
	struct server server;
	struct epoch epoch;
	CLEANUP(session_closep) struct session *session = open_server(&server, &epoch);
	CLEANUP(collected_done) struct collected collected = {0};
	simulator_control(&target.simulator, "workload idle");
	for (int i = 0; i < FAMILY_COUNT; i++)
		simulator_control(&target.simulator, "clear %s", collector_info(i)->name);
	assert_collected(session, &server, ALL_DUE, &collected);
	simulator_control(&target.simulator, "workload last-page");
	for (int i = 0; i < FAMILY_COUNT; i++) {
		assert_true(collected.views[i].is_ok);
		assert_in_range(collected.samples[i]->row_count, 1, 20);
	}
	assert_non_null(sample_find(collected.samples[FAMILY_WAITS], "XE_TIMER_EVENT"));
	const struct sample_row *row = sample_find(collected.samples[FAMILY_LATCHES], "BUFFER");
	assert_non_null(row);
	assert_int_equal(row->counters[LATCHES_TIME_MS], 0);
}

/* B049: not even the names that always come. */
static void a_view_without_rows_is_a_failed_poll(void **state)
{
	(void)state;
	static const char *const names[] = {"BUFFER", "LOG_MANAGER", "FGCB_ADD_REMOVE",
					    "ACCESS_METHODS_DATASET_PARENT"};
	struct server server;
	struct epoch epoch;
	CLEANUP(session_closep) struct session *session = open_server(&server, &epoch);
	CLEANUP(collected_done) struct collected collected = {0};
	simulator_control(&target.simulator, "workload idle");
	simulator_control(&target.simulator, "clear latches");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		simulator_control(&target.simulator, "remove latches %s", names[i]);
	assert_collected(session, &server, ALL_DUE, &collected);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		simulator_control(&target.simulator, "add latches %s", names[i]);
	simulator_control(&target.simulator, "workload last-page");
	assert_false(collected.views[COLLECTOR_LATCHES].is_ok);
	assert_non_null(strstr(collected.views[COLLECTOR_LATCHES].error.text, "no rows"));
	assert_null(collected.samples[FAMILY_LATCHES]);
	assert_true(collected.views[COLLECTOR_WAITS].is_ok);
}

/* A NULL beside zeros is not known to be zero. */
static void a_null_among_zeros_travels(void **state)
{
	(void)state;
	struct server server;
	struct epoch epoch;
	CLEANUP(session_closep) struct session *session = open_server(&server, &epoch);
	CLEANUP(collected_done) struct collected collected = {0};
	simulator_control(&target.simulator, "add spinlocks ALL_ZERO");
	simulator_control(&target.simulator, "add spinlocks ONE_NULL");
	simulator_control(&target.simulator, "null spinlocks ONE_NULL backoffs");
	assert_collected(session, &server, ALL_DUE, &collected);
	simulator_control(&target.simulator, "remove spinlocks ONE_NULL");
	simulator_control(&target.simulator, "remove spinlocks ALL_ZERO");
	const struct sample *spinlocks = collected.samples[FAMILY_SPINLOCKS];
	assert_true(sample_has_rejected(spinlocks, "ONE_NULL"));
	assert_false(sample_has_rejected(spinlocks, "ALL_ZERO"));
	assert_null(sample_find(spinlocks, "ALL_ZERO"));
}

int main(void)
{
	simulator_skip_without();
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cleared_view_still_has_rows),
		cmocka_unit_test(a_view_without_rows_is_a_failed_poll),
		cmocka_unit_test(a_null_among_zeros_travels),
	};
	return cmocka_run_group_tests(tests, start_target, stop_target);
}
