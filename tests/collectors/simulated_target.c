/* SPDX-License-Identifier: Apache-2.0 */
/* Runs in a test. */
#include "tests/collectors/simulated_target.h"

#include <stdio.h>

#include "collectors/session_conf.h"
#include "tests/support.h"

struct simulated_target target;

int start_target(void **state)
{
	(void)state;
	simulator_start(&target.simulator, "last-page", "SIM01");
	struct session_conf_target conf = {
		.name = "sim",
		.host = target.simulator.host,
		.port = target.simulator.port,
		.encryption = SESSION_ENCRYPTION_REQUEST,
		.login_timeout_ms = 1000,
		.query_timeout_ms = 1000,
	};
	struct error err = ERROR_INIT;
	CLEANUP(strbuf_done) struct strbuf text = STRBUF_INIT;
	assert_true(session_conf_write(&conf, 1, &text, &err));
	conf.name = "sim-tls";
	conf.encryption = SESSION_ENCRYPTION_REQUIRE;
	assert_true(session_conf_write(&conf, 1, &text, &err));
	char path[128];
	(void)snprintf(path, sizeof(path), "%s/freetds.conf", target.simulator.folder);
	FILE *file = fopen(path, "we");
	assert_non_null(file);
	assert_true(fwrite(text.data, 1, text.size, file) == text.size);
	assert_int_equal(fclose(file), 0);
	(void)snprintf(target.where, sizeof(target.where), "%s:%d", conf.host, conf.port);
	assert_true(session_library_start(path, &err));
	return 0;
}

int stop_target(void **state)
{
	(void)state;
	session_library_stop();
	simulator_stop(&target.simulator);
	return 0;
}

struct session *simulated_target_open(const char *password, struct error *err)
{
	const struct session_options options = {
		.section = "sim",
		.where = target.where,
		.user = "latchd",
		.password = password,
	};
	return session_open(&options, err);
}

struct session *open_server(struct server *server, struct epoch *epoch)
{
	*server = (struct server){0};
	*epoch = (struct epoch){.server_name = ""};
	struct error err = ERROR_INIT;
	struct session *session = simulated_target_open("latchd", &err);
	if (!session || !collect_server(session, server, epoch, &err))
		fail_msg("%s", err.text);
	return session;
}

void assert_collected(struct session *session, const struct server *server, unsigned due,
		      struct collected *collected)
{
	struct error err = ERROR_INIT;
	if (!session_collect(session, server, due, collected, &err))
		fail_msg("%s", err.text);
}
