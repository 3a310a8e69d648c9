/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server that is polled: a simulator with as many names as a large instance shows, of which a
 * realistic share moves. Runs in a benchmark.
 */
#pragma once

#include "tests/bench/bare.h"
#include "tests/support/simulator.h"

/* Names and moving names of the three views; sqlserver-facts 6 has the ranges. */
enum {
	SERVER_WAITS = 1300,
	SERVER_WAITS_MOVING = 200,
	SERVER_LATCHES = 180,
	SERVER_LATCHES_MOVING = 25,
	SERVER_SPINLOCKS = 400,
	SERVER_SPINLOCKS_MOVING = 100,
};

/* The statements of the three views, without anything around them. */
extern const char *const server_views_sql;

/* Gives a fresh simulator its names and sets them going. Threads: the benchmark's. */
void server_fill(struct simulator *simulator, struct bare *bare);
