/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The log: one line per event on stderr, with journald's level prefix when the journal reads it.
 * Thread loops and main log; functions of collectors/ and storage/ never do. What repeats is a
 * complaint: said once, then rarely, and said again when it is over.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/cleanup.h"

enum log_level {
	LOG_LEVEL_ERROR = 3,
	LOG_LEVEL_WARNING = 4,
	LOG_LEVEL_INFO = 6,
	LOG_LEVEL_DEBUG = 7
};

/* Sets the least important level that is written; info at the start. Threads: main, before the
 * others start. */
void log_set_level(enum log_level level);

/* Writes one line; control characters in it become '?'. Threads: any; lines never mix. */
PRINTF(2, 3) void log_line(enum log_level level, const char *fmt, ...);

#define log_error(...)	 log_line(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warning(...) log_line(LOG_LEVEL_WARNING, __VA_ARGS__)
#define log_info(...)	 log_line(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...)	 log_line(LOG_LEVEL_DEBUG, __VA_ARGS__)

/* One thing that may go on being wrong. Zero-initialise; belongs to one thread. */
struct complaint {
	int64_t said_mono_ms;
	int64_t pause_ms; /* until it is said again; doubles from 1 min to 1 h */
	int64_t unsaid_count;
	bool is_open;
};

/*
 * Says that something is wrong, unless it was said a short while ago.
 *
 * Units:   now_mono_ms in milliseconds of the monotonic clock.
 * Threads: the owner of complaint.
 */
PRINTF(3, 4)
void complaint_say(struct complaint *complaint, int64_t now_mono_ms, const char *fmt, ...);

/* Says that it is over, when something had been said. Threads: the owner of complaint. */
PRINTF(2, 3) void complaint_end(struct complaint *complaint, const char *fmt, ...);
