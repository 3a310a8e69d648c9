/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration: what good files become, what is said of bad ones, line by line. */
#include "daemon/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/alloc.h"
#include "daemon/config_keys.h"
#include "daemon/file.h"
#include "tests/support.h"

#define LOGIN "defaults: {login: {user: latchd, password: {file: /p}}}\n"
#define GOOD  LOGIN "targets: [{name: a, host: h}]\n"

struct fixture {
	char folder[64];
	char path[128];
};

static int set_up(void **state)
{
	static struct fixture fixture;

	snprintf(fixture.folder, sizeof(fixture.folder), "/tmp/latchd-config-XXXXXX");
	if (!mkdtemp(fixture.folder))
		return -1;
	snprintf(fixture.path, sizeof(fixture.path), "%s/c.yaml", fixture.folder);
	*state = &fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	unlink(fixture->path);
	return rmdir(fixture->folder);
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static struct config *load(struct fixture *fixture, const char *text)
{
	CLEANUP(strbuf_done) struct strbuf report = STRBUF_INIT;

	write_file(fixture->path, text);
	struct config *config = config_load(fixture->path, &report);
	if (!config)
		fail_msg("%s", strbuf_text(&report));
	return config;
}

/* The report without the path before each LINE:COL. */
static char *faults_of(struct fixture *fixture, const char *text)
{
	CLEANUP(strbuf_done) struct strbuf report = STRBUF_INIT;
	struct strbuf faults = STRBUF_INIT;

	write_file(fixture->path, text);
	struct config *config = config_load(fixture->path, &report);
	assert_null(config);
	for (const char *line = strbuf_text(&report); *line;) {
		size_t size = strcspn(line, "\n") + 1, skip = strlen(fixture->path) + 1;
		assert_memory_equal(line, fixture->path, skip - 1);
		strbuf_add(&faults, line + skip, size - skip);
		line += size;
	}
	return strbuf_take(&faults);
}

static void a_short_file_gets_every_default(void **state)
{
	CLEANUP(config_freep) struct config *config = load(*state, GOOD);
	const struct config_target *target = &config->targets[0];

	assert_int_equal(config->target_count, 1);
	assert_string_equal(config->listen[0], "127.0.0.1:9743");
	assert_string_equal(config->store_path, "/var/lib/latchd/latchd.db");
	assert_int_equal(config->keep_ms[RESOLUTION_RAW], INT64_C(14) * 86400 * 1000);
	assert_int_equal(config->max_size_bytes, INT64_C(20) << 30);
	assert_int_equal(config->detector.window_ms, 10000);
	assert_string_equal(target->login.password_file, "/p");
	assert_int_equal(target->port, 1433);
	assert_int_equal(target->tls, TLS_REQUIRE);
	assert_string_equal(target->ca, "system");
	assert_true(target->verify_hostname);
	assert_int_equal(target->interval_ms[COLLECTOR_WAITS], 10000);
	assert_int_equal(target->interval_ms[COLLECTOR_WAITING_TASKS], 1000);
}

static void a_target_overrides_what_it_inherits(void **state)
{
	CLEANUP(config_freep)
	struct config *config = load(*state, "targets:\n"
					     "- name: a\n"
					     "  host: h,1444\n"
					     "  login: {password: {credential: c}}\n"
					     "  tls: {ca: none}\n"
					     "  intervals: {latches: off}\n"
					     "  labels: {env: prod}\n"
					     "- {name: b, host: 'h\\I', database: d, "
					     "application_intent: read_only}\n" LOGIN);
	const struct config_target *first = &config->targets[0], *second = &config->targets[1];

	assert_string_equal(first->host, "h");
	assert_int_equal(first->port, 1444);
	assert_string_equal(first->login.user, "latchd");
	assert_null(first->login.password_file);
	assert_string_equal(first->login.credential, "c");
	assert_null(first->ca);
	assert_int_equal(first->interval_ms[COLLECTOR_LATCHES], 0);
	assert_string_equal(first->labels[0][1], "prod");
	assert_string_equal(second->login.password_file, "/p");
	assert_string_equal(second->host, "h");
	assert_string_equal(second->instance, "I");
	assert_int_equal(second->port, 0);
	assert_int_equal(second->browser_port, 1434);
	assert_true(second->is_read_only_intent);
}

/* B063: an instance with a port is never asked for. */
static void a_port_wins_over_an_instance(void **state)
{
	CLEANUP(config_freep)
	struct config *config = load(*state, LOGIN "targets:\n"
						   "- {name: a, host: 'h\\I', port: 1444}\n"
						   "- {name: b, port: 1433, host: 'h\\I'}\n"
						   "- {name: c, host: 'tcp:h\\I,1445'}\n"
						   "- {name: d, host: 'h,1446', port: 1446}\n");

	assert_int_equal(config->targets[0].port, 1444);
	assert_int_equal(config->targets[1].port, 1433);
	assert_int_equal(config->targets[2].port, 1445);
	assert_string_equal(config->targets[2].host, "h");
	assert_int_equal(config->targets[3].port, 1446);
}

static void a_login_is_by_password_or_by_kerberos(void **state)
{
	CLEANUP(config_freep)
	struct config *config =
		load(*state, LOGIN "targets:\n"
				   "- {name: a, host: h, login: {kerberos: {keytab: /k}}}\n"
				   "- {name: b, host: h}\n");

	assert_string_equal(config->targets[0].login.keytab, "/k");
	assert_null(config->targets[0].login.password_file);
	assert_null(config->targets[1].login.keytab);
	assert_string_equal(config->targets[1].login.password_file, "/p");
}

static void a_rule_and_its_notifier_are_read(void **state)
{
	CLEANUP(config_freep)
	struct config *config =
		load(*state, GOOD "rules:\n"
				  "- alert: High\n"
				  "  when: wait(\"PAGELATCH_EX\") > 1000ms/s\n"
				  "  for: 60s\n"
				  "  no_data: alert\n"
				  "  notify: ops\n"
				  "notifiers: {ops: {type: webhook, url: 'http://h/'}}\n");
	const struct rule *rule = &config->rules[0];

	assert_string_equal(rule->name, "High");
	assert_int_equal(rule->for_ms, 60000);
	assert_true(rule->clear == 1000.0 && rule->threshold == 1000.0);
	assert_int_equal(rule->no_data, RULE_NO_DATA_ALERT);
	assert_string_equal(rule->severity, "warning");
	assert_string_equal(rule->notifiers[0], config->notifiers[0].name);
	assert_string_equal(config->notifiers[0].url, "http://h/");
}

static const struct {
	const char *text, *faults;
} bad_files[] = {
	{"", "1:1: the file is empty\n"},
	{"web: {}\n", "1:1: 'targets' is missing: there is nothing to watch\n"},
	{GOOD "wbe: {}\n", "3:1: unknown key 'wbe'; did you mean \"web\"?\n"},
	{GOOD "zebra: 1\n", "3:1: unknown key 'zebra'\n"},
	{GOOD "web: {listen: 127.0.0.1:1}\nweb: {}\n", "4:1: 'web' stands in line 3 already\n"},
	{GOOD "storage:\n  retention: {raw: 14}\n",
	 "4:20: 'storage.retention.raw': a duration needs a unit; did you mean \"14s\"?\n"},
	{GOOD "storage: {synchronous: ful}\n",
	 "3:24: 'storage.synchronous' is one of normal|full, not 'ful'; did you mean "
	 "\"full\"?\n"},
	{GOOD "storage: /var\n", "3:10: 'storage' wants keys of its own, not a single "
				 "value\n"},
	{GOOD "storage:\n", "3:9: 'storage' wants keys of its own, not nothing\n"},
	{GOOD "detector: {hits: \"5\"}\n",
	 "3:18: 'detector.hits' is a number, not a text; did you mean 5?\n"},
	{GOOD "detector: {hits: 0}\n", "3:18: 'detector.hits': 0 is not between 1 and "
				       "600\n"},
	{GOOD "web: {insecure: yes}\n",
	 "3:17: 'web.insecure' is true or false, not 'yes'; did you mean \"true\"?\n"},
	{GOOD "web: {listen: '0.0.0.0:9743'}\n",
	 "1:1: 'web.listen': '0.0.0.0:9743' can be reached from other machines, where "
	 "everybody could read; write 'insecure: true' if that is meant\n"},
	{"targets: [{name: a, host: h, login: {user: u, password: secret}}]\n",
	 "1:11: 'login.password' is missing; it is {file: PATH} or {credential: NAME}\n"
	 "1:57: a password is never written here; did you mean \"password: {file: "
	 "PATH}\"?\n"},
	{LOGIN "targets: [{name: a}, {name: A, host: h}]\n",
	 "2:11: 'host' is missing\n2:22: there is a target 'A' already\n"},
	{LOGIN "targets: [{name: a, host: 'h:1444'}]\n",
	 "2:27: 'h:1444' is no host: a port stands behind a comma; did you mean "
	 "\"h,1444\"?\n"},
	{LOGIN "targets: [{name: a, host: 'h,1444', port: 1445}]\n",
	 "2:43: 'port' is 1445, but 'host' says 1444; write it once\n"},
	{LOGIN "targets: [{name: a, host: h, application_intent: read_only}]\n",
	 "2:11: 'application_intent: read_only' wants a 'database'\n"},
	{"targets: [{name: a, host: h, login: {kerberos: {keytab: k}}}]\n",
	 "1:11: 'login.user' is missing\n1:57: 'k' is no absolute path\n"},
	{"targets: [{name: a, host: h, login: {kerberos: {keytab: /k}}},\n"
	 "  {name: b, host: h, login: {kerberos: {keytab: /l}}}]\n",
	 "2:3: target 'a' has another keytab, '/k': one latchd has one\n"},
	{"targets: [{name: a, host: h, login: {password: {file: /p}, "
	 "kerberos: {keytab: /k}}}]\n",
	 "1:70: 'login' has a password or kerberos, not both\n"},
	/* B044 */
	{LOGIN "targets: [{name: a, host: h, tls: {mode: strict}}]\n",
	 "2:42: 'tls.mode': strict (TDS 8) is not spoken by FreeTDS 1.3: write require, "
	 "which encrypts everything and verifies the certificate; a server that forces "
	 "strict encryption cannot be watched\n"},
	{LOGIN "targets: {name: a}\n", "2:10: 'targets' wants a list, not a mapping\n"},
	{LOGIN "targets: [{name: 'a b', host: h}]\n",
	 "2:18: 'a b' is no name; letters, digits and ._- may be in one\n"},
	{"defaults: {port: 1}\n", "1:12: 'port' belongs to a target, not to defaults\n"},
	{GOOD "defaults: {}\n", "3:1: 'defaults' stands in line 1 already\n"},
	{LOGIN "targets: [{name: a, host: h, intervals: {waits: 100ms}}]\n",
	 "2:49: 'intervals.waits' is not between 1s and 86400s\n"},
	{GOOD "rules: [{alert: R, when: 'wait(\"LATCH_EX\") > 1ms/s', notify: [x]}]\n",
	 "3:63: there is no notifier 'x'\n"},
	{GOOD "notifiers: {x: {type: webhok}}\n",
	 "3:16: 'url' is missing\n"
	 "3:23: 'type' is one of webhook, not 'webhok'; did you mean \"webhook\"?\n"},
	{GOOD "include: nofile.yaml\n", NULL},
	{GOOD "---\nweb: {}\n", "3:1: a second document begins here\n"},
	{"web: &w {listen: *w}\n", "1:10: nested too deeply, or in itself\n"},
	{"a: b\n\tc: d\n", NULL},
};

static void bad_files_are_told_with_place_and_guess(void **state)
{

	for (size_t i = 0; i < sizeof(bad_files) / sizeof(bad_files[0]); i++) {
		CLEANUP(freep) char *faults = faults_of(*state, bad_files[i].text);
		if (bad_files[i].faults)
			assert_string_equal(faults, bad_files[i].faults);
		else
			assert_true(strlen(faults) > 10);
	}
}

static void all_errors_come_at_once(void **state)
{
	CLEANUP(freep)
	char *faults = faults_of(*state, "storage: {max_size: 1}\n"
					 "detektor: {}\n"
					 "targets: [{name: a}]\n"
					 "defaults: {port: 7}\n");

	assert_string_equal(faults, "1:21: 'storage.max_size': a size needs a unit; did you mean "
				    "\"1GiB\"?\n"
				    "2:1: unknown key 'detektor'; did you mean \"detector\"?\n"
				    "3:11: 'host' is missing\n"
				    "3:11: 'login.user' is missing\n"
				    "4:12: 'port' belongs to a target, not to defaults\n");
}

static void included_files_add_targets_and_nothing_else(void **state)
{
	struct fixture *fixture = *state;
	char path[160];
	CLEANUP(strbuf_done) struct strbuf report = STRBUF_INIT;

	snprintf(path, sizeof(path), "%s/more.inc", fixture->folder);
	write_file(path, "targets: [{name: b, host: h}]\n");
	struct config *config = load(fixture, GOOD "include: ['*.inc']\n");
	assert_int_equal(config->target_count, 2);
	config_free(config);
	write_file(path, "web: {}\n");
	assert_null(config_load(fixture->path, &report));
	assert_non_null(strstr(strbuf_text(&report), "/more.inc:1:1: 'web' belongs into the main"));
	unlink(path);
}

/* etc/latchd.yaml shows every key with its default and its line of help, and is valid. */
static void the_shipped_file_is_valid_and_complete(void **state)
{
	CLEANUP(strbuf_done) struct strbuf report = STRBUF_INIT;
	CLEANUP(strbuf_done) struct strbuf text = STRBUF_INIT;
	const char *path = getenv("LATCHD_YAML");
	struct error err = ERROR_INIT;
	size_t count = 0;
	const struct config_key *keys = config_keys(&count);

	(void)state;
	assert_non_null(path);
	struct config *config = config_load(path, &report);
	assert_string_equal(strbuf_text(&report), "");
	assert_non_null(config);
	config_free(config);
	assert_true(file_read(path, 1 << 20, &text, &err));
	for (size_t i = 0; i < count; i++) {
		const char *dot = strrchr(keys[i].path, '.');
		CLEANUP(freep)
		char *setting = xasprintf("%s:%s%s", dot ? dot + 1 : keys[i].path,
					  keys[i].fallback ? " " : "",
					  keys[i].fallback ? keys[i].fallback : "");
		if (!strstr(text.data, setting))
			fail_msg("'%s' does not stand in etc/latchd.yaml", setting);
		if (!strstr(text.data, keys[i].help))
			fail_msg("the help of '%s' does not stand in etc/latchd.yaml",
				 keys[i].path);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_short_file_gets_every_default),
		TEST(a_target_overrides_what_it_inherits),
		TEST(a_port_wins_over_an_instance),
		TEST(a_login_is_by_password_or_by_kerberos),
		TEST(a_rule_and_its_notifier_are_read),
		TEST(bad_files_are_told_with_place_and_guess),
		TEST(all_errors_come_at_once),
		TEST(included_files_add_targets_and_nothing_else),
		cmocka_unit_test(the_shipped_file_is_valid_and_complete),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
