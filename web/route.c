/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One table makes the routes, 404, 405 with Allow, and HEAD wherever GET. Paths match exactly: they
 * come percent-decoded, so `..` in one is only a name that does not exist. Runs in the web threads.
 */
#include "web/route.h"

#include <stdio.h>
#include <string.h>

#include "web/api.h"
#include "web/host.h"
#include "web/problem.h"

static const struct route routes[] = {
	{"GET", "/", api_page},
	{"GET", "/assets/page.css", api_asset_css},
	{"GET", "/assets/page.js", api_asset_js},
	{"GET", "/assets/icon.svg", api_asset_icon},
	{"GET", "/-/healthy", api_healthy},
	{"GET", "/livez", api_healthy},
	{"GET", "/healthz", api_healthy},
	{"GET", "/-/ready", api_ready},
	{"GET", "/readyz", api_ready},
	{"GET", "/api/v1/status", api_status},
	{"GET", "/api/v1/targets", api_targets},
	{"GET", "/api/v1/targets/{t}", api_target},
	{"GET", "/api/v1/targets/{t}/waits", api_waits},
	{"GET", "/api/v1/targets/{t}/latches", api_latches},
	{"GET", "/api/v1/targets/{t}/spinlocks", api_spinlocks},
	{"GET", "/api/v1/targets/{t}/waits/top", api_waits_top},
	{"GET", "/api/v1/targets/{t}/latches/top", api_latches_top},
	{"GET", "/api/v1/targets/{t}/spinlocks/top", api_spinlocks_top},
	{"GET", "/api/v1/targets/{t}/hotspots", api_hotspots},
	{"GET", "/api/v1/targets/{t}/tasks", api_tasks},
	{"GET", "/api/v1/targets/{t}/events", api_events},
	{"GET", "/api/v1/alerts", api_alerts},
};

enum { ROUTE_COUNT = sizeof(routes) / sizeof(routes[0]) };

const struct route *route_at(size_t index)
{
	return index < ROUTE_COUNT ? &routes[index] : NULL;
}

/* Matches a path against a pattern; {t} goes to target. */
static bool path_matches(const char *pattern, const char *path, char target[PATH_TARGET_SIZE])
{
	const char *const hole = strstr(pattern, "{t}");
	if (!hole)
		return strcmp(pattern, path) == 0;
	const size_t before = (size_t)(hole - pattern);
	if (strncmp(pattern, path, before) != 0)
		return false;
	const char *const segment = path + before;
	const size_t size = strcspn(segment, "/");
	if (size == 0 || size >= PATH_TARGET_SIZE || strcmp(segment + size, hole + 3) != 0)
		return false;
	memcpy(target, segment, size);
	target[size] = '\0';
	return true;
}

static bool method_matches(const struct route *route, const char *method)
{
	return strcmp(route->method, method) == 0 ||
	       (strcmp(method, "HEAD") == 0 && strcmp(route->method, "GET") == 0);
}

static void add_allowed(struct strbuf *allow, const char *method)
{
	strbuf_adds(allow, allow->size > 0 ? ", " : "");
	strbuf_adds(allow, method);
	if (strcmp(method, "GET") == 0)
		strbuf_adds(allow, ", HEAD");
}

static void respond_unmatched(const struct request *request, struct response *response,
			      const char *allow)
{
	if (!*allow) {
		problem_respond_with(response, 404, "there is nothing at '%s'", request->path);
		return;
	}
	problem_respond_with(response, 405, "'%s' takes %s, not %s", request->path, allow,
			     request->method);
	response_add_header(response, "Allow", allow);
}

static void find_and_run(const struct web_context *context, struct request *request,
			 struct response *response)
{
	CLEANUP(strbuf_done) struct strbuf allow = STRBUF_INIT;
	for (size_t i = 0; i < ROUTE_COUNT; i++) {
		if (!path_matches(routes[i].pattern, request->path, request->target))
			continue;
		if (method_matches(&routes[i], request->method)) {
			routes[i].handler(context, request, response);
			return;
		}
		add_allowed(&allow, routes[i].method);
	}
	respond_unmatched(request, response, strbuf_text(&allow));
}

static void add_security_headers(struct response *response)
{
	response_add_header(response, "X-Content-Type-Options", "nosniff");
	response_add_header(response, "Content-Security-Policy",
			    "default-src 'self'; base-uri 'none'; form-action 'none'; "
			    "frame-ancestors 'none'");
	if (!response->is_cacheable)
		response_add_header(response, "Cache-Control", "no-store");
}

void route_dispatch(const struct web_context *context, struct request *request,
		    struct response *response)
{
	response->status = 200;
	response->content_type = "application/json";
	if (!host_is_allowed(context, request))
		problem_respond_with(response, 421, "this server is not '%s'", request->host);
	else if (request->has_unfit_params)
		problem_respond_with(response, 400, "more than %d parameters", REQUEST_PARAMS_MAX);
	else
		find_and_run(context, request, response);
	add_security_headers(response);
	response_compress(response, request);
}
