/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sessions that wait because a test says so: seen in sessions, requests and waiting tasks while it
 * lasts. As the documentation has it, the count of a wait moves when it begins and its time when it
 * ends; the time of a latch class is refreshed every five minutes meanwhile. The functions expect
 * the instance locked.
 */
#pragma once

#include "tests/sim/instance_load.h"

struct held_wait {
	struct held_wait *next;
	int32_t session_id;
	char wait_type[61];
	char latch_class[61]; /* "" when it is no latch */
	char resource[200];
	int32_t blocking_session_id; /* 0 = none */
	int64_t start_us;
	int64_t end_us;
	int64_t latch_booked_us; /* the latch class has its time up to here */
};

/*
 * hold TYPE SECONDS [age SECONDS] [by SESSION] [for TEXT]; release SESSION|all. A wait of age 595
 * that is held for 6 seconds ends with 601 s booked.
 */
void held_waits_control(struct instance *instance, struct moment now, const char *verb,
			char *const *words, size_t word_count, char *answer, size_t answer_size);

/* Books what has ended by now, and lets it go. */
void held_waits_settle(struct instance *instance, struct moment now);

/* Lets all go without booking: the server is started anew, or ends. */
void held_waits_drop(struct instance *instance);

/* What the views show of one; text in it is borrowed. */
struct instance_task held_wait_look(const struct held_wait *wait, struct moment now);
