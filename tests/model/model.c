/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random histories against the delta rules: `model [--seed N] [--first N] [--histories N]` plays so
 * many; `--history N` plays one and tells all of it. A history that fails is shrunk, printed, and
 * the exit status is 1. See judge.h for what is held and what is admitted. One thread; no clock.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/model/player.h"

static char where[80];
static char first_fault[FAULT_SIZE];

/* How much of its words says what kind of fault it is. */
static size_t kind_size(const char *fault)
{
	const char *end = strstr(fault, " of ");
	return end ? (size_t)(end - fault) : strcspn(fault, ":");
}

/* With the fault that was found first, not with any. */
static bool fails(const struct history *history)
{
	char fault[FAULT_SIZE];
	size_t size = kind_size(first_fault);
	return !player_run(history, false, fault) && kind_size(fault) == size &&
	       strncmp(fault, first_fault, size) == 0;
}

/* What a failed assertion of the product can not say by itself. */
static void say_where(int signal)
{
	(void)!write(STDERR_FILENO, where, strlen(where));
	_exit(128 + signal);
}

static bool play(uint64_t seed, uint64_t number, bool is_told)
{
	static struct history history;
	char fault[FAULT_SIZE];
	snprintf(where, sizeof(where), "at --seed %" PRIu64 " --history %" PRIu64 "\n", seed,
		 number);
	history_draw(&history, seed, number);
	if (player_run(&history, is_told, fault))
		return true;
	printf("history %" PRIu64 ": %s\nshrunk:\n", number, fault);
	memcpy(first_fault, fault, sizeof(first_fault));
	history_shrink(&history, fails);
	(void)player_run(&history, true, fault);
	printf("%s\n", fault);
	history_print(&history);
	return false;
}

static uint64_t number_of(const char *text)
{
	char *end;
	uint64_t number = strtoumax(text, &end, 10);
	if (end == text || *end) {
		fprintf(stderr, "'%s' is not a number\n", text);
		exit(2);
	}
	return number;
}

int main(int argc, char **argv)
{
	uint64_t seed = 1;
	uint64_t first = 0;
	uint64_t count = 1000;
	bool is_one = false;
	for (int i = 1; i + 1 < argc; i += 2) {
		uint64_t number = number_of(argv[i + 1]);
		is_one |= strcmp(argv[i], "--history") == 0;
		if (strcmp(argv[i], "--seed") == 0)
			seed = number;
		else if (strcmp(argv[i], "--histories") == 0)
			count = number;
		else
			first = number;
	}
	signal(SIGABRT, say_where);
	if (is_one)
		return play(seed, first, true) ? 0 : 1;
	for (uint64_t i = first; i < first + count; i++)
		if (!play(seed, i, false))
			return 1;
	printf("%" PRIu64 " histories from %" PRIu64 " of seed %" PRIu64 " without a difference\n",
	       count, first, seed);
	return 0;
}
