/* SPDX-License-Identifier: Apache-2.0 */
/* Waits held by command. Runs with the instance locked. */
#include "tests/sim/held_wait.h"

#include "tests/sim/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SESSION	 2101
#define LATCH_REFRESH_US INT64_C(300000000)
#define QUERY_HASH	 UINT64_C(0x5EED0A17AB1EC0DE)

/* Adds to a column, and a single wait to the maximum beside it. */
static void add_to(struct instance *instance, enum counter_view view, const char *name, int column,
		   int64_t more, int64_t now_us)
{
	struct counter *counter = counters_find(&instance->counters[view], name);

	if (counter)
		counter_set(counter, view, column,
			    counter_value(counter, view, column, now_us) + more, now_us);
}

static void raise_max(struct instance *instance, enum counter_view view, const char *name,
		      int64_t wait_ms, int64_t now_us)
{
	struct counter *counter = counters_find(&instance->counters[view], name);
	int column = counter_column(view, "max_wait_time_ms");

	if (counter && counter_value(counter, view, column, now_us) < wait_ms)
		counter_set(counter, view, column, wait_ms, now_us);
}

static void count_start(struct instance *instance, const struct held_wait *wait, int64_t now_us)
{
	add_to(instance, COUNTER_WAITS, wait->wait_type, COUNTER_EVENTS, 1, now_us);
	if (wait->latch_class[0] != '\0')
		add_to(instance, COUNTER_LATCHES, wait->latch_class, COUNTER_EVENTS, 1, now_us);
}

static void book_latch(struct instance *instance, struct held_wait *wait, int64_t until_us,
		       int64_t now_us)
{
	if (wait->latch_class[0] == '\0')
		return;
	add_to(instance, COUNTER_LATCHES, wait->latch_class,
	       counter_column(COUNTER_LATCHES, "wait_time_ms"),
	       (until_us - wait->latch_booked_us) / 1000, now_us);
	raise_max(instance, COUNTER_LATCHES, wait->latch_class, (until_us - wait->start_us) / 1000,
		  now_us);
	wait->latch_booked_us = until_us;
}

static void book_end(struct instance *instance, struct held_wait *wait, int64_t now_us)
{
	int64_t wait_ms = (wait->end_us - wait->start_us) / 1000;

	add_to(instance, COUNTER_WAITS, wait->wait_type,
	       counter_column(COUNTER_WAITS, "wait_time_ms"), wait_ms, now_us);
	raise_max(instance, COUNTER_WAITS, wait->wait_type, wait_ms, now_us);
	book_latch(instance, wait, wait->end_us, now_us);
}

void held_waits_settle(struct instance *instance, struct moment now)
{
	for (struct held_wait **at = &instance->held_waits; *at;) {
		struct held_wait *wait = *at;
		while (wait->latch_class[0] != '\0' &&
		       wait->latch_booked_us + LATCH_REFRESH_US <= now.mono_us &&
		       wait->latch_booked_us + LATCH_REFRESH_US < wait->end_us)
			book_latch(instance, wait, wait->latch_booked_us + LATCH_REFRESH_US,
				   now.mono_us);
		if (wait->end_us > now.mono_us) {
			at = &wait->next;
			continue;
		}
		book_end(instance, wait, now.mono_us);
		*at = wait->next;
		free(wait);
	}
}

void held_waits_drop(struct instance *instance)
{
	while (instance->held_waits) {
		struct held_wait *next = instance->held_waits->next;
		free(instance->held_waits);
		instance->held_waits = next;
	}
}

struct instance_task held_wait_look(const struct held_wait *wait, struct moment now)
{
	int64_t wait_ms = (now.mono_us - wait->start_us) / 1000;
	struct instance_task look = {
		.task = {.session_id = wait->session_id,
			 .scheduler_id = wait->session_id % WORKLOAD_SCHEDULERS,
			 .task_address = instance_task_address(wait->session_id),
			 .wait_type = wait->wait_type,
			 .wait_ms = (int32_t)wait_ms,
			 .blocking_session_id = wait->blocking_session_id},
		.command = "SELECT",
		.query_hash = QUERY_HASH,
		.last_wait_type = wait->wait_type,
		.elapsed_ms = wait_ms + 1,
		.cpu_ms = 1,
	};

	snprintf(look.task.resource, sizeof(look.task.resource), "%s", wait->resource);
	if (wait->blocking_session_id > 0)
		look.task.blocking_task_address = instance_task_address(wait->blocking_session_id);
	return look;
}

/* LATCH_ waits name their class in the resource; those of pages are BUFFER. */
static void name_latch_class(struct held_wait *wait)
{
	if (strncmp(wait->wait_type, "LATCH_", 6) == 0)
		snprintf(wait->latch_class, sizeof(wait->latch_class), "%.*s",
			 (int)strcspn(wait->resource, " "), wait->resource);
	else if (strncmp(wait->wait_type, "PAGELATCH_", 10) == 0 ||
		 strncmp(wait->wait_type, "PAGEIOLATCH_", 12) == 0)
		snprintf(wait->latch_class, sizeof(wait->latch_class), "BUFFER");
}

static bool read_seconds(const char *word, double *seconds)
{
	char *end = NULL;

	*seconds = strtod(word, &end);
	return end != word && *end == '\0' && *seconds >= 0 && *seconds < 1e6;
}

static bool read_options(struct held_wait *wait, double *age_s, char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i += 2) {
		if (i + 1 >= count)
			return false;
		if (strcmp(words[i], "for") == 0)
			snprintf(wait->resource, sizeof(wait->resource), "%s", words[i + 1]);
		else if (strcmp(words[i], "by") == 0)
			wait->blocking_session_id = (int32_t)strtol(words[i + 1], NULL, 10);
		else if (strcmp(words[i], "age") != 0 || !read_seconds(words[i + 1], age_s))
			return false;
	}
	return true;
}

static int32_t free_session(const struct instance *instance)
{
	int32_t session_id = FIRST_SESSION;

	for (const struct held_wait *wait = instance->held_waits; wait; wait = wait->next)
		if (wait->session_id >= session_id)
			session_id = wait->session_id + 1;
	return session_id;
}

static bool hold(struct instance *instance, struct moment now, char *const *words, size_t count,
		 char *answer, size_t answer_size)
{
	struct held_wait wait = {.session_id = free_session(instance)};
	double seconds = 0;
	double age_s = 0;

	if (count < 2 || !read_seconds(words[1], &seconds) ||
	    !read_options(&wait, &age_s, &words[2], count - 2) ||
	    !counters_find(&instance->counters[COUNTER_WAITS], words[0]))
		return false;
	snprintf(wait.wait_type, sizeof(wait.wait_type), "%s", words[0]);
	wait.start_us = now.mono_us - (int64_t)llround(age_s * 1e6);
	wait.end_us = now.mono_us + (int64_t)llround(seconds * 1e6);
	wait.latch_booked_us = wait.start_us;
	wait.next = instance->held_waits;
	name_latch_class(&wait);
	instance->held_waits = memory_new(1, sizeof(wait));
	*instance->held_waits = wait;
	count_start(instance, &wait, now.mono_us);
	held_waits_settle(instance, now); /* the refreshes that its age has had */
	snprintf(answer, answer_size, "ok hold %d", (int)wait.session_id);
	return true;
}

static void release(struct instance *instance, struct moment now, const char *who, char *answer,
		    size_t answer_size)
{
	int count = 0;

	for (struct held_wait *wait = instance->held_waits; wait; wait = wait->next)
		if (strcmp(who, "all") == 0 || strtol(who, NULL, 10) == wait->session_id) {
			wait->end_us = now.mono_us;
			count++;
		}
	held_waits_settle(instance, now);
	snprintf(answer, answer_size, "ok release %d", count);
}

void held_waits_control(struct instance *instance, struct moment now, const char *verb,
			char *const *words, size_t word_count, char *answer, size_t answer_size)
{
	if (strcmp(verb, "release") == 0 && word_count == 1)
		release(instance, now, words[0], answer, answer_size);
	else if (strcmp(verb, "hold") != 0 ||
		 !hold(instance, now, words, word_count, answer, answer_size))
		snprintf(answer, answer_size,
			 "error say hold TYPE SECONDS [age SECONDS] [by SESSION] [for TEXT] or "
			 "release SESSION|all");
}
