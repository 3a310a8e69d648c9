/* SPDX-License-Identifier: Apache-2.0 */
/* A SQL Server Browser: tells over UDP which TCP port the instance has (MC-SQLR). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct browser;

/*
 * Answers on "HOST:PORT" (numeric host; port 0 = any) in a thread of its own for the one instance,
 * whose TCP port is the last number of listener_address. NULL and a text in reason on failure.
 */
struct browser *browser_open(const char *address, const char *server_name, const char *instance,
			     const char *listener_address, char *reason, size_t reason_size);

/* Ends the thread and closes the port; NULL is fine. */
void browser_close(struct browser *browser);

/* "HOST:PORT" as it turned out. */
const char *browser_address(const struct browser *browser);

/* Executes browser commands; false when the verb is another, or browser is NULL. Any thread. */
bool browser_control(struct browser *browser, const char *line, char *answer, size_t answer_size);
