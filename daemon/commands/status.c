/* SPDX-License-Identifier: Apache-2.0 */
/* `latchd status`: how a running latchd sees its targets, one line each. Runs in main. */
#include <getopt.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

#include "daemon/base/alloc.h"
#include "daemon/commands/command.h"
#include "web/outbound_get.h"

enum { TIMEOUT_MS = 5000 };

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "-";
}

static void print_target(const json_t *target)
{
	const json_t *error = json_object_get(target, "last_error");
	const json_t *age = json_object_get(target, "age_ms");
	const json_t *wait = json_object_get(target, "longest_wait");
	char seconds[32] = "-";
	char longest[96] = "-";

	if (json_is_integer(age))
		snprintf(seconds, sizeof(seconds), "%.1f s",
			 (double)json_integer_value(age) / 1000);
	if (json_is_object(wait))
		snprintf(longest, sizeof(longest), "%s %.1f s", text_of(wait, "wait_type"),
			 (double)json_integer_value(json_object_get(wait, "ms")) / 1000);
	printf("%-20s %-10s %-13s %8s  %-24s%s%s\n", text_of(target, "name"),
	       text_of(target, "state"), text_of(target, "version"), seconds, longest,
	       json_is_object(error) ? "  " : "",
	       json_is_object(error) ? text_of(error, "text") : "");
}

static int print_targets(const char *body)
{
	json_error_t fault;
	json_t *root = json_loads(body, 0, &fault);
	const json_t *targets = json_object_get(root, "targets");

	if (!json_is_array(targets)) {
		fprintf(stderr, "latchd status: the answer has no targets\n");
		json_decref(root);
		return STATUS_FAILED;
	}
	printf("%-20s %-10s %-13s %8s  %-24s  %s\n", "TARGET", "STATE", "VERSION", "AGE",
	       "LONGEST WAIT NOW", "ERROR");
	for (size_t i = 0; i < json_array_size(targets); i++)
		print_target(json_array_get(targets, i));
	json_decref(root);
	return STATUS_OK;
}

int command_status(int argc, char **argv)
{
	static const struct option options[] = {
		{"url", required_argument, NULL, 'u'},
		{NULL, 0, NULL, 0},
	};
	const char *url = "http://127.0.0.1:9743";

	for (int option; (option = getopt_long(argc, argv, "u:", options, NULL)) != -1;) {
		if (option != 'u')
			return STATUS_USAGE;
		url = optarg;
	}
	if (optind < argc) {
		fprintf(stderr, "%s: '%s' is not wanted\n", argv[0], argv[optind]);
		return STATUS_USAGE;
	}
	CLEANUP(strbuf_done) struct strbuf body = STRBUF_INIT;
	CLEANUP(freep) char *address = xasprintf("%s/api/v1/targets", url);
	struct error err = ERROR_INIT;
	if (outbound_get(address, TIMEOUT_MS, &body, &err))
		return print_targets(strbuf_text(&body));
	fprintf(stderr, "latchd status: %s\n", err.text);
	return STATUS_UNAVAILABLE;
}
