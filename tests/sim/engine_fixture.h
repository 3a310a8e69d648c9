/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For the tests of the engine: an instance on a clock that only tests move, one session, and
 * answers as text. One thread.
 */
#pragma once

#include "tests/sim/instance.h"
#include "tests/sim/text.h"
#include "tests/support.h"

struct fixture {
	_Atomic int64_t mono_us; /* sessions of several threads read it */
	int64_t utc_us;
	int64_t step_us; /* by which each reading moves the clock; 0 = none */
	struct instance *instance;
	struct session_engine *engine;
	struct text answer;
};

/* Set-up and tear-down of cmocka; the workload is "idle". */
int fixture_setup(void **state);
int fixture_teardown(void **state);

/* The same for another version, and one login as --login takes it, or NULL; the user is "latchd".
 */
struct fixture *fixture_open(const char *profile, const char *login);
void fixture_close(struct fixture *fixture);

/* Lets both clocks run on. */
void fixture_advance(struct fixture *fixture, int64_t milliseconds);

/*
 * Runs a batch. Columns are separated by '|', rows and messages by line feeds; a result set begins
 * with its names and types; "!208/16 text" is an error, "?5701/10 text" information. Borrowed until
 * the next call.
 */
const char *fixture_run(struct fixture *fixture, const char *sql);

/* The only value of the only row, as a number; fails the test when there is none. */
int64_t fixture_number(struct fixture *fixture, const char *sql);

/* Sends a control command and fails the test unless it is answered "ok". */
void fixture_control(struct fixture *fixture, const char *line);
