/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The log. A line is built on the stack and leaves in one write(2), which keeps lines of several
 * threads apart without a mutex of our own.
 */
#include "daemon/base/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { FIRST_PAUSE_MS = 60000, LAST_PAUSE_MS = 3600000, LINE_SIZE = 1024 };

static atomic_int least_level = LOG_LEVEL_INFO;

void log_set_level(enum log_level level)
{
	atomic_store(&least_level, (int)level);
}

static const char *level_name(enum log_level level)
{
	switch (level) {
	case LOG_LEVEL_ERROR:
		return "error: ";
	case LOG_LEVEL_WARNING:
		return "warning: ";
	case LOG_LEVEL_INFO:
	case LOG_LEVEL_DEBUG:
		break;
	}
	return "";
}

PRINTF(2, 0) static void write_line(enum log_level level, const char *fmt, va_list args)
{
	if ((int)level > atomic_load(&least_level))
		return;
	char line[LINE_SIZE];
	/* sd-daemon(3): the journal strips "<N>" and takes it as the priority. */
	int length = getenv("JOURNAL_STREAM")
			     ? snprintf(line, sizeof(line), "<%d>", (int)level)
			     : snprintf(line, sizeof(line), "latchd: %s", level_name(level));
	const int start = length;
	length += vsnprintf(line + length, sizeof(line) - (size_t)length, fmt, args);
	if (length > LINE_SIZE - 2)
		length = LINE_SIZE - 2;
	for (int i = start; i < length; i++)
		if ((unsigned char)line[i] < 0x20 || line[i] == 0x7F)
			line[i] = '?';
	line[length++] = '\n';
	if (write(STDERR_FILENO, line, (size_t)length) < 0)
		return; /* nobody reads the log: there is no other place to say so */
}

void log_line(enum log_level level, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	write_line(level, fmt, args);
	va_end(args);
}

void complaint_say(struct complaint *complaint, int64_t now_mono_ms, const char *fmt, ...)
{
	if (complaint->is_open && now_mono_ms - complaint->said_mono_ms < complaint->pause_ms) {
		complaint->unsaid_count++;
		return;
	}
	const int64_t doubled = complaint->pause_ms * 2;
	complaint->pause_ms = !complaint->is_open	? FIRST_PAUSE_MS
			      : doubled < LAST_PAUSE_MS ? doubled
							: LAST_PAUSE_MS;
	complaint->is_open = true;
	complaint->said_mono_ms = now_mono_ms;
	char text[LINE_SIZE];
	va_list args;
	va_start(args, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, args); /* may cut */
	va_end(args);
	if (complaint->unsaid_count > 0)
		log_warning("%s (and %lld times before)", text, (long long)complaint->unsaid_count);
	else
		log_warning("%s", text);
	complaint->unsaid_count = 0;
}

void complaint_end(struct complaint *complaint, const char *fmt, ...)
{
	if (!complaint->is_open)
		return;
	va_list args;
	va_start(args, fmt);
	write_line(LOG_LEVEL_INFO, fmt, args);
	va_end(args);
	*complaint = (struct complaint){0};
}
