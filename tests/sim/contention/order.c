/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what a load is ordered with: "insert 64 option on key random files 4". Pure. */
#include "tests/sim/contention/contention.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *word;
	size_t offset;
	int32_t least;
	int32_t most;
} numbers[] = {
	{"schedulers", offsetof(struct contention_order, scheduler_count), 1,
	 MACHINE_SCHEDULERS_MAX},
	{"files", offsetof(struct contention_order, file_count), 1, STAGE_FILES_MAX},
	{"scale", offsetof(struct contention_order, scale), 1, 10000},
	{"commit", offsetof(struct contention_order, rows_per_commit), 1, 1000000},
};

static bool read_number(const char *word, int32_t least, int32_t most, int32_t *number)
{
	char *end = NULL;
	long value = strtol(word, &end, 10);

	if (end == word || *end != '\0' || value < least || value > most)
		return false;
	*number = (int32_t)value;
	return true;
}

static bool read_key(const char *word, enum table_key *key)
{
	static const char *const names[] = {
		[KEY_IDENTITY] = "identity", [KEY_SEQUENCE] = "sequence", [KEY_RANDOM] = "random"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(word, names[i]) != 0)
			continue;
		*key = (enum table_key)i;
		return true;
	}
	return false;
}

static bool read_pair(const char *word, const char *value, struct contention_order *order)
{
	if (strcmp(word, "key") == 0)
		return read_key(value, &order->key);
	if (strcmp(word, "option") == 0) {
		order->is_optimized = strcmp(value, "on") == 0;
		return order->is_optimized || strcmp(value, "off") == 0;
	}
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (strcmp(word, numbers[i].word) == 0)
			return read_number(value, numbers[i].least, numbers[i].most,
					   (void *)((char *)order + numbers[i].offset));
	return false;
}

bool contention_parse(char *const *words, size_t word_count, struct contention_order *order,
		      const char **problem)
{
	const struct load *load = word_count > 0 ? load_find(words[0]) : NULL;
	size_t at = 1;

	if (!load) {
		*problem = "there is no workload of that name";
		return false;
	}
	*order = (struct contention_order){
		.load = load,
		.session_count = load->session_count,
		.scheduler_count = CONTENTION_SCHEDULERS,
		.file_count = 1,
		.scale = 1,
		.rows_per_commit = 100,
		.key = strcmp(load->name, "log-bound") == 0 ? KEY_RANDOM : KEY_IDENTITY,
	};
	if (at < word_count &&
	    read_number(words[at], 1, CONTENTION_SESSIONS_MAX, &order->session_count))
		at++;
	for (; at < word_count; at += 2) {
		if (at + 1 < word_count && read_pair(words[at], words[at + 1], order))
			continue;
		*problem = "say NAME [SESSIONS] [option on|off] [key identity|sequence|random] "
			   "[schedulers N] [files N] [scale N] [commit ROWS]";
		return false;
	}
	return true;
}
