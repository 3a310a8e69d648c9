/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The open sessions: gives each a number from 51 upward, the lowest that is free, and a thread.
 * Guards itself; sessions_start and sessions_free belong to one thread at a time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct encryption;
struct faults;
struct instance;
struct sessions;

/* All borrowed; encryption is copied. packet_size is the largest that a login is granted. */
struct sessions *sessions_new(struct instance *instance, struct faults *faults,
			      const struct encryption *encryption, size_t packet_size);

/* Cuts all sessions and waits until their threads have ended. */
void sessions_free(struct sessions *sessions);

/* Takes the descriptor over, also when there is no room or no thread; it is then closed. */
void sessions_start(struct sessions *sessions, int fd);

/* Shuts the connection of one session down (0 = of all). Returns how many that were. */
size_t sessions_cut(struct sessions *sessions, int32_t session_id);

size_t sessions_count(struct sessions *sessions);
