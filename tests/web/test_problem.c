/* SPDX-License-Identifier: Apache-2.0 */
/* Errors come out as RFC 9457 wants them. */
#include "web/problem.h"

#include <jansson.h>
#include <stdint.h>
#include <string.h>

#include "tests/support.h"

static void every_member_is_there(void **state)
{
	(void)state;
	struct problem problem = {0};
	struct response response = {0};
	problem_add(&problem, 400, "start", "soon", "give a %s", "time");
	problem_add(&problem, 422, "points", "99999", "the largest is %d", 11000);
	problem_respond(&problem, &response);
	assert_int_equal(response.status, 422);
	assert_string_equal(response.content_type, "application/problem+json");
	json_t *const root = json_loads(strbuf_text(&response.body), 0, NULL);
	assert_non_null(root);
	const char *type = NULL;
	const char *title = NULL;
	const char *detail = NULL;
	const char *param = NULL;
	const char *value = NULL;
	const char *hint = NULL;
	int status = 0;
	assert_int_equal(json_unpack(root, "{s:s,s:s,s:i,s:s,s:[{s:s,s:s,s:s},{}]}", "type", &type,
				     "title", &title, "status", &status, "detail", &detail,
				     "errors", "param", &param, "value", &value, "hint", &hint),
			 0);
	assert_string_equal(type, "about:blank");
	assert_string_equal(title, "Unprocessable Content");
	assert_int_equal(status, 422);
	assert_non_null(strstr(detail, "give a time"));
	assert_string_equal(param, "start");
	assert_string_equal(value, "soon");
	assert_string_equal(hint, "give a time");
	json_decref(root);
	response_done(&response);
}

static void a_problem_replaces_a_half_written_answer(void **state)
{
	(void)state;
	const struct error err = {.kind = ERROR_IO, .text = "disk gone"};
	struct response response = {.status = 200};
	strbuf_adds(&response.body, "{\"half\":");
	problem_respond_error(&response, &err);
	assert_int_equal(response.status, 503);
	json_t *const root = json_loads(strbuf_text(&response.body), 0, NULL);
	assert_non_null(root);
	assert_non_null(strstr(json_string_value(json_object_get(root, "detail")), "disk gone"));
	json_decref(root);
	response_done(&response);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_member_is_there),
		cmocka_unit_test(a_problem_replaces_a_half_written_answer),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
