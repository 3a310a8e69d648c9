/* SPDX-License-Identifier: Apache-2.0 */
/* Runs in a test. */
#include "tests/collectors/simulated_target.h"

#include <stdio.h>

#include "collectors/session_conf.h"
#include "tests/support.h"

void simulated_target_start(struct simulated_target *target, const char *workload)
{
	simulator_start(&target->simulator, workload, "SIM01");
	struct session_conf_target conf = {
		.name = "sim",
		.host = target->simulator.host,
		.port = target->simulator.port,
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
	(void)snprintf(path, sizeof(path), "%s/freetds.conf", target->simulator.folder);
	FILE *file = fopen(path, "we");
	assert_non_null(file);
	assert_true(fwrite(text.data, 1, text.size, file) == text.size);
	assert_int_equal(fclose(file), 0);
	(void)snprintf(target->where, sizeof(target->where), "%s:%d", conf.host, conf.port);
	assert_true(session_library_start(path, &err));
}

void simulated_target_stop(struct simulated_target *target)
{
	session_library_stop();
	simulator_stop(&target->simulator);
}

struct session *simulated_target_open(struct simulated_target *target, const char *password,
				      struct error *err)
{
	const struct session_options options = {
		.section = "sim",
		.where = target->where,
		.user = "latchd",
		.password = password,
	};
	return session_open(&options, err);
}
