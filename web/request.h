/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A request and its answer in this program's words: what the routes and handlers work on, without a
 * type of the HTTP library, so that tests call them without a socket. One thread per exchange.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "daemon/base/clock.h"
#include "daemon/base/strbuf.h"

enum { REQUEST_PARAMS_MAX = 64, RESPONSE_HEADERS_MAX = 8, PATH_TARGET_SIZE = 256 };

struct request_param {
	const char *name;
	const char *value; /* "" when there was none */
};

/* What came in. All texts are borrowed and decoded. */
struct request {
	const char *method;
	const char *path;
	struct request_param params[REQUEST_PARAMS_MAX];
	size_t param_count;
	bool has_unfit_params;	     /* too many, or one with a NUL in it */
	const char *host;	     /* header Host; NULL when absent (HTTP/1.0) */
	const char *accept_encoding; /* NULL when absent, as all headers below */
	const char *if_none_match;
	bool is_unix_socket; /* came over a unix socket: no browser can be tricked into that */
	struct instant now;  /* when it came in */
	char target[PATH_TARGET_SIZE]; /* what {t} of the route matched; set by the router */
};

struct response_header {
	const char *name; /* a literal */
	char value[192];
};

/* What goes out. Zero-initialise; end with response_done. */
struct response {
	int status;
	const char *content_type; /* a literal */
	struct strbuf body;
	struct response_header headers[RESPONSE_HEADERS_MAX];
	size_t header_count;
	bool is_cacheable; /* a handler set its own Cache-Control */
};

/* First value of a parameter; NULL when it was not given. Pure. */
const char *request_param(const struct request *request, const char *name);

/* True when the client takes gzip (RFC 9110: a weight of 0 refuses). Pure. */
bool request_accepts_gzip(const struct request *request);

/* Adds a header. Owns: name must be a literal; value is copied. Threads: the owner. */
void response_add_header(struct response *response, const char *name, const char *value);

/* Value of a header that was added; NULL when it was not. Pure. */
const char *response_header(const struct response *response, const char *name);

/* Compresses a body over 1 KiB when the client takes gzip. Threads: the owner. */
void response_compress(struct response *response, const struct request *request);

/* Frees what the answer holds. Owns: its contents. Threads: the owner. */
void response_done(struct response *response);
