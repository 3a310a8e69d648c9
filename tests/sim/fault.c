/* SPDX-License-Identifier: Apache-2.0 */
/* What is to go wrong on the wire. Any thread; everything is copied in and out under one mutex. */
#include "tests/sim/fault.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tests/sim/fault_message.h"
#include "tests/sim/login_limit.h"

enum { SUBSTRING_SIZE = 256 };

struct faults {
	pthread_mutex_t mutex;
	bool is_login_silent;
	bool is_query_silent;
	bool is_dripping;
	bool dies_before_login;
	bool ignores_attention;
	bool is_secondary;
	bool is_garbage_next;
	bool is_truncation_next;
	bool is_metadata_next;
	struct login_limit login_limit;
	int64_t delay_ms; /* 0 = none */
	char delay_substring[SUBSTRING_SIZE];
	struct sql_message fail; /* number 0 = none; the text is a constant */
	bool is_fail_at_login;
	char fail_substring[SUBSTRING_SIZE];
	enum fault_cut cut;
	uint64_t cut_row_count;
	bool is_cut_repeated;
};

struct fault_verb {
	const char *name;
	const char *usage;
	bool (*set)(struct faults *faults, const char *arguments);
};

/* An empty substring is in every text. Case does not matter. */
static bool text_contains(const char *text, size_t size, const char *substring)
{
	size_t length = strlen(substring);
	for (size_t i = 0; i + length <= size; i++) {
		if (strncasecmp(text + i, substring, length) == 0)
			return true;
	}
	return false;
}

static bool read_switch(const char *text, bool *is_on)
{
	bool is_known = strcmp(text, "on") == 0 || strcmp(text, "off") == 0;
	if (is_known)
		*is_on = strcmp(text, "on") == 0;
	return is_known;
}

static bool read_next(const char *text, bool *is_next)
{
	*is_next = *is_next || strcmp(text, "next") == 0;
	return strcmp(text, "next") == 0;
}

static const char *skip_spaces(const char *text)
{
	while (isspace((unsigned char)*text))
		text++;
	return text;
}

/* The rest of a line, with or without double quotes around it. */
static bool read_substring(const char *text, char *substring)
{
	text = skip_spaces(text);
	size_t size = strlen(text);
	if (size >= 2 && text[0] == '"' && text[size - 1] == '"') {
		text++;
		size -= 2;
	}
	if (size >= SUBSTRING_SIZE)
		return false;
	memcpy(substring, text, size);
	substring[size] = '\0';
	return true;
}

static bool set_silent(struct faults *faults, const char *arguments)
{
	if (strncmp(arguments, "login ", 6) == 0)
		return read_switch(arguments + 6, &faults->is_login_silent);
	if (strncmp(arguments, "query ", 6) == 0)
		return read_switch(arguments + 6, &faults->is_query_silent);
	return false;
}

static bool set_delay(struct faults *faults, const char *arguments)
{
	char *end = NULL;
	double seconds = strcmp(arguments, "off") == 0 ? 0 : strtod(arguments, &end);
	bool is_number = end && end != arguments && (*end == '\0' || *end == ' ');
	if (end && (!is_number || !(seconds >= 0 && seconds <= 86400)))
		return false;
	if (!read_substring(end ? end : "", faults->delay_substring))
		return false;
	faults->delay_ms = (int64_t)(seconds * 1000);
	return true;
}

static bool set_drip(struct faults *faults, const char *arguments)
{
	return read_switch(arguments, &faults->is_dripping);
}

static bool set_cut(struct faults *faults, const char *arguments, enum fault_cut cut)
{
	if (strcmp(arguments, "off") == 0) {
		faults->cut = FAULT_CUT_NONE;
		return true;
	}
	char *end = NULL;
	unsigned long long row_count = strtoull(arguments, &end, 10);
	if (end == arguments || !isdigit((unsigned char)arguments[0]))
		return false;
	bool is_repeated = strcmp(end, " always") == 0;
	if (*end != '\0' && !is_repeated)
		return false;
	faults->cut = cut;
	faults->cut_row_count = row_count;
	faults->is_cut_repeated = is_repeated;
	return true;
}

static bool set_die(struct faults *faults, const char *arguments)
{
	return set_cut(faults, arguments, FAULT_CUT_CLOSE);
}

static bool set_reset(struct faults *faults, const char *arguments)
{
	return set_cut(faults, arguments, FAULT_CUT_RESET);
}

static bool set_garbage(struct faults *faults, const char *arguments)
{
	return read_next(arguments, &faults->is_garbage_next);
}

static bool set_truncation(struct faults *faults, const char *arguments)
{
	return read_next(arguments, &faults->is_truncation_next);
}

static bool set_metadata(struct faults *faults, const char *arguments)
{
	return read_next(arguments, &faults->is_metadata_next);
}

static bool set_login_death(struct faults *faults, const char *arguments)
{
	return read_switch(arguments, &faults->dies_before_login);
}

static bool set_deafness(struct faults *faults, const char *arguments)
{
	return read_switch(arguments, &faults->ignores_attention);
}

static bool set_secondary(struct faults *faults, const char *arguments)
{
	return read_switch(arguments, &faults->is_secondary);
}

static bool set_login_limit(struct faults *faults, const char *arguments)
{
	return login_limit_parse(&faults->login_limit, arguments);
}

/* An optional severity of 11 to 25; leaves *arguments behind it. False when a number is not one. */
static bool read_severity(const char **arguments, uint8_t *severity)
{
	char *end = NULL;
	const char *text = skip_spaces(*arguments);
	if (!isdigit((unsigned char)*text))
		return true;
	long value = strtol(text, &end, 10);
	if (value < 11 || value > 25 || (*end != '\0' && *end != ' '))
		return false;
	*severity = (uint8_t)value;
	*arguments = end;
	return true;
}

/* A severity makes a login's error one of statements: `fail 4060 16`. */
static bool set_fail(struct faults *faults, const char *arguments)
{
	if (strcmp(arguments, "off") == 0) {
		faults->fail.number = 0;
		return true;
	}
	char *end = NULL;
	long number = strtol(arguments, &end, 10);
	if (number <= 0 || number > 999999 || (*end != '\0' && *end != ' '))
		return false;
	struct sql_message message = {.number = (int32_t)number,
				      .state = 1,
				      .text = "The control socket asked for this error.",
				      .line = 1};
	const char *rest = end;
	uint8_t severity = 0;
	bool is_at_login = false;
	bool is_known = fault_message_find((int32_t)number, &message, &is_at_login);
	if (!read_severity(&rest, &severity) || (severity == 0 && !is_known) ||
	    !read_substring(rest, faults->fail_substring))
		return false;
	if (severity != 0)
		message.severity = severity;
	faults->fail = message;
	faults->is_fail_at_login = is_at_login && severity == 0;
	return true;
}

static const struct fault_verb fault_verbs[] = {
	{"silent", "silent login|query on|off", set_silent},
	{"delay", "delay SECONDS [SUBSTRING] | delay off", set_delay},
	{"drip", "drip on|off", set_drip},
	{"die-mid-row", "die-mid-row ROWS [always] | die-mid-row off", set_die},
	{"reset-mid-row", "reset-mid-row ROWS [always] | reset-mid-row off", set_reset},
	{"garbage", "garbage next", set_garbage},
	{"truncate", "truncate next", set_truncation},
	{"die-mid-metadata", "die-mid-metadata next", set_metadata},
	{"die-before-login", "die-before-login on|off", set_login_death},
	{"ignore-attention", "ignore-attention on|off", set_deafness},
	{"secondary", "secondary on|off", set_secondary},
	{"login-limit", "login-limit COUNT [SECONDS] | login-limit off", set_login_limit},
	{"fail", "fail NUMBER [SEVERITY(11..25)] [SUBSTRING] | fail off", set_fail},
};

static const struct fault_verb *verb_find(const char *line, size_t length)
{
	for (size_t i = 0; i < sizeof(fault_verbs) / sizeof(fault_verbs[0]); i++) {
		const struct fault_verb *verb = &fault_verbs[i];
		if (strlen(verb->name) == length && strncmp(verb->name, line, length) == 0)
			return verb;
	}
	return NULL;
}

struct faults *fault_new(void)
{
	struct faults *faults = calloc(1, sizeof(*faults));
	if (!faults)
		abort();
	pthread_mutex_init(&faults->mutex, NULL);
	return faults;
}

void fault_free(struct faults *faults)
{
	if (!faults)
		return;
	pthread_mutex_destroy(&faults->mutex);
	free(faults);
}

bool fault_control(struct faults *faults, const char *line, char *answer, size_t answer_size)
{
	size_t length = strcspn(line, " ");
	const struct fault_verb *verb = verb_find(line, length);
	if (!verb)
		return false;
	pthread_mutex_lock(&faults->mutex);
	bool is_set = verb->set(faults, skip_spaces(line + length));
	pthread_mutex_unlock(&faults->mutex);
	if (is_set)
		snprintf(answer, answer_size, "ok");
	else
		snprintf(answer, answer_size, "error usage: %s", verb->usage);
	return true;
}

static bool flag_read(struct faults *faults, const bool *flag)
{
	pthread_mutex_lock(&faults->mutex);
	bool is_on = *flag;
	pthread_mutex_unlock(&faults->mutex);
	return is_on;
}

static bool flag_take(struct faults *faults, bool *flag)
{
	pthread_mutex_lock(&faults->mutex);
	bool is_on = *flag;
	*flag = false;
	pthread_mutex_unlock(&faults->mutex);
	return is_on;
}

bool fault_login_is_silent(struct faults *faults)
{
	return flag_read(faults, &faults->is_login_silent);
}

bool fault_query_is_silent(struct faults *faults)
{
	return flag_read(faults, &faults->is_query_silent);
}

bool fault_is_dripping(struct faults *faults)
{
	return flag_read(faults, &faults->is_dripping);
}

bool fault_dies_before_login(struct faults *faults)
{
	return flag_read(faults, &faults->dies_before_login);
}

bool fault_is_secondary(struct faults *faults)
{
	return flag_read(faults, &faults->is_secondary);
}

bool fault_ignores_attention(struct faults *faults)
{
	return flag_read(faults, &faults->ignores_attention);
}

bool fault_admits_login(struct faults *faults, int64_t now_mono_ms)
{
	pthread_mutex_lock(&faults->mutex);
	bool is_admitted = login_limit_admit(&faults->login_limit, now_mono_ms);
	pthread_mutex_unlock(&faults->mutex);
	return is_admitted;
}

int64_t fault_batch_delay_ms(struct faults *faults)
{
	pthread_mutex_lock(&faults->mutex);
	int64_t delay_ms = faults->delay_substring[0] == '\0' ? faults->delay_ms : 0;
	pthread_mutex_unlock(&faults->mutex);
	return delay_ms;
}

int64_t fault_statement_delay_ms(struct faults *faults, const char *sql, size_t size_bytes)
{
	pthread_mutex_lock(&faults->mutex);
	bool is_meant = faults->delay_ms != 0 && faults->delay_substring[0] != '\0' &&
			text_contains(sql, size_bytes, faults->delay_substring);
	int64_t delay_ms = is_meant ? faults->delay_ms : 0;
	pthread_mutex_unlock(&faults->mutex);
	return delay_ms;
}

bool fault_statement_error(struct faults *faults, const char *sql, size_t size_bytes,
			   struct sql_message *message)
{
	pthread_mutex_lock(&faults->mutex);
	bool is_meant = faults->fail.number != 0 && !faults->is_fail_at_login &&
			text_contains(sql, size_bytes, faults->fail_substring);
	if (is_meant)
		*message = faults->fail;
	pthread_mutex_unlock(&faults->mutex);
	return is_meant;
}

bool fault_login_error(struct faults *faults, struct sql_message *message)
{
	pthread_mutex_lock(&faults->mutex);
	bool is_meant = faults->fail.number != 0 && faults->is_fail_at_login;
	if (is_meant)
		*message = faults->fail;
	pthread_mutex_unlock(&faults->mutex);
	return is_meant;
}

bool fault_take_garbage(struct faults *faults)
{
	return flag_take(faults, &faults->is_garbage_next);
}

bool fault_take_truncation(struct faults *faults)
{
	return flag_take(faults, &faults->is_truncation_next);
}

bool fault_take_metadata(struct faults *faults)
{
	return flag_take(faults, &faults->is_metadata_next);
}

enum fault_cut fault_take_cut(struct faults *faults, uint64_t row_count)
{
	pthread_mutex_lock(&faults->mutex);
	enum fault_cut cut = FAULT_CUT_NONE;
	if (row_count >= faults->cut_row_count)
		cut = faults->cut;
	if (cut != FAULT_CUT_NONE && !faults->is_cut_repeated)
		faults->cut = FAULT_CUT_NONE;
	pthread_mutex_unlock(&faults->mutex);
	return cut;
}
