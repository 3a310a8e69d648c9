/* SPDX-License-Identifier: Apache-2.0 */
/* Spellings of hosts (B063): what each becomes, and what is said of those that are none. */
#include "daemon/host.h"

#include <string.h>

#include "tests/support.h"

static void each_spelling_is_understood(void **state)
{
	static const struct {
		const char *text, *name, *instance;
		int port;
	} cases[] = {
		{"sql01", "sql01", "", 0},
		{"sql01.example.net", "sql01.example.net", "", 0},
		{"sql01.example.net.", "sql01.example.net.", "", 0},
		{"sql01,1444", "sql01", "", 1444},
		{"sql01, 1444", "sql01", "", 1444},
		{"sql01\\PROD", "sql01", "PROD", 0},
		{"sql01\\PROD,1444", "sql01", "PROD", 1444},
		{"sql01\\PR_1$#", "sql01", "PR_1$#", 0},
		{"tcp:sql01", "sql01", "", 0},
		{"TCP:sql01,1444", "sql01", "", 1444},
		{"tcp:sql01\\PROD", "sql01", "PROD", 0},
		{"192.0.2.1", "192.0.2.1", "", 0},
		{"192.0.2.1,65535", "192.0.2.1", "", 65535},
		{"::1", "::1", "", 0},
		{"[::1]", "::1", "", 0},
		{"[::1],1444", "::1", "", 1444},
		{"::1,1444", "::1", "", 1444},
		{"[2001:db8::7]\\PROD", "2001:db8::7", "PROD", 0},
		{"tcp:[2001:db8::7]\\PROD,1444", "2001:db8::7", "PROD", 1444},
		{"fe80::1%eth0", "fe80::1%eth0", "", 0},
		{"db.database.windows.net", "db.database.windows.net", "", 0},
		{"  sql01  ", "sql01", "", 0},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct error err = ERROR_INIT;
		struct host host = {0};
		if (!host_parse(cases[i].text, &host, &err))
			fail_msg("%s", err.text);
		assert_string_equal(host.name, cases[i].name);
		assert_string_equal(host.instance, cases[i].instance);
		assert_int_equal(host.port, cases[i].port);
	}
}

static void each_mistake_is_told_with_what_was_meant(void **state)
{
	static const struct {
		const char *text, *words;
	} cases[] = {
		{"", "the name is empty"},
		{"tcp:", "the name is empty"},
		{",1433", "the name is empty"},
		{"\\PROD", "the name is empty"},
		{"sql01:1444", "did you mean \"sql01,1444\"?"},
		{"[::1]:1444", "did you mean \"[::1],1444\"?"},
		{"[::1", "bracket is not closed"},
		{"[::1]x", "behind its bracket"},
		{"[sql01]", "version 6 stand in brackets"},
		{"::zz", "address of IP version 6"},
		{"1:2:3", "address of IP version 6"},
		{"sql01,", "the port ''"},
		{"sql01,0", "the port '0'"},
		{"sql01,70000", "the port '70000'"},
		{"sql01,14a", "the port '14a'"},
		{"sql01,-5", "the port '-5'"},
		{"sql01,1444,2", "the port '1444,2'"},
		{"sql01\\", "is empty"},
		{"sql01\\A\\B", "no instance has"},
		{"sql01\\A B", "no instance has"},
		{"sql01\\a23456789012345678901234567890123", "longer than 32 bytes"},
		{"sql 01", "letters, digits"},
		{"sql01;x", "letters, digits"},
		{"sql01#1", "letters, digits"},
		{"sql..01", "an empty part"},
		{"b\xC3\xBC"
		 "cher",
		 "letters, digits"},
		{".", "did you mean \"localhost\"?"},
		{".\\PROD", "did you mean \"localhost\"?"},
		{"(local)", "did you mean \"localhost\"?"},
		{"(LOCAL),1444", "did you mean \"localhost\"?"},
		{"(localdb)\\v11.0", "shared memory"},
		{"lpc:sql01", "shared memory"},
		{"np:\\\\sql01\\pipe", "named pipes"},
		{"\\\\sql01\\pipe\\sql\\query", "named pipes"},
		{"admin:sql01", "administrator"},
		{"Server=sql01", "connection string"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct error err = ERROR_INIT;
		struct host host = {.port = -1};
		assert_false(host_parse(cases[i].text, &host, &err));
		assert_int_equal(err.kind, ERROR_INVALID);
		if (!strstr(err.text, cases[i].words))
			fail_msg("'%s': %s", cases[i].text, err.text);
		assert_int_equal(host.port, -1);
	}
}

static void what_is_too_long_is_refused(void **state)
{
	char text[500];
	struct error err = ERROR_INIT;
	struct host host;

	(void)state;
	for (size_t size = 64; size < sizeof(text); size += 62) {
		memset(text, 'a', size);
		text[size] = '\0';
		assert_false(host_parse(text, &host, &err));
		for (size_t i = 50; i < size; i += 50)
			text[i] = '.';
		assert_true(host_parse(text, &host, &err) == (size < HOST_SIZE));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_spelling_is_understood),
		cmocka_unit_test(each_mistake_is_told_with_what_was_meant),
		cmocka_unit_test(what_is_too_long_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
