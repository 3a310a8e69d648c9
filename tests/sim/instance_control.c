/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The control commands that concern the instance: what a test or a person changes while it runs.
 * One line in, one line out. Any thread; each command runs with the instance locked.
 */
#include "tests/sim/held_wait.h"

#include "tests/sim/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 16

struct command {
	struct instance *instance;
	struct moment now;
	const char *verb;
	char *words[WORDS_MAX]; /* behind the verb */
	size_t word_count;
	char *answer;
	size_t answer_size;
};

static void answer(struct command *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void answer(struct command *command, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(command->answer, command->answer_size, format, arguments);
	va_end(arguments);
}

/* The view named by the first word; answers the error itself. */
static struct counters *view_of(struct command *command)
{
	enum counter_view view;

	if (command->word_count > 0 && counter_view_parse(command->words[0], &view))
		return &command->instance->counters[view];
	answer(command, "error say waits, latches or spinlocks");
	return NULL;
}

/* The counter named by the second word; answers the error itself. */
static struct counter *counter_of(struct command *command, struct counters **counters)
{
	*counters = view_of(command);
	if (!*counters)
		return NULL;
	struct counter *counter =
		command->word_count > 1 ? counters_find(*counters, command->words[1]) : NULL;
	if (!counter)
		answer(command, "error there is no row of that name");
	return counter;
}

/* Applies column=value words from the third on; answers an error itself. */
static bool apply_values(struct command *command, const struct counters *counters,
			 struct counter *counter)
{
	for (size_t i = 2; i < command->word_count; i++) {
		char *equals = strchr(command->words[i], '=');
		char *end = NULL;
		if (!equals) {
			answer(command, "error '%s' is not column=value", command->words[i]);
			return false;
		}
		*equals = '\0';
		int column = counter_column(counters->view, command->words[i]);
		int64_t value = strtoll(equals + 1, &end, 10);
		if (column < 0 || end == equals + 1 || *end != '\0') {
			answer(command, "error there is no column '%s' that takes '%s'",
			       command->words[i], equals + 1);
			return false;
		}
		counter_set(counter, counters->view, column, value, command->now.mono_us);
		counter->null_mask &= ~(1U << column);
	}
	return true;
}

static void run_set(struct command *command)
{
	struct counters *counters;
	struct counter *counter = counter_of(command, &counters);

	if (counter && apply_values(command, counters, counter))
		answer(command, "ok set %s", counter->name);
}

static void run_add(struct command *command)
{
	struct counters *counters = view_of(command);

	if (!counters)
		return;
	if (command->word_count < 2) {
		answer(command, "error say add VIEW NAME column=value ...");
		return;
	}
	struct counter *counter = counters_add(counters, command->words[1], command->now.mono_us);
	if (apply_values(command, counters, counter))
		answer(command, "ok add %s", counter->name);
}

static void run_remove(struct command *command)
{
	struct counters *counters;

	if (counter_of(command, &counters))
		answer(command, "ok remove %zu", counters_remove(counters, command->words[1]));
}

static void run_null(struct command *command)
{
	struct counters *counters;
	struct counter *counter = counter_of(command, &counters);

	if (!counter)
		return;
	int column =
		command->word_count > 2 ? counter_column(counters->view, command->words[2]) : -1;
	if (column < 0) {
		answer(command, "error there is no such column");
		return;
	}
	counter->null_mask |= 1U << column;
	answer(command, "ok null %s %s", counter->name, command->words[2]);
}

static void run_get(struct command *command)
{
	struct counters *counters;
	struct counter *counter = counter_of(command, &counters);
	struct text row = {0};

	if (!counter)
		return;
	for (int i = 0; counter_column_names(counters->view)[i]; i++)
		text_add_format(
			&row, " %s=%lld", counter_column_names(counters->view)[i],
			(long long)counter_value(counter, counters->view, i, command->now.mono_us));
	answer(command, "ok %s%s", counter->name, text_string(&row));
	text_done(&row);
}

/* rate waits NAME ms_per_s [waits_per_s]; two milliseconds per wait when nothing is said. */
static void run_rate(struct command *command)
{
	struct counters *counters;
	struct counter *counter = counter_of(command, &counters);
	char *end = NULL;

	if (!counter)
		return;
	double rate = command->word_count > 2 ? strtod(command->words[2], &end) : -1;
	double events = command->word_count > 3 ? strtod(command->words[3], &end) : rate / 2;
	bool is_still = fpclassify(rate) == FP_ZERO;
	if (!end || *end != '\0' || !(rate >= 0 && rate < 1e12) ||
	    !(events >= 0 && events < 1e12) || (!is_still && events < 0.001)) {
		answer(command, "error say rate VIEW NAME per_second [events_per_second]");
		return;
	}
	struct counter_flow flow = {
		.gain = {(int64_t)(events * 1000), (int64_t)(rate * 1000)},
		.period_us = is_still ? 0 : INT64_C(1000000000),
		.max_ms = is_still ? 0 : (int64_t)(rate / events * 4) + 1,
	};
	counter_set_flow(counter, counters->view, &flow, command->now.mono_us);
	answer(command, "ok rate %s", counter->name);
}

static void run_clear(struct command *command)
{
	struct counters *counters = view_of(command);

	if (!counters)
		return;
	counters_clear(counters, command->now.mono_us);
	answer(command, "ok clear");
}

static void run_workload(struct command *command)
{
	const char *problem = "";

	if (instance_order_load(command->instance, command->words, command->word_count,
				command->now, &problem))
		answer(command, "ok workload %s", instance_load_name(command->instance));
	else
		answer(command, "error %s", problem);
}

static void run_option(struct command *command)
{
	struct instance *instance = command->instance;
	bool is_on = command->word_count > 0 && strcmp(command->words[0], "on") == 0;

	if (!is_on && (command->word_count == 0 || strcmp(command->words[0], "off") != 0)) {
		answer(command, "error say option on or option off");
		return;
	}
	instance_set_option(instance, is_on, command->now);
	answer(command, "ok option %s", command->words[0]);
}

static void run_restart(struct command *command)
{
	instance_restart(command->instance, false, command->now);
	answer(command, "ok restart");
}

static void run_reboot(struct command *command)
{
	instance_restart(command->instance, true, command->now);
	answer(command, "ok restart reboot");
}

static void run_identity(struct command *command)
{
	struct instance *instance = command->instance;

	if (command->word_count == 0) {
		answer(command, "error say NAME [NODE]");
		return;
	}
	const char *name = command->words[0];
	const char *node = command->word_count > 1 ? command->words[1] : name;
	snprintf(instance->server_name, NAME_SIZE, "%s", name);
	snprintf(instance->node_name, NAME_SIZE, "%.*s", (int)strcspn(node, "\\"), node);
	answer(command, "ok identity %s", instance->server_name);
}

/* What a client of a listener meets: another server or node, and everything anew. */
static void run_failover(struct command *command)
{
	run_identity(command);
	if (strncmp(command->answer, "ok", 2) != 0)
		return;
	instance_restart(command->instance, false, command->now);
	answer(command, "ok restart failover %s", command->instance->server_name);
}

static void run_account(struct command *command)
{
	accounts_control(&command->instance->accounts, command->verb, command->words,
			 command->word_count, command->answer, command->answer_size);
}

static void run_held_wait(struct command *command)
{
	held_waits_control(command->instance, command->now, command->verb, command->words,
			   command->word_count, command->answer, command->answer_size);
}

static void run_clock(struct command *command)
{
	char *end = NULL;
	double seconds = command->word_count > 0 ? strtod(command->words[0], &end) : 0;

	if (!end || *end != '\0' || !(fabs(seconds) < 1e9)) {
		answer(command, "error say clock SECONDS");
		return;
	}
	command->instance->clock_step_us += (int64_t)(seconds * 1e6);
	answer(command, "ok clock");
}

static void run_stop_heartbeats(struct command *command)
{
	struct counters *counters = &command->instance->counters[COUNTER_WAITS];
	const struct counter_flow still = {0};

	for (size_t i = 0; i < counters->count; i++)
		if (counters->items[i].is_heartbeat)
			counter_set_flow(&counters->items[i], COUNTER_WAITS, &still,
					 command->now.mono_us);
	answer(command, "ok stop-heartbeats");
}

static void run_show(struct command *command)
{
	const struct instance *instance = command->instance;
	int64_t up_s = (command->now.mono_us - instance->start_mono_us) / 1000000;

	answer(command,
	       "ok workload=%s uptime_s=%lld page=5:1:%lld option=%s server=%s process=%d behind_ms=%lld",
	       instance_load_name(instance), (long long)up_s,
	       (long long)page_store_last_page(&instance->pages, command->now.mono_us, 0),
	       instance->has_sequential_key_option ? "on" : "off", instance->server_name,
	       instance->process_id, (long long)(instance->contention->behind_ns / 1000000));
}

static const struct {
	const char *verb;
	void (*run)(struct command *command);
} verbs[] = {
	{"set", run_set},	 {"add", run_add},
	{"remove", run_remove},	 {"null", run_null},
	{"get", run_get},	 {"rate", run_rate},
	{"clear", run_clear},	 {"workload", run_workload},
	{"option", run_option},	 {"restart", run_restart},
	{"reboot", run_reboot},	 {"identity", run_identity},
	{"clock", run_clock},	 {"stop-heartbeats", run_stop_heartbeats},
	{"show", run_show},	 {"failover", run_failover},
	{"login", run_account},	 {"grant", run_account},
	{"revoke", run_account}, {"deny", run_account},
	{"hold", run_held_wait}, {"release", run_held_wait},
};

/* Cuts a line at blanks; a piece in double quotes keeps its own ("FULLTEXT GATHERER"). */
static size_t split(char *line, char **words, size_t words_max)
{
	size_t count = 0;

	for (char *at = line; *at != '\0' && count < words_max;) {
		at += strspn(at, " \t\r\n");
		if (*at == '\0')
			break;
		bool is_quoted = *at == '"';
		at += is_quoted;
		words[count++] = at;
		at += strcspn(at, is_quoted ? "\"" : " \t\r\n");
		if (*at != '\0')
			*at++ = '\0';
	}
	return count;
}

bool instance_control(struct instance *instance, const char *line, char *answer_text,
		      size_t answer_size)
{
	struct command command = {
		.instance = instance, .answer = answer_text, .answer_size = answer_size};
	char *words[WORDS_MAX + 1] = {NULL};
	char *copy = memory_copy_string(line, strlen(line));
	size_t count = split(copy, words, WORDS_MAX + 1);
	bool is_known = false;

	for (size_t i = 0; count > 0 && i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (strcmp(words[0], verbs[i].verb) != 0)
			continue;
		is_known = true;
		command.verb = verbs[i].verb;
		memcpy(command.words, &words[1], sizeof(command.words));
		command.word_count = count - 1;
		instance_lock(instance);
		command.now = instance_now(instance);
		verbs[i].run(&command);
		instance_unlock(instance);
	}
	free(copy);
	return is_known;
}
