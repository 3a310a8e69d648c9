/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables from foreign numbers to kinds and sentences (platform-facts A4). libsybdb's own texts
 * speak of another product, so only texts of the server are passed on. Pure.
 */
#include "collectors/session_fault.h"

#include <errno.h>
#include <string.h>

enum { LOGIN_BROKE_OFF = 20002, CLOSED_BY_SERVER = 20017 };

struct library_fault {
	int number;
	enum error_kind kind;
	const char *text; /* %s is where */
};

static const struct library_fault library_faults[] = {
	{LOGIN_BROKE_OFF, ERROR_UNREACHABLE, "%s broke off the login"},
	{20004, ERROR_UNREACHABLE, "connection to %s broke while reading"},
	{20006, ERROR_UNREACHABLE, "connection to %s broke while writing"},
	{20012, ERROR_UNREACHABLE, "host name of %s is not known"},
	{20013, ERROR_UNREACHABLE, "host name of %s is not known"},
	{CLOSED_BY_SERVER, ERROR_UNREACHABLE, "%s closed the connection"},
	{20020, ERROR_PROTOCOL, "answer of %s is not TDS"},
	{20047, ERROR_UNREACHABLE, "connection to %s is gone"},
};

/* A right is missing, or the login is not let in. */
static const int denied_numbers[] = {
	229,   230,   262,   297,   300,   371,	  916,	 15151, 15247, 18450, 18451,
	18452, 18456, 18458, 18459, 18460, 18461, 18470, 18486, 18487, 18488,
};

/* This version or service has no such view, column or function, or does not let it be used. */
static const int unsupported_numbers[] = {
	207, 208, 40508, 40510, 40511, 40512, 40515, 40517, 40520, 40521, 40522,
};

static bool is_one_of(int number, const int *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (numbers[i] == number)
			return true;
	return false;
}

static enum error_kind kind_of_server(int number)
{
	if (is_one_of(number, denied_numbers, sizeof(denied_numbers) / sizeof(int)))
		return ERROR_DENIED;
	if (is_one_of(number, unsupported_numbers, sizeof(unsupported_numbers) / sizeof(int)))
		return ERROR_UNSUPPORTED;
	return ERROR_SERVER;
}

static void fault_of_connect(int os_error, const char *where, struct error *err)
{
	if (os_error == ECONNREFUSED)
		(void)error_set(err, ERROR_UNREACHABLE, os_error, "connection refused by %s",
				where);
	else if (os_error > 0)
		(void)error_set(err, ERROR_UNREACHABLE, os_error, "cannot connect to %s: %s", where,
				strerror(os_error));
	else
		(void)error_set(err, ERROR_UNREACHABLE, 0, "cannot connect to %s", where);
}

static void fault_of_timeout(const char *where, bool is_login, struct error *err)
{
	(void)error_set(err, ERROR_TIMEOUT, 0,
			is_login ? "%s did not answer the login in time"
				 : "%s did not answer the statement in time",
			where);
}

void session_fault_of_library(int number, int os_error, const char *text, const char *where,
			      bool is_login, struct error *err)
{
	if (number == 20009) {
		fault_of_connect(os_error, where, err);
		return;
	}
	if (number == SESSION_FAULT_TIMEOUT) {
		fault_of_timeout(where, is_login, err);
		return;
	}
	for (size_t i = 0; i < sizeof(library_faults) / sizeof(library_faults[0]); i++) {
		const struct library_fault *fault = &library_faults[i];
		if (fault->number != number)
			continue;
		const char *place = strstr(fault->text, "%s");
		(void)error_set(err, fault->kind, number, "%.*s%s%s", (int)(place - fault->text),
				fault->text, where, place + 2);
		return;
	}
	(void)error_set(err, ERROR_PROTOCOL, number, "client library: %s (%d)",
			text ? text : "unknown error", number);
}

bool session_fault_is_vague(const struct error *err)
{
	return err->kind == ERROR_UNREACHABLE &&
	       (err->code == LOGIN_BROKE_OFF || err->code == CLOSED_BY_SERVER);
}

void session_fault_of_server(int number, int severity, int state, int line, const char *text,
			     struct error *err)
{
	(void)error_set(err, kind_of_server(number), number,
			"server error %d, severity %d, state %d, line %d: %s", number, severity,
			state, line, text ? text : "");
}
