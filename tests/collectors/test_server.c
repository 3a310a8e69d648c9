/* SPDX-License-Identifier: Apache-2.0 */
/* Which statements a server is asked with, and what it is said of it. */
#include "collectors/server.h"

#include <string.h>

#include "tests/support.h"

static void the_engine_decides_before_the_version(void **state)
{
	(void)state;
	static const struct {
		int32_t engine, major;
		enum server_class class;
	} cases[] = {
		{3, 11, SERVER_CLASS_A},  {3, 12, SERVER_CLASS_A}, {4, 13, SERVER_CLASS_A},
		{2, 14, SERVER_CLASS_A},  {3, 15, SERVER_CLASS_C}, {9, 15, SERVER_CLASS_C},
		{3, 16, SERVER_CLASS_C},  {3, 17, SERVER_CLASS_C}, {3, 23, SERVER_CLASS_C},
		{5, 12, SERVER_CLASS_D},  {5, 17, SERVER_CLASS_D}, {8, 12, SERVER_CLASS_C},
		{12, 12, SERVER_CLASS_D},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct error err = ERROR_INIT;
		struct server server = {.engine_edition = cases[i].engine, .major = cases[i].major};
		assert_true(server_decide_class(&server, &err));
		if (server.class != cases[i].class)
			fail_msg("engine %d, version %d is class %d", cases[i].engine,
				 cases[i].major, server.class);
	}
}

static void synapse_and_what_is_older_than_2012_are_refused(void **state)
{
	(void)state;
	static const struct server refused[] = {
		{.engine_edition = 6, .major = 12},
		{.engine_edition = 11, .major = 12},
		{.engine_edition = 3, .major = 10},
		{.engine_edition = 3, .major = 0},
	};
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct error err = ERROR_INIT;
		struct server server = refused[i];
		assert_false(server_decide_class(&server, &err));
		assert_int_equal(err.kind, ERROR_UNSUPPORTED);
	}
}

static bool is_warned_of(const struct server *server, const char *words)
{
	const char *text = NULL;
	for (int i = 0; (text = server_warning(server, i)); i++)
		if (strstr(text, words))
			return true;
	return false;
}

static void a_serverless_database_is_said_never_to_pause(void **state)
{
	(void)state;
	struct server server = {.class = SERVER_CLASS_D, .started_utc_ms = 1};
	strcpy(server.service_objective, "GP_S_Gen5_2");
	assert_true(is_warned_of(&server, "never pauses"));
	assert_true(is_warned_of(&server, "cannot be dated"));
	strcpy(server.service_objective, "S3");
	assert_false(is_warned_of(&server, "never pauses"));
	strcpy(server.database, "master");
	assert_true(is_warned_of(&server, "connected to 'master'"));
}

static void a_server_of_ones_own_has_no_warnings(void **state)
{
	(void)state;
	const struct server server = {.class = SERVER_CLASS_C, .database = "master"};
	assert_null(server_warning(&server, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_engine_decides_before_the_version),
		cmocka_unit_test(synapse_and_what_is_older_than_2012_are_refused),
		cmocka_unit_test(a_serverless_database_is_said_never_to_pause),
		cmocka_unit_test(a_server_of_ones_own_has_no_warnings),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
