/* SPDX-License-Identifier: Apache-2.0 */
/* The control socket: one command a line, one line of answer. */
#pragma once

#include <stddef.h>

struct browser;
struct control;
struct faults;
struct instance;
struct listener;

/* What commands act on; all borrowed. */
struct control_targets {
	struct listener *listener;
	struct browser *browser; /* or NULL */
	struct faults *faults;
	struct instance *instance;
};

/* Serves a unix socket at path in a thread of its own. NULL and a text in reason on failure. */
struct control *control_open(const char *path, const struct control_targets *targets, char *reason,
			     size_t reason_size);

/* Ends the thread and removes the socket. */
void control_close(struct control *control);
