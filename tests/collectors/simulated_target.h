/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A simulated SQL Server with a private FreeTDS configuration that names it "sim", and "sim-tls"
 * where encryption is required.
 */
#pragma once

#include "collectors/session.h"
#include "tests/support/simulator.h"

struct simulated_target {
	struct simulator simulator;
	char where[80];
};

/* Starts the simulator and points libsybdb at it; timeouts are 1 s. */
void simulated_target_start(struct simulated_target *target, const char *workload);

/* Ends both. */
void simulated_target_stop(struct simulated_target *target);

/* Logs in as latchd; NULL and *err when that fails. */
struct session *simulated_target_open(struct simulated_target *target, const char *password,
				      struct error *err);
