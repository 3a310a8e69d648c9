/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A simulated SQL Server with the last-page workload and a private FreeTDS configuration that names
 * it "sim", and "sim-tls" where encryption is required. One for all tests of a program.
 */
#pragma once

#include "collectors/collect.h"
#include "collectors/session.h"
#include "tests/support/simulator.h"

struct simulated_target {
	struct simulator simulator;
	char where[80];
};

extern struct simulated_target target;

/* Group fixtures: start the simulator and point libsybdb at it (time-outs are 1 s); end both. */
int start_target(void **state);
int stop_target(void **state);

/* Logs in as latchd; NULL and *err when that fails. */
struct session *simulated_target_open(const char *password, struct error *err);

/* The same, and who the server is; must succeed. */
struct session *open_server(struct server *server, struct epoch *epoch);

/* One round trip, which must succeed. */
void assert_collected(struct session *session, const struct server *server, unsigned due,
		      struct collected *collected);
