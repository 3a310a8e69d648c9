/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of routes, and the way of every request through it: Host check, path, method, handler,
 * security headers, gzip. Pure but for what the handler reads; the web threads run it.
 */
#pragma once

#include "web/context.h"

/*
 * Answers a request, whatever it is: the response always has a status and a body.
 *
 * Owns:    the caller ends response.
 * Threads: any.
 */
void route_dispatch(const struct web_context *context, struct request *request,
		    struct response *response);

struct route {
	const char *method;
	const char *pattern; /* {t} matches one segment, the name of a target */
	route_fn *handler;
};

/* Row number index of the table; NULL past the last. Pure. */
const struct route *route_at(size_t index);
