/* SPDX-License-Identifier: Apache-2.0 */
/* Stored objects pass through as they are; damaged ones become empty. */
#include "web/stored_json.h"

#include <stdint.h>

#include "tests/support.h"

static void objects_pass_and_damage_is_empty(void **state)
{
	(void)state;
	static const struct {
		const char *stored;
		const char *written;
	} cases[] = {
		{"{\"a\": 9223372036854775807}", "{\"a\": 9223372036854775807}"},
		{"{}", "{}"},
		{"", "{}"},
		{"{\"cut\": \"in the mid", "{}"},
		{"[1]", "{}"},
		{"null", "{}"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CLEANUP(strbuf_done) struct strbuf out = STRBUF_INIT;
		struct json json = json_begin(&out);
		stored_json_add(&json, cases[i].stored);
		assert_string_equal(strbuf_text(&out), cases[i].written);
	}
}

static void reserved_members_are_left_out(void **state)
{
	(void)state;
	static const char *const reserved[] = {"target", NULL};
	CLEANUP(strbuf_done) struct strbuf out = STRBUF_INIT;
	struct json json = json_begin(&out);
	json_open_object(&json);
	stored_json_add_members(&json, "{\"team\":\"dba\",\"target\":\"lie\",\"env\":\"prod\"}",
				reserved);
	json_close_object(&json);
	assert_string_equal(strbuf_text(&out), "{\"team\":\"dba\",\"env\":\"prod\"}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(objects_pass_and_damage_is_empty),
		cmocka_unit_test(reserved_members_are_left_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
