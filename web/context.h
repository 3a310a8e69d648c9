/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the handlers answer from: the options the server was started with, and the names it may be
 * called by. Made by web_server_start, then never changed; any thread.
 */
#pragma once

#include "web/request.h"
#include "web/server.h"

struct web_context {
	struct web_options options;
	char hosts[WEB_LISTEN_MAX][HOST_SIZE]; /* of the listen addresses, without port, brackets */
	int host_count;
	bool listens_everywhere; /* on 0.0.0.0 or [::]: any address literal names this server */
};

/* Answers one request whose route matched. */
typedef void route_fn(const struct web_context *context, const struct request *request,
		      struct response *response);

enum { READER_WAIT_MS = 2000 };
