/* SPDX-License-Identifier: Apache-2.0 */
/* The stop token wakes whoever sleeps on it, once and for ever. */
#include "daemon/base/stop.h"

#include <pthread.h>

#include "daemon/base/clock.h"
#include "tests/support.h"

static void wait_ends_at_a_deadline_in_the_past(void **state)
{
	(void)state;
	CLEANUP(stop_freep) struct stop *stop = stop_new();
	assert_false(stop_wait_until(stop, 0));
	assert_false(stop_is_requested(stop));
}

static void wake_before_the_wait_is_not_lost(void **state)
{
	(void)state;
	CLEANUP(stop_freep) struct stop *stop = stop_new();
	stop_wake(stop);
	assert_false(stop_wait_until(stop, INT64_MAX));
}

static void request_before_the_wait_is_seen_again_and_again(void **state)
{
	(void)state;
	CLEANUP(stop_freep) struct stop *stop = stop_new();
	stop_request(stop);
	assert_true(stop_wait_until(stop, INT64_MAX));
	assert_true(stop_wait_until(stop, INT64_MAX));
	assert_true(stop_is_requested(stop));
}

static void *wait_for_ever(void *stop)
{
	while (!stop_wait_until(stop, INT64_MAX))
		;
	return NULL;
}

static void request_ends_every_waiting_thread(void **state)
{
	(void)state;
	CLEANUP(stop_freep) struct stop *stop = stop_new();
	pthread_t threads[4];
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, wait_for_ever, stop), 0);
	stop_wake(stop);
	stop_request(stop);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wait_ends_at_a_deadline_in_the_past),
		cmocka_unit_test(wake_before_the_wait_is_not_lost),
		cmocka_unit_test(request_before_the_wait_is_seen_again_and_again),
		cmocka_unit_test(request_ends_every_waiting_thread),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
