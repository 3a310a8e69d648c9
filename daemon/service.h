/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All of latchd, started and stopped in order: store, writer, readers, web, watcher, senders,
 * targets; and back. Owned and driven by main.
 */
#pragma once

#include "daemon/base/clock.h"
#include "daemon/config.h"

struct service;

/*
 * Starts everything; does not wait for any server.
 *
 * Owns:    the caller stops it; config is borrowed until then.
 * Errors:  those of the store, the web server and threads; nothing is left running then.
 * Threads: main; signals are blocked already, so that no thread takes them.
 */
MUST_CHECK struct service *service_start(const struct config *config, struct error *err);

/* What main does each quarter of a second: deadlines, hanging logins. Threads: main. */
void service_tick(struct service *service, struct instant now);

/* Takes down what a reload found on the disk, for the API: a file that waits for the next start, or
 * one that is not valid. Threads: main. */
void service_note_reload(struct service *service, bool is_valid);

/* Address number index as "http://127.0.0.1:9743"; NULL past the last. Threads: main. */
const char *service_address(const struct service *service, int index);

/* How many targets are up. Threads: main. */
size_t service_up_count(const struct service *service);

/*
 * Stops everything within 5 s; NULL is fine. False when a thread hung in a login or a post and was
 * left behind: the store is closed all the same, and the process must end by _exit.
 *
 * Owns:    service.
 * Threads: main; blocks.
 */
bool service_stop(struct service *service);
