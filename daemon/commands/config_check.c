/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `latchd config check`: says everything that is wrong with a configuration, and with --connect
 * what is wrong with the logins. Runs in main.
 */
#include <getopt.h>
#include <stdio.h>

#include "daemon/commands/command.h"
#include "daemon/config.h"
#include "daemon/login_check.h"
#include "daemon/secrecy.h"

static int check_logins(const struct config *config)
{
	struct error err = ERROR_INIT;
	struct login_check result;

	if (!secrecy_begin(&err) || !login_check_all(config, stdout, &result, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return STATUS_FAILED;
	}
	int status = result.failed_count == 0 ? STATUS_OK : STATUS_UNAVAILABLE;
	return result.is_left_behind ? status | STATUS_LEFT_BEHIND : status;
}

int command_config_check(int argc, char **argv)
{
	static const struct option options[] = {
		{"config", required_argument, NULL, 'c'},
		{"connect", no_argument, NULL, 'C'},
		{NULL, 0, NULL, 0},
	};
	const char *path = CONFIG_DEFAULT_PATH;
	bool connects = false;

	for (int option; (option = getopt_long(argc, argv, "c:", options, NULL)) != -1;) {
		if (option == 'c')
			path = optarg;
		else if (option == 'C')
			connects = true;
		else
			return STATUS_USAGE;
	}
	if (optind < argc) {
		fprintf(stderr, "%s: '%s' is not wanted\n", argv[0], argv[optind]);
		return STATUS_USAGE;
	}
	CLEANUP(strbuf_done) struct strbuf report = STRBUF_INIT;
	CLEANUP(config_freep) struct config *config = config_load(path, &report);
	fputs(strbuf_text(&report), stderr);
	if (!config)
		return STATUS_CONFIG;
	printf("'%s' is valid (targets: %zu, rules: %zu, notifiers: %zu)\n", path,
	       config->target_count, config->rule_count, config->notifier_count);
	return connects ? check_logins(config) : STATUS_OK;
}
