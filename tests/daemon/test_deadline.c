/* SPDX-License-Identifier: Apache-2.0 */
/* Deadline slots end reads that nothing else would end. */
#include "daemon/deadline.h"

#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/support.h"

struct fixture {
	struct deadline *deadline;
	struct deadline_slot *slot;
	int ends[2];
};

static int set_up(void **state)
{
	static struct fixture fixture;

	fixture.deadline = deadline_new(2);
	fixture.slot = deadline_slot(fixture.deadline, 1);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fixture.ends) != 0)
		return -1;
	*state = &fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	deadline_free(fixture->deadline);
	close(fixture->ends[0]);
	close(fixture->ends[1]);
	return 0;
}

/* 0: the peer sees the end; -1: it would have to wait. */
static ssize_t peek(int fd)
{
	char byte;

	return recv(fd, &byte, 1, MSG_DONTWAIT);
}

static void a_passed_deadline_shuts_the_socket_down(void **state)
{
	struct fixture *f = *state;

	deadline_on_socket(f->slot, dup(f->ends[0]));
	deadline_begin(f->slot, 1000);
	deadline_tick(f->deadline, 999);
	assert_int_equal(peek(f->ends[0]), -1);
	deadline_tick(f->deadline, 1000);
	assert_int_equal(peek(f->ends[0]), 0);
	assert_true(deadline_end(f->slot));
}

static void a_lifted_deadline_leaves_the_socket_alone(void **state)
{
	struct fixture *f = *state;

	deadline_on_socket(f->slot, dup(f->ends[0]));
	deadline_begin(f->slot, 1000);
	assert_false(deadline_end(f->slot));
	deadline_tick(f->deadline, 5000);
	assert_int_equal(peek(f->ends[0]), -1);
}

static void a_socket_that_comes_too_late_is_shut_down_at_once(void **state)
{
	struct fixture *f = *state;

	deadline_begin(f->slot, 1000);
	assert_false(deadline_is_stuck(f->slot, 999));
	assert_true(deadline_is_stuck(f->slot, 1000));
	deadline_tick(f->deadline, 1000);
	deadline_on_socket(f->slot, dup(f->ends[0]));
	assert_int_equal(peek(f->ends[0]), 0);
	assert_false(deadline_is_stuck(f->slot, 1000));
}

static void ending_shuts_down_what_is_and_what_comes(void **state)
{
	struct fixture *f = *state;

	deadline_shut_all(f->deadline);
	deadline_on_socket(f->slot, dup(f->ends[0]));
	assert_int_equal(peek(f->ends[0]), 0);
}

static void *tick_until_passed(void *context)
{
	struct deadline *deadline = context;

	deadline_tick(deadline, 1000);
	return NULL;
}

static void another_thread_ends_a_read_that_blocks(void **state)
{
	struct fixture *f = *state;
	pthread_t thread;
	char byte;

	deadline_on_socket(f->slot, dup(f->ends[0]));
	deadline_begin(f->slot, 1000);
	assert_int_equal(pthread_create(&thread, NULL, tick_until_passed, f->deadline), 0);
	assert_int_equal(recv(f->ends[0], &byte, 1, 0), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(deadline_end(f->slot));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_passed_deadline_shuts_the_socket_down),
		TEST(a_lifted_deadline_leaves_the_socket_alone),
		TEST(a_socket_that_comes_too_late_is_shut_down_at_once),
		TEST(ending_shuts_down_what_is_and_what_comes),
		TEST(another_thread_ends_a_read_that_blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
