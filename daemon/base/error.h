/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One error: what kind, the code of whoever reported it, and one sentence an operator can act on.
 * Lives in the caller's stack; no allocation, no state, any thread.
 */
#pragma once

#include <stdbool.h>

#include "daemon/base/cleanup.h"

enum error_kind {
	ERROR_NONE = 0,
	ERROR_INVALID, /* what was asked or configured makes no sense */
	ERROR_NOT_FOUND,
	ERROR_TIMEOUT,	   /* a deadline passed */
	ERROR_STOPPED,	   /* the daemon is ending */
	ERROR_UNREACHABLE, /* no connection, or it broke */
	ERROR_DENIED,	   /* login refused or a right is missing */
	ERROR_SERVER,	   /* the SQL Server answered with an error; code is its number */
	ERROR_PROTOCOL,	   /* an answer that cannot be true */
	ERROR_UNSUPPORTED, /* this server or build cannot do it */
	ERROR_IO,	   /* a file or socket of ours; code is errno */
	ERROR_FULL,	   /* no space on the disk, or a bound was reached */
	ERROR_CORRUPT,	   /* the store or a frame in it is damaged */
	ERROR_CONFLICT,	   /* it exists already or somebody holds it */
};

struct error {
	enum error_kind kind;
	int code; /* number of the foreign library, the server or errno; 0 when there is none */
	char text[512];
};

#define ERROR_INIT                                                                                 \
	{                                                                                          \
		.kind = ERROR_NONE                                                                 \
	}

/*
 * Fills err with a sentence and returns false, so that a function can end with it.
 *
 * Errors:  none of its own; a text longer than the field is cut.
 * Threads: any.
 */
PRINTF(4, 5)
bool error_set(struct error *err, enum error_kind kind, int code, const char *fmt, ...);

/* Puts "prefix: " before the text, adding what only this level knows; returns false. Threads: any.
 */
PRINTF(2, 3) bool error_prefix(struct error *err, const char *fmt, ...);

/* Makes err say nothing again. Threads: any. */
void error_clear(struct error *err);

/* Name of a kind as the API shows it: "timeout", "denied" ... Pure. */
const char *error_kind_name(enum error_kind kind);
