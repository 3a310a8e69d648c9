/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The only door to libmicrohttpd: turns its callbacks into struct request and struct response, and
 * nothing more. One MHD daemon per listen address, each with two epoll threads. Those threads are
 * the thread loop here, so this file reads the clock for them.
 *
 * Bounds: connections over the limit wait in the backlog; a request's headers fit 32 KiB (MHD
 * answers 431 or 414); bodies are not wanted yet and end the connection past a small allowance.
 */
#include "web/server.h"

#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/alloc.h"
#include "daemon/base/log.h"
#include "web/context.h"
#include "web/listen.h"
#include "web/problem.h"
#include "web/route.h"

enum {
	POOL_THREADS = 2,
	CONNECTIONS_MAX = 256,
	CONNECTIONS_PER_ADDRESS_MAX = 128,
	IDLE_TIMEOUT_S = 30,
	BODY_BYTES_MAX = 64 * 1024,
};

struct listener {
	struct web_server *server;
	struct listen_socket socket;
	struct MHD_Daemon *daemon;
};

struct web_server {
	struct web_context context;
	struct listener listeners[WEB_LISTEN_MAX];
	int listener_count;
	char *store_path;
};

/* One request on its way in: MHD calls the handler for the headers and for each part of a body. */
struct exchange {
	size_t body_bytes;
};

static enum MHD_Result add_param(void *context, enum MHD_ValueKind kind, const char *name,
				 size_t name_size, const char *value, size_t value_size)
{
	struct request *const request = context;
	(void)kind; /* only arguments are asked for */
	const bool is_whole = strlen(name) == name_size && (!value || strlen(value) == value_size);
	if (!is_whole || request->param_count == REQUEST_PARAMS_MAX) {
		request->has_unfit_params = true;
		return MHD_NO;
	}
	request->params[request->param_count++] =
		(struct request_param){.name = name, .value = value ? value : ""};
	return MHD_YES;
}

static const char *header(struct MHD_Connection *connection, const char *name)
{
	return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

static enum MHD_Result send_response(struct MHD_Connection *connection, struct response *answer)
{
	const size_t size = answer->body.size;
	struct MHD_Response *const response = MHD_create_response_from_buffer(
		size, strbuf_take(&answer->body), MHD_RESPMEM_MUST_FREE);
	if (!response)
		return MHD_NO;
	bool is_built = MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE,
						answer->content_type) == MHD_YES;
	for (size_t i = 0; i < answer->header_count; i++)
		is_built = MHD_add_response_header(response, answer->headers[i].name,
						   answer->headers[i].value) == MHD_YES &&
			   is_built;
	const enum MHD_Result result =
		is_built ? MHD_queue_response(connection, (unsigned)answer->status, response)
			 : MHD_NO;
	MHD_destroy_response(response);
	return result;
}

static enum MHD_Result answer_request(const struct listener *listener,
				      struct MHD_Connection *connection, const char *path,
				      const char *method)
{
	struct request request = {
		.method = method,
		.path = path,
		.host = header(connection, MHD_HTTP_HEADER_HOST),
		.accept_encoding = header(connection, MHD_HTTP_HEADER_ACCEPT_ENCODING),
		.if_none_match = header(connection, MHD_HTTP_HEADER_IF_NONE_MATCH),
		.is_unix_socket = listener->socket.is_unix,
		.now = clock_now(),
	};
	(void)MHD_get_connection_values_n(connection, MHD_GET_ARGUMENT_KIND, add_param,
					  &request); /* how many came is in request */
	struct response response = {0};
	route_dispatch(&listener->server->context, &request, &response);
	const enum MHD_Result result = send_response(connection, &response);
	response_done(&response);
	return result;
}

static bool announces_too_much(struct MHD_Connection *connection)
{
	const char *const length = header(connection, MHD_HTTP_HEADER_CONTENT_LENGTH);
	return length && strtoull(length, NULL, 10) > BODY_BYTES_MAX;
}

static enum MHD_Result refuse_body(struct MHD_Connection *connection)
{
	struct response response = {0};
	problem_respond_with(&response, 413, "a body of more than %d bytes is not taken",
			     BODY_BYTES_MAX);
	response_add_header(&response, "Connection", "close");
	const enum MHD_Result result = send_response(connection, &response);
	response_done(&response);
	return result;
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *path,
			      const char *method, const char *version, const char *upload,
			      size_t *upload_size, void **state)
{
	(void)version; /* MHD sees to it */
	(void)upload;
	if (!*state) {
		if (announces_too_much(connection))
			return refuse_body(connection);
		*state = xcalloc(1, sizeof(struct exchange));
		return MHD_YES;
	}
	struct exchange *const exchange = *state;
	if (*upload_size > 0) {
		/* A chunked body says no length: it is cut when it has become too long. */
		exchange->body_bytes += *upload_size;
		*upload_size = 0;
		return exchange->body_bytes <= BODY_BYTES_MAX ? MHD_YES : MHD_NO;
	}
	return answer_request(context, connection, path, method);
}

static void end_exchange(void *context, struct MHD_Connection *connection, void **state,
			 enum MHD_RequestTerminationCode code)
{
	(void)context;
	(void)connection;
	(void)code;
	free(*state);
	*state = NULL;
}

PRINTF(2, 0) static void log_from_library(void *context, const char *fmt, va_list arguments)
{
	char text[256];
	(void)context;
	vsnprintf(text, sizeof(text), fmt, arguments);
	text[strcspn(text, "\n")] = '\0';
	log_debug("http: %s", text);
}

static bool start_listener(struct listener *listener, struct error *err)
{
	/* clang-format off: one option a line */
	const struct MHD_OptionItem options[] = {
		{MHD_OPTION_EXTERNAL_LOGGER, (intptr_t)log_from_library, NULL},
		{MHD_OPTION_LISTEN_SOCKET, listener->socket.fd, NULL},
		{MHD_OPTION_THREAD_POOL_SIZE, POOL_THREADS, NULL},
		{MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS_MAX, NULL},
		{MHD_OPTION_PER_IP_CONNECTION_LIMIT, CONNECTIONS_PER_ADDRESS_MAX, NULL},
		{MHD_OPTION_CONNECTION_TIMEOUT, IDLE_TIMEOUT_S, NULL},
		{MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)end_exchange, NULL},
		{MHD_OPTION_END, 0, NULL},
	};
	/* clang-format on */
	listener->daemon =
		MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ERROR_LOG, 0, NULL, NULL,
				 handle, listener, MHD_OPTION_ARRAY, options, MHD_OPTION_END);
	if (listener->daemon)
		return true;
	return error_set(err, ERROR_IO, 0, "the HTTP server cannot start on '%s'",
			 listener->socket.shown);
}

/* Opens the sockets first: the context must not change once a thread runs. */
static bool open_sockets(struct web_server *server, const struct web_options *options,
			 struct error *err)
{
	struct web_context *const context = &server->context;
	for (int i = 0; i < options->listen_count; i++) {
		struct listener *const listener = &server->listeners[i];
		if (!listen_open(options->listen[i], &listener->socket, err))
			return false;
		listener->server = server;
		server->listener_count++;
		context->listens_everywhere |= listener->socket.is_everywhere;
		if (!listener->socket.is_unix)
			snprintf(context->hosts[context->host_count++], HOST_SIZE, "%s",
				 listener->socket.host);
	}
	return true;
}

struct web_server *web_server_start(const struct web_options *options, struct error *err)
{
	struct web_server *const server = xcalloc(1, sizeof(*server));
	server->store_path = xstrdup(options->store_path);
	server->context.options = *options;
	server->context.options.store_path = server->store_path;
	bool is_started = open_sockets(server, options, err);
	for (int i = 0; is_started && i < server->listener_count; i++)
		is_started = start_listener(&server->listeners[i], err);
	if (is_started)
		return server;
	web_server_stop(server);
	return NULL;
}

/* MHD closes the listening socket that it was given; without a daemon it is still ours. */
static void stop_listener(struct listener *listener)
{
	if (listener->daemon)
		MHD_stop_daemon(listener->daemon);
	else
		close(listener->socket.fd);
	if (listener->socket.is_unix)
		(void)unlink(listener->socket.host); /* may have been removed by hand */
}

void web_server_stop(struct web_server *server)
{
	if (!server)
		return;
	for (int i = 0; i < server->listener_count; i++)
		stop_listener(&server->listeners[i]);
	free(server->store_path);
	free(server);
}

const char *web_server_address(const struct web_server *server, int index)
{
	if (index < 0 || index >= server->listener_count)
		return NULL;
	return server->listeners[index].socket.shown;
}
