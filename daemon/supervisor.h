/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What latchd says to systemd: ready, alive, stopping. The only door to sd-daemon; without systemd
 * every call does nothing. Threads: main.
 */
#pragma once

#include <stdint.h>

/* Says that latchd serves; status is shown by systemctl status. Threads: main. */
void supervisor_ready(const char *status);

/* Replaces the line that systemctl status shows. Threads: main. */
void supervisor_status(const char *status);

/* Says that main is alive. Threads: main. */
void supervisor_alive(void);

/* Says that latchd is ending. Threads: main. */
void supervisor_stopping(void);

/* How often supervisor_alive must be called: half of what systemd allows; 0 when it does not watch.
 * Units: milliseconds. Threads: main. */
int64_t supervisor_alive_interval_ms(void);
