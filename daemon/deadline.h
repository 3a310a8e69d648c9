/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deadline slots: the wall-clock limit of a login or query. libsybdb's own limits do not bound a
 * server that drips bytes, so each session reports a dup of its socket to a slot, and main's tick
 * shuts that down when the deadline passes: the owner's read then ends at once (platform-facts A5).
 * Shared by the owner of a session and main; one mutex per slot.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/cleanup.h"

struct deadline;

/* Makes count slots. Owns: the caller frees. Threads: main. */
struct deadline *deadline_new(size_t count);

/* Closes the sockets still held and frees; NULL is fine. Owns: deadline. Threads: main, last. */
void deadline_free(struct deadline *deadline);
DEFINE_CLEANUP(struct deadline *, deadline_free);

/* One slot, as a context for deadline_on_socket. Owned by deadline. Threads: any. */
struct deadline_slot *deadline_slot(struct deadline *deadline, size_t index);

/*
 * Callback for session_options.on_socket, whose context is a slot: takes a dup of the session's
 * socket, or with -1 gives it up. A deadline that has passed already shuts the socket down at once.
 *
 * Owns:    takes fd.
 * Threads: the owner of the session.
 */
void deadline_on_socket(void *context, int fd);

/* Sets the limit for what begins now. Units: monotonic ms. Threads: the owner of the session. */
void deadline_begin(struct deadline_slot *slot, int64_t deadline_mono_ms);

/* Lifts the limit; true when it had passed (and the socket was shut down). Threads: the owner of
 * the session. */
bool deadline_end(struct deadline_slot *slot);

/* True when the limit has passed and there is no socket to shut down: a login that hangs where
 * nobody reaches it. Units: monotonic ms. Threads: any. */
bool deadline_is_stuck(struct deadline_slot *slot, int64_t now_mono_ms);

/* Shuts down every socket whose limit has passed. Units: monotonic ms. Threads: main. */
void deadline_tick(struct deadline *deadline, int64_t now_mono_ms);

/* Shuts down every socket, now and as they come: the daemon is ending. Threads: main. */
void deadline_shut_all(struct deadline *deadline);
