/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `latchd sql`: every statement that can reach a server, with its purpose, rights and cost, which
 * stand at the head of the .sql files. Runs in main.
 */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "collectors/collect.h"
#include "collectors/embedded.h"
#include "collectors/statement.h"
#include "daemon/base/json.h"
#include "daemon/commands/command.h"

enum format { FORMAT_SQL, FORMAT_PLAIN, FORMAT_JSON };

enum { ALL_CLASSES = (1U << SERVER_CLASS_COUNT) - 1U };

/* What follows --version. */
static const struct {
	const char *name;
	enum server_class class;
} versions[] = {
	{"2012", SERVER_CLASS_A}, {"2014", SERVER_CLASS_A}, {"2016", SERVER_CLASS_A},
	{"2017", SERVER_CLASS_A}, {"2019", SERVER_CLASS_C}, {"2022", SERVER_CLASS_C},
	{"2025", SERVER_CLASS_C}, {"mi", SERVER_CLASS_C},   {"azure", SERVER_CLASS_D},
};

static const char *const keys[][2] = {
	{"versions", "Versions"},
	{"purpose", "Purpose"},
	{"rights", "Rights"},
	{"cost", "Cost"},
};

enum { KEY_COUNT = 4 };

static bool read_version(const char *name, unsigned *classes)
{
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++)
		if (strcmp(versions[i].name, name) == 0) {
			*classes = 1U << versions[i].class;
			return true;
		}
	fprintf(stderr, "latchd sql: '%s' is no version; there are", name);
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++)
		fprintf(stderr, " %s", versions[i].name);
	fputc('\n', stderr);
	return false;
}

static const char *name_of(const char *path)
{
	return strrchr(path, '/') + 1;
}

/* As it is sent, numbers behind DECLARE and the name [master] apart. */
static void print_sql(const struct embedded *file)
{
	printf("-- %s\n%s\n", name_of(file->path), file->data);
}

static void print_plain(const struct embedded *file)
{
	printf("%s", name_of(file->path));
	for (int i = 0; i < KEY_COUNT; i++) {
		CLEANUP(strbuf_done) struct strbuf text = STRBUF_INIT;
		statement_head(file->data, keys[i][1], &text);
		printf("\t%s", strbuf_text(&text));
	}
	putchar('\n');
}

static void add_json(struct json *json, const struct embedded *file)
{
	json_open_object(json);
	json_member_text(json, "name", name_of(file->path));
	for (int i = 0; i < KEY_COUNT; i++) {
		CLEANUP(strbuf_done) struct strbuf text = STRBUF_INIT;
		statement_head(file->data, keys[i][1], &text);
		json_member_text(json, keys[i][0], strbuf_text(&text));
	}
	json_member_text(json, "sql", file->data);
	json_close_object(json);
}

static void print_statements(unsigned classes, enum format format)
{
	CLEANUP(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct json json = json_begin(&text);
	const struct statement_info *info = NULL;

	json_open_array(&json);
	for (int i = 0; (info = statement_info(i)); i++) {
		const struct embedded *file = embedded_find(embedded_collectors, info->path);
		if (!(info->classes & classes))
			continue;
		if (format == FORMAT_SQL)
			print_sql(file);
		else if (format == FORMAT_PLAIN)
			print_plain(file);
		else
			add_json(&json, file);
	}
	json_close_array(&json);
	if (format == FORMAT_JSON)
		printf("%s\n", strbuf_text(&text));
}

int command_sql(int argc, char **argv)
{
	static const struct option options[] = {
		{"version", required_argument, NULL, 'v'},
		{"plain", no_argument, NULL, 'p'},
		{"json", no_argument, NULL, 'j'},
		{NULL, 0, NULL, 0},
	};
	unsigned classes = ALL_CLASSES;
	enum format format = FORMAT_SQL;

	for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
		if (option == 'p')
			format = FORMAT_PLAIN;
		else if (option == 'j')
			format = FORMAT_JSON;
		else if (option != 'v' || !read_version(optarg, &classes))
			return STATUS_USAGE;
	}
	if (optind < argc) {
		fprintf(stderr, "%s: '%s' is not wanted\n", argv[0], argv[optind]);
		return STATUS_USAGE;
	}
	print_statements(classes, format);
	return STATUS_OK;
}
