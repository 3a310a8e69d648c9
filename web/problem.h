/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errors as the API tells them: application/problem+json (RFC 9457), with one entry per parameter
 * that is wrong and a hint that cures it. Pure but for the response it fills; any thread.
 */
#pragma once

#include "daemon/base/error.h"
#include "web/request.h"

enum { PROBLEM_ERRORS_MAX = 8 };

struct problem_error {
	char param[32];
	char value[96];
	char hint[256];
};

/* Zero-initialise; a status of 0 says that nothing is wrong. */
struct problem {
	int status;
	char detail[512];
	struct problem_error errors[PROBLEM_ERRORS_MAX];
	int error_count;
};

/* Adds what is wrong with one parameter; the highest status of all wins. value may be NULL.
 * Threads: the owner. */
PRINTF(5, 6)
void problem_add(struct problem *problem, int status, const char *param, const char *value,
		 const char *hint_fmt, ...);

/* Makes the response say what is wrong. Threads: the owner. */
void problem_respond(const struct problem *problem, struct response *response);

/* The same for a problem of one sentence. Threads: the owner. */
PRINTF(3, 4)
void problem_respond_with(struct response *response, int status, const char *detail_fmt, ...);

/* The same for an error of the store: 503. Threads: the owner. */
void problem_respond_error(struct response *response, const struct error *err);
