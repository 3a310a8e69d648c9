/* SPDX-License-Identifier: Apache-2.0 */
/* The table of routes: what matches, what does not, and what every answer carries. */
#include "web/route.h"

#include <stdio.h>
#include <string.h>

#include "tests/support.h"
#include "tests/web/web_fixture.h"

static int start(void **state)
{
	static struct web_fixture fixture;
	fixture_start(&fixture);
	*state = &fixture;
	return 0;
}

static int stop(void **state)
{
	fixture_stop(*state);
	return 0;
}

static int status_of(struct web_fixture *fixture, const char *method, const char *path)
{
	struct response response;
	fixture_send(fixture, method, path, &response);
	const int status = response.status;
	response_done(&response);
	return status;
}

static const char *path_of(const struct route *route)
{
	static char path[256];
	const char *const hole = strstr(route->pattern, "{t}");
	if (!hole)
		return route->pattern;
	snprintf(path, sizeof(path), "%.*sprod-01%s", (int)(hole - route->pattern), route->pattern,
		 hole + 3);
	return path;
}

static void every_route_answers_get_and_head_alike(void **state)
{
	const struct route *route = NULL;
	for (size_t i = 0; (route = route_at(i)); i++) {
		struct response get;
		struct response head;
		fixture_send(*state, "GET", path_of(route), &get);
		fixture_send(*state, "HEAD", path_of(route), &head);
		if (get.status != 200 || head.status != 200)
			fail_msg("%s: %d, %d", route->pattern, get.status, head.status);
		assert_string_equal(get.content_type, head.content_type);
		response_done(&get);
		response_done(&head);
	}
}

static void other_methods_are_405_with_allow(void **state)
{
	static const char *const methods[] = {"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "get"};
	const struct route *route = NULL;
	for (size_t i = 0; (route = route_at(i)); i++) {
		for (size_t method = 0; method < sizeof(methods) / sizeof(methods[0]); method++) {
			struct response response;
			fixture_send(*state, methods[method], path_of(route), &response);
			assert_int_equal(response.status, 405);
			assert_string_equal(response_header(&response, "Allow"), "GET, HEAD");
			assert_string_equal(response.content_type, "application/problem+json");
			response_done(&response);
		}
	}
}

static void unknown_paths_are_404(void **state)
{
	static const char *const paths[] = {
		"",
		"//",
		"/api",
		"/api/v1/targets/",
		"/api/v1/targets//waits",
		"/api/v1/targets/prod-01/",
		"/api/v1/targets/prod-01/waits/",
		"/api/v1/targets/prod-01/waits/bottom",
		"/api/v1/targets/prod-01/x/waits",
		"/api/v1/targets/../status",
		"/API/v1/status",
		"/assets/../api/v1/status",
		"/assets/secret",
		"/metrics\n",
	};
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (status_of(*state, "GET", paths[i]) != 404)
			fail_msg("'%s' is not 404", paths[i]);
}

static void every_answer_carries_the_security_headers(void **state)
{
	static const char *const paths[] = {"/", "/api/v1/status", "/nothing", "/assets/page.js"};
	static const bool is_file[] = {true, false, false, true};
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct response response;
		fixture_send(*state, "GET", paths[i], &response);
		assert_string_equal(response_header(&response, "X-Content-Type-Options"),
				    "nosniff");
		assert_memory_equal(response_header(&response, "Content-Security-Policy"),
				    "default-src 'self'", 18);
		assert_string_equal(response_header(&response, "Cache-Control"),
				    is_file[i] ? "no-cache" : "no-store");
		response_done(&response);
	}
}

/* B126: a page of another site reaches nothing under the name of its own. */
static void a_foreign_host_is_misdirected(void **state)
{
	struct web_fixture *const fixture = *state;
	struct request request = {
		.method = "GET", .path = "/api/v1/status", .host = "evil.example"};
	struct response response = {0};
	route_dispatch(&fixture->context, &request, &response);
	assert_int_equal(response.status, 421);
	response_done(&response);
}

static void the_page_asks_for_nothing_from_elsewhere(void **state)
{
	static const char *const paths[] = {"/", "/assets/page.js", "/assets/page.css"};
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct response response;
		fixture_send(*state, "GET", paths[i], &response);
		const char *const text = strbuf_text(&response.body);
		assert_null(strstr(text, "http:"));
		assert_null(strstr(text, "https:"));
		assert_null(strstr(text, "style="));
		assert_null(strstr(text, "innerHTML"));
		response_done(&response);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_route_answers_get_and_head_alike),
		cmocka_unit_test(other_methods_are_405_with_allow),
		cmocka_unit_test(unknown_paths_are_404),
		cmocka_unit_test(every_answer_carries_the_security_headers),
		cmocka_unit_test(a_foreign_host_is_misdirected),
		cmocka_unit_test(the_page_asks_for_nothing_from_elsewhere),
	};
	return cmocka_run_group_tests(tests, start, stop);
}
