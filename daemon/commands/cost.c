/* SPDX-License-Identifier: Apache-2.0 */
/* `latchd cost`: what watching costs each server and latchd itself, as a running latchd counts it.
 * Runs in main. */
#include <getopt.h>
#include <jansson.h>
#include <stdio.h>

#include "daemon/base/alloc.h"
#include "daemon/commands/command.h"
#include "web/outbound_get.h"

enum { TIMEOUT_MS = 5000 };

struct column {
	const char *rate_key;
	const char *total_key;
	double scale; /* from the API's unit to the printed one */
	int width;
	const char *head;
};

static const struct column columns[] = {
	{"cpu_ms_per_s", "cpu_ms", 1, 10, "CPU ms"},
	{"round_trips_per_s", "round_trips", 1, 9, "TRIPS"},
	{"rows_per_s", "rows", 1, 11, "ROWS"},
	{"bytes_per_s", "bytes", 1.0 / 1024, 11, "KiB"},
	{"latchd_cpu_us_per_s", "latchd_cpu_us", 1.0 / 1000, 10, "LATCHD ms"},
};
enum { COLUMN_COUNT = sizeof(columns) / sizeof(columns[0]) };

static void print_line(const char *name, const char *per, const json_t *cost, bool is_rate)
{
	printf("%-16s %-6s", name, per);
	for (int i = 0; i < COLUMN_COUNT; i++) {
		const struct column *column = &columns[i];
		const json_t *value =
			json_object_get(cost, is_rate ? column->rate_key : column->total_key);
		if (json_is_number(value))
			printf(" %*.*f", column->width, is_rate ? 3 : 0,
			       json_number_value(value) * column->scale);
		else
			printf(" %*s", column->width, "-");
	}
	putchar('\n');
}

static void print_table(const json_t *targets)
{
	printf("%-16s %-6s", "TARGET", "PER");
	for (int i = 0; i < COLUMN_COUNT; i++)
		printf(" %*s", columns[i].width, columns[i].head);
	putchar('\n');
	for (size_t i = 0; i < json_array_size(targets); i++) {
		const json_t *target = json_array_get(targets, i);
		const json_t *cost = json_object_get(target, "cost");
		const char *name = json_string_value(json_object_get(target, "name"));
		print_line(name ? name : "-", "second", cost, true);
		print_line("", "in all", cost, false);
	}
}

static void print_json(const json_t *targets)
{
	json_t *costs = json_array();

	for (size_t i = 0; i < json_array_size(targets); i++) {
		const json_t *target = json_array_get(targets, i);
		(void)json_array_append_new(
			costs, json_pack("{sOsO}", "target", json_object_get(target, "name"),
					 "cost", json_object_get(target, "cost")));
	}
	(void)json_dumpf(costs, stdout,
			 JSON_INDENT(2) | JSON_REAL_PRECISION(12)); /* main looks at stdout */
	putchar('\n');
	json_decref(costs);
}

static int print_costs(const char *body, bool is_json)
{
	json_error_t fault;
	json_t *root = json_loads(body, 0, &fault);
	const json_t *targets = json_object_get(root, "targets");
	const bool is_known = json_is_array(targets);

	if (!is_known)
		fprintf(stderr, "latchd cost: the answer has no targets\n");
	else if (is_json)
		print_json(targets);
	else
		print_table(targets);
	json_decref(root);
	return is_known ? STATUS_OK : STATUS_FAILED;
}

int command_cost(int argc, char **argv)
{
	static const struct option options[] = {
		{"url", required_argument, NULL, 'u'},
		{"json", no_argument, NULL, 'j'},
		{NULL, 0, NULL, 0},
	};
	const char *url = "http://127.0.0.1:9743";
	bool is_json = false;

	for (int option; (option = getopt_long(argc, argv, "u:j", options, NULL)) != -1;) {
		if (option != 'u' && option != 'j')
			return STATUS_USAGE;
		if (option == 'j')
			is_json = true;
		else
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
		return print_costs(strbuf_text(&body), is_json);
	fprintf(stderr, "latchd cost: %s\n", err.text);
	return STATUS_UNAVAILABLE;
}
