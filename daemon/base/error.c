/* SPDX-License-Identifier: Apache-2.0 */
/* One error, in the caller's stack. Runs in every thread; knows nothing of this program. */
#include "daemon/base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const kind_names[] = {
	[ERROR_NONE] = "none",
	[ERROR_INVALID] = "invalid",
	[ERROR_NOT_FOUND] = "not_found",
	[ERROR_TIMEOUT] = "timeout",
	[ERROR_STOPPED] = "stopped",
	[ERROR_UNREACHABLE] = "unreachable",
	[ERROR_DENIED] = "denied",
	[ERROR_SERVER] = "server",
	[ERROR_PROTOCOL] = "protocol",
	[ERROR_UNSUPPORTED] = "unsupported",
	[ERROR_IO] = "io",
	[ERROR_FULL] = "full",
	[ERROR_CORRUPT] = "corrupt",
	[ERROR_CONFLICT] = "conflict",
};

bool error_set(struct error *err, enum error_kind kind, int code, const char *fmt, ...)
{
	/* The arguments may point into err->text: print beside it, then copy. */
	char text[sizeof(err->text)];
	va_list args;
	va_start(args, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, args); /* a cut sentence is better than none */
	va_end(args);
	err->kind = kind;
	err->code = code;
	memcpy(err->text, text, sizeof(text));
	return false;
}

bool error_prefix(struct error *err, const char *fmt, ...)
{
	char text[sizeof(err->text)];
	va_list args;
	va_start(args, fmt);
	const int printed = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	const size_t length = printed < 0 ? 0 : (size_t)printed;
	if (length < sizeof(text))
		(void)snprintf(text + length, sizeof(text) - length, ": %s",
			       err->text); /* may cut */
	memcpy(err->text, text, sizeof(text));
	return false;
}

void error_clear(struct error *err)
{
	*err = (struct error)ERROR_INIT;
}

const char *error_kind_name(enum error_kind kind)
{
	return kind_names[kind];
}
