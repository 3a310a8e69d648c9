/* SPDX-License-Identifier: Apache-2.0 */
/* The private FreeTDS configuration says everything, and nothing that FreeTDS would misread. */
#include "collectors/session_conf.h"

#include <string.h>

#include "tests/support.h"

static struct session_conf_target plain_target(void)
{
	return (struct session_conf_target){
		.name = "prod-01",
		.host = "sql01.example.net",
		.port = 1433,
		.encryption = SESSION_ENCRYPTION_REQUIRE,
		.ca = "system",
		.verify_hostname = true,
		.login_timeout_ms = 5000,
		.query_timeout_ms = 2500,
	};
}

static void every_key_is_written_out(void **state)
{
	(void)state;
	struct error err = ERROR_INIT;
	CLEANUP(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct session_conf_target target = plain_target();
	target.database = "Sales";
	target.is_read_only_intent = true;
	assert_true(session_conf_write(&target, 1, &text, &err));
	assert_string_equal(text.data, "[prod-01]\n"
				       "\thost = sql01.example.net\n"
				       "\tport = 01433\n"
				       "\ttds version = 7.4\n"
				       "\tencryption = require\n"
				       "\tca file = system\n"
				       "\tcheck certificate hostname = yes\n"
				       "\tconnect timeout = 5\n"
				       "\tquery timeout = 3\n"
				       "\tclient charset = UTF-8\n"
				       "\tinitial block size = 16384\n"
				       "\tdatabase = Sales\n"
				       "\tread-only intent = yes\n");
}

static void without_encryption_no_certificate_is_asked_for(void **state)
{
	(void)state;
	struct error err = ERROR_INIT;
	CLEANUP(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct session_conf_target target = plain_target();
	target.encryption = SESSION_ENCRYPTION_OFF;
	assert_true(session_conf_write(&target, 1, &text, &err));
	assert_non_null(strstr(text.data, "encryption = off\n"));
	assert_null(strstr(text.data, "ca file"));
}

static void assert_refused(const struct session_conf_target *target, const char *word)
{
	struct error err = ERROR_INIT;
	CLEANUP(strbuf_done) struct strbuf text = STRBUF_INIT;
	assert_false(session_conf_write(target, 1, &text, &err));
	assert_int_equal(err.kind, ERROR_INVALID);
	assert_non_null(strstr(err.text, word));
	assert_int_equal(text.size, 0);
}

static void values_that_freetds_misreads_are_refused(void **state)
{
	(void)state;
	struct session_conf_target target = plain_target();
	target.ca = "/etc/ssl/my#ca.pem";
	assert_refused(&target, "comment");
	target.ca = "/etc/ssl/two  blanks.pem";
	assert_refused(&target, "two blanks");
	char path[260];
	memset(path, 'a', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	target.ca = path;
	assert_refused(&target, "200 bytes");
	target = plain_target();
	target.name = "a]b";
	assert_refused(&target, "bracket");
	target.name = "Global";
	assert_refused(&target, "reserved");
	target.name = "line\nbreak";
	assert_refused(&target, "control character");
	target.name = "";
	assert_refused(&target, "empty");
}

static void hosts_must_be_resolved_before(void **state)
{
	(void)state;
	struct session_conf_target target = plain_target();
	target.host = "sql01\\PROD";
	assert_refused(&target, "instance or a port");
	target.host = "sql01,1433";
	assert_refused(&target, "instance or a port");
	target = plain_target();
	target.port = 70000;
	assert_refused(&target, "70000");
}

static void read_only_intent_without_database_is_refused(void **state)
{
	(void)state;
	struct session_conf_target target = plain_target();
	target.is_read_only_intent = true;
	assert_refused(&target, "database");
}

static void names_that_differ_by_case_only_are_refused(void **state)
{
	(void)state;
	struct error err = ERROR_INIT;
	CLEANUP(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct session_conf_target targets[] = {plain_target(), plain_target()};
	targets[1].name = "PROD-01";
	assert_false(session_conf_write(targets, 2, &text, &err));
	assert_non_null(strstr(err.text, "case"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_key_is_written_out),
		cmocka_unit_test(without_encryption_no_certificate_is_asked_for),
		cmocka_unit_test(values_that_freetds_misreads_are_refused),
		cmocka_unit_test(hosts_must_be_resolved_before),
		cmocka_unit_test(read_only_intent_without_database_is_refused),
		cmocka_unit_test(names_that_differ_by_case_only_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
