/* SPDX-License-Identifier: Apache-2.0 */
/* The table of verbs, and the only place that ends the process. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/commands/command.h"

struct verb {
	const char *words[2]; /* the second may be NULL */
	command_fn *run;
	const char *arguments;
	const char *help;
};

static command_fn print_version, print_help;

static const struct verb verbs[] = {
	{{"run"}, command_run, "[--config FILE] [--print-address]", "watch the configured servers"},
	{{"config", "check"},
	 command_config_check,
	 "[--config FILE] [--connect]",
	 "list every mistake of a configuration; try the logins"},
	{{"sql"},
	 command_sql,
	 "[--version N] [--plain|--json]",
	 "every statement that can reach a server"},
	{{"status"}, command_status, "[--url URL]", "how a running latchd sees its targets"},
	{{"cost"}, command_cost, "[--url URL] [--json]", "what watching costs each server"},
	{{"version"}, print_version, "", "print the version"},
	{{"help"}, print_help, "", "print this"},
};

enum { VERB_COUNT = sizeof(verbs) / sizeof(verbs[0]) };

static int print_version(int argc, char **argv)
{
	(void)argc, (void)argv; /* it has no options */
	puts("latchd " LATCHD_VERSION);
	return STATUS_OK;
}

static void print_verbs(FILE *file)
{
	fputs("usage: latchd VERB [OPTIONS]\n\n", file);
	for (int i = 0; i < VERB_COUNT; i++) {
		const struct verb *verb = &verbs[i];
		char head[80];

		snprintf(head, sizeof(head), "%s%s%s %s", verb->words[0], verb->words[1] ? " " : "",
			 verb->words[1] ? verb->words[1] : "", verb->arguments);
		fprintf(file, "  %-38s %s\n", head, verb->help);
	}
}

static int print_help(int argc, char **argv)
{
	(void)argc, (void)argv; /* it has no options */
	print_verbs(stdout);
	return STATUS_OK;
}

/* How many words of the command line the verb takes; 0 when it is not meant. */
static int match_verb(const struct verb *verb, int argc, char **argv)
{
	if (argc < 2 || strcmp(argv[1], verb->words[0]) != 0)
		return 0;
	if (!verb->words[1])
		return 1;
	return argc > 2 && strcmp(argv[2], verb->words[1]) == 0 ? 2 : 0;
}

static int run_verb(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "--help") == 0)
		return print_help(argc, argv);
	if (argc > 1 && strcmp(argv[1], "--version") == 0)
		return print_version(argc, argv);
	for (int i = 0; i < VERB_COUNT; i++) {
		int words = match_verb(&verbs[i], argc, argv);
		if (words == 0)
			continue;
		char name[40]; /* what getopt begins its complaints with */
		snprintf(name, sizeof(name), "latchd %s%s%s", argv[1], words > 1 ? " " : "",
			 words > 1 ? argv[2] : "");
		argv[words] = name;
		return verbs[i].run(argc - words, argv + words);
	}
	if (argc > 1)
		fprintf(stderr, "latchd: there is no verb '%s'\n", argv[1]);
	print_verbs(stderr);
	return STATUS_USAGE;
}

int main(int argc, char **argv)
{
	int status = run_verb(argc, argv);

	if (fflush(stdout) != 0 && (status & 0xff) == STATUS_OK)
		status |= STATUS_FAILED; /* nobody got what was printed */
	if (status & STATUS_LEFT_BEHIND)
		_exit(status & 0xff);
	return status;
}
