/* SPDX-License-Identifier: Apache-2.0 */
/*
 * latchd's whole path from the fetch to the committed frame: a real target, whose turns the
 * benchmark takes itself, and a real writer with its thread. Runs in a benchmark.
 */
#pragma once

#include <stdint.h>

struct whole;

/* The private FreeTDS configuration must name the section "sim". The program ends when something
 * fails. Owns: the caller closes. Threads: the benchmark's. */
struct whole *whole_open(const char *folder, const char *host, int port);

/* Stops the threads and frees; NULL is fine. Owns: whole. Threads: the benchmark's. */
void whole_close(struct whole *whole);

/*
 * Takes one turn, and waits until its frames are committed.
 *
 * Units:   the result is the CPU time of the waiting itself, in ns, which is not latchd's.
 * Threads: the benchmark's.
 */
int64_t whole_poll(struct whole *whole);

/* CPU time of this thread, or of the process, in ns. Threads: any. */
int64_t whole_thread_cpu_ns(void);
int64_t whole_process_cpu_ns(void);
