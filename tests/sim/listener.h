/* SPDX-License-Identifier: Apache-2.0 */
/* The TCP port: accepts clients in a thread of its own, and refuses them when told to. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct listener;
struct sessions;

/*
 * Listens on "HOST:PORT" (numeric host; port 0 = any). NULL and a text in reason on failure.
 * sessions is borrowed.
 */
struct listener *listener_open(const char *address, struct sessions *sessions, char *reason,
			       size_t reason_size);

/* Ends the thread and closes the port; the sessions live on. */
void listener_close(struct listener *listener);

/* "HOST:PORT" as it turned out. */
const char *listener_address(const struct listener *listener);

/* Shuts the connections of all sessions down. Any thread. */
void listener_cut_all(struct listener *listener);

/* Executes refuse, kill or sessions; false when the verb is none of them. Any thread. */
bool listener_control(struct listener *listener, const char *line, char *answer,
		      size_t answer_size);
