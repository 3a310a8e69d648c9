/* SPDX-License-Identifier: Apache-2.0 */
/* The GRANT is that of the version, and names the login in use (B051). */
#include "collectors/right.h"

#include <string.h>

#include "tests/support.h"

struct right_case {
	struct server server;
	enum right right;
	const char *text;
};

static void assert_cures(const struct right_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		CLEANUP(strbuf_done) struct strbuf text = STRBUF_INIT;
		struct server server = cases[i].server;
		strcpy(server.login, "app]x");
		right_cure(&server, cases[i].right, &text);
		assert_string_equal(strbuf_text(&text), cases[i].text);
	}
}

static void the_state_right_is_that_of_the_version(void **state)
{
	(void)state;
	static const struct right_case cases[] = {
		{{.major = 11, .engine_edition = 3},
		 RIGHT_STATE,
		 "GRANT VIEW SERVER STATE TO [app]]x];"},
		{{.major = 15, .engine_edition = 3, .class = SERVER_CLASS_C},
		 RIGHT_STATE,
		 "GRANT VIEW SERVER STATE TO [app]]x];"},
		{{.major = 16, .engine_edition = 3, .class = SERVER_CLASS_C},
		 RIGHT_STATE,
		 "GRANT VIEW SERVER PERFORMANCE STATE TO [app]]x];"},
		{{.major = 16, .engine_edition = 8, .class = SERVER_CLASS_C},
		 RIGHT_STATE,
		 "GRANT VIEW SERVER STATE TO [app]]x];"},
		{{.major = 12,
		  .engine_edition = 5,
		  .class = SERVER_CLASS_D,
		  .service_objective = "S3"},
		 RIGHT_STATE,
		 "GRANT VIEW DATABASE STATE TO [app]]x];"},
		{{.major = 12,
		  .engine_edition = 5,
		  .class = SERVER_CLASS_D,
		  .service_objective = "S1"},
		 RIGHT_STATE,
		 "ALTER SERVER ROLE ##MS_ServerStateReader## ADD MEMBER [app]]x];"},
	};
	assert_cures(cases, sizeof(cases) / sizeof(cases[0]));
}

static void other_rights_are_those_of_the_version_too(void **state)
{
	(void)state;
	static const struct right_case cases[] = {
		{{.major = 15}, RIGHT_NAMES, "GRANT VIEW ANY DEFINITION TO [app]]x];"},
		{{.major = 16}, RIGHT_NAMES, "GRANT VIEW ANY PERFORMANCE DEFINITION TO [app]]x];"},
		{{.class = SERVER_CLASS_D}, RIGHT_NAMES, "GRANT VIEW DEFINITION TO [app]]x];"},
		{{.major = 15}, RIGHT_CONNECTION, "GRANT VIEW SERVER STATE TO [app]]x];"},
		{{.major = 16}, RIGHT_CONNECTION, "GRANT VIEW SERVER SECURITY STATE TO [app]]x];"},
		{{.major = 11}, RIGHT_DATABASE, "CREATE USER [app]]x];"},
		{{.major = 12}, RIGHT_DATABASE, "GRANT CONNECT ANY DATABASE TO [app]]x];"},
		{{.class = SERVER_CLASS_D}, RIGHT_DATABASE, ""},
		{{.major = 15}, RIGHT_NONE, ""},
	};
	assert_cures(cases, sizeof(cases) / sizeof(cases[0]));
}

static void the_number_tells_which_right_is_missing(void **state)
{
	(void)state;
	assert_int_equal(right_missing(300, RIGHT_STATE), RIGHT_STATE);
	assert_int_equal(right_missing(262, RIGHT_STATE), RIGHT_STATE);
	assert_int_equal(right_missing(229, RIGHT_STATE), RIGHT_NONE);
	assert_int_equal(right_missing(916, RIGHT_STATE), RIGHT_DATABASE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_state_right_is_that_of_the_version),
		cmocka_unit_test(other_rights_are_those_of_the_version_too),
		cmocka_unit_test(the_number_tells_which_right_is_missing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
