/* SPDX-License-Identifier: Apache-2.0 */
/* `latchd config check`: says everything that is wrong with a configuration. Runs in main. */
#include <getopt.h>
#include <stdio.h>

#include "daemon/commands/command.h"
#include "daemon/config.h"

int command_config_check(int argc, char **argv)
{
	static const struct option options[] = {
		{"config", required_argument, NULL, 'c'},
		{NULL, 0, NULL, 0},
	};
	const char *path = CONFIG_DEFAULT_PATH;

	for (int option; (option = getopt_long(argc, argv, "c:", options, NULL)) != -1;) {
		if (option != 'c')
			return STATUS_USAGE;
		path = optarg;
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
	return STATUS_OK;
}
