/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Helpers of one exchange: looking parameters and headers up, gzip. Runs in the web threads; knows
 * neither sockets nor what is asked.
 */
#include "web/request.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

enum { COMPRESS_FROM_BYTES = 1024, GZIP_WINDOW_BITS = 15 + 16, GZIP_MEMORY_LEVEL = 8 };

const char *request_param(const struct request *request, const char *name)
{
	for (size_t i = 0; i < request->param_count; i++)
		if (strcmp(request->params[i].name, name) == 0)
			return request->params[i].value;
	return NULL;
}

/* True when the element "gzip;q=0.5" (size bytes) names coding and does not refuse it. */
static bool coding_is_taken(const char *element, size_t size, const char *coding)
{
	const size_t name_size = strlen(coding);
	if (size < name_size || strncasecmp(element, coding, name_size) != 0)
		return false;
	const char *rest = element + name_size;
	const char *const end = element + size;
	if (rest < end && *rest != ';' && *rest != ' ' && *rest != '\t')
		return false;
	const char *weight = memchr(rest, '=', (size_t)(end - rest));
	return !weight || strtod(weight + 1, NULL) > 0;
}

bool request_accepts_gzip(const struct request *request)
{
	const char *at = request->accept_encoding;
	while (at && *at) {
		at += strspn(at, " \t,");
		const size_t size = strcspn(at, ",");
		if (coding_is_taken(at, size, "gzip"))
			return true;
		at += size;
	}
	return false;
}

void response_add_header(struct response *response, const char *name, const char *value)
{
	assert(response->header_count < RESPONSE_HEADERS_MAX);
	struct response_header *const header = &response->headers[response->header_count++];
	header->name = name;
	snprintf(header->value, sizeof(header->value), "%s", value);
}

const char *response_header(const struct response *response, const char *name)
{
	for (size_t i = 0; i < response->header_count; i++)
		if (strcasecmp(response->headers[i].name, name) == 0)
			return response->headers[i].value;
	return NULL;
}

static bool gzip_into(struct strbuf *out, const struct strbuf *body)
{
	z_stream stream = {0};
	if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, GZIP_WINDOW_BITS, GZIP_MEMORY_LEVEL,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return false;
	const size_t bound = deflateBound(&stream, body->size);
	/* zlib never writes to its input; the type predates const. */
	stream.next_in = (Bytef *)(void *)body->data;
	stream.avail_in = (uInt)body->size;
	stream.next_out = (Bytef *)strbuf_reserve(out, bound);
	stream.avail_out = (uInt)bound;
	const bool is_whole = deflate(&stream, Z_FINISH) == Z_STREAM_END;
	strbuf_grew(out, stream.total_out);
	(void)deflateEnd(&stream); /* can only say that the stream was cut, which is_whole says */
	return is_whole;
}

void response_compress(struct response *response, const struct request *request)
{
	if (response->body.size <= COMPRESS_FROM_BYTES)
		return;
	response_add_header(response, "Vary", "Accept-Encoding");
	if (!request_accepts_gzip(request))
		return;
	CLEANUP(strbuf_done) struct strbuf packed = STRBUF_INIT;
	if (!gzip_into(&packed, &response->body))
		return;
	const struct strbuf plain = response->body;
	response->body = packed;
	packed = plain;
	response_add_header(response, "Content-Encoding", "gzip");
}

void response_done(struct response *response)
{
	strbuf_done(&response->body);
	*response = (struct response){0};
}
