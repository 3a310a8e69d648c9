/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The embedded HTTP server: the only door to libmicrohttpd. Two pool threads answer through the
 * routes of route.c; main starts and stops it.
 */
#pragma once

#include "analysis/rule.h"
#include "storage/live.h"
#include "storage/reader.h"
#include "storage/writer.h"

struct web_server;

enum { WEB_LISTEN_MAX = 8 };

struct web_options {
	const char *listen[WEB_LISTEN_MAX]; /* "127.0.0.1:9743", "[::1]:0",
					       "unix:/run/latchd/api.sock" */
	int listen_count;
	struct reader_pool *readers; /* borrowed, as all below; must outlive the server */
	struct live *live;
	struct writer *writer;
	const struct rule *rules; /* today's; the store may remember alerts of others */
	size_t rule_count;
	const char *store_path;
	int64_t started_utc_ms;
	const char *(*config_state)(void *context); /* shown in status: "loaded", "changed"
						       or "invalid" on the disk; NULL "loaded" */
	bool (*is_ready)(void *context);	    /* READY has been reached and the store works */
	void *context;
};

/*
 * Starts listening on every address.
 *
 * Owns:    the caller stops it; strings in options are copied.
 * Errors:  ERROR_INVALID an address that cannot be read; ERROR_CONFLICT in use; ERROR_IO.
 * Threads: main.
 */
MUST_CHECK struct web_server *web_server_start(const struct web_options *options,
					       struct error *err);

/* Stops listening, ends what runs, frees; NULL is fine. Owns: server. Threads: main; blocks
 * shortly. */
void web_server_stop(struct web_server *server);

/* Address number index as "http://127.0.0.1:40123", the port as bound; NULL past the last. Threads:
 * main. */
const char *web_server_address(const struct web_server *server, int index);
