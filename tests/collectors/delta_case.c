/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the cases of tests/data/delta. Runs in the test; knows the format and no rule. */
#include "tests/collectors/delta_case.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/alloc.h"
#include "tests/support.h"

static char *read_text(const char *folder, const char *name)
{
	char path[1024];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *file = fopen(path, "re");
	if (!file)
		return NULL;
	char *text = xcalloc(1, 65536);
	size_t size = fread(text, 1, 65535, file);
	assert_true(size < 65535);
	assert_int_equal(fclose(file), 0);
	return text;
}

static void add_setting(struct case_file *file, char *line)
{
	char *equals = strchr(line, '=');
	assert_non_null(equals);
	assert_true(file->setting_count < CASE_SETTINGS_MAX);
	*equals = '\0';
	file->keys[file->setting_count] = line + strspn(line, " ");
	file->values[file->setting_count++] = equals + 1;
}

static void add_cells(struct case_file *file, char *line)
{
	assert_true(file->row_count < CASE_ROWS_MAX);
	int cell = 0;
	for (char *rest = line; rest;) {
		assert_true(cell < CASE_CELLS_MAX);
		file->cells[file->row_count][cell++] = strsep(&rest, "\t");
	}
	file->row_count++;
}

static bool case_file_read(struct case_file *file, const char *folder, const char *name)
{
	memset(file, 0, sizeof(*file));
	file->text = read_text(folder, name);
	if (!file->text)
		return false;
	bool has_columns = false;
	for (char *rest = file->text; rest && *rest;) {
		char *line = strsep(&rest, "\n");
		if (strncmp(line, "##", 2) == 0)
			continue;
		if (line[0] == '#')
			add_setting(file, line + 1);
		else if (has_columns)
			add_cells(file, line);
		else
			has_columns = true;
	}
	return true;
}

const char *case_text(const struct case_file *file, const char *key, const char *fallback)
{
	for (int i = 0; i < file->setting_count; i++)
		if (strcmp(file->keys[i], key) == 0)
			return file->values[i];
	if (!fallback)
		fail_msg("the case lacks '%s'", key);
	return fallback ? fallback : "";
}

int64_t cell_number(const char *cell)
{
	if (!cell)
		fail_msg("a row of the case has too few cells");
	if (!cell || strcmp(cell, "NULL") == 0)
		return -1;
	char *end;
	int64_t number = strtoimax(cell, &end, 10);
	assert_true(end != cell && *end == '\0');
	return number;
}

int64_t case_number(const struct case_file *file, const char *key, int64_t fallback)
{
	char text[32];
	snprintf(text, sizeof(text), "%" PRId64, fallback);
	return cell_number(case_text(file, key, text));
}

static struct epoch case_epoch(const struct case_file *file)
{
	struct epoch epoch = {
		.process_id = case_number(file, "process_id", 4321),
		.start_ticks = case_number(file, "start_ticks", 1000000),
		.ms_ticks = cell_number(case_text(file, "ms_ticks", NULL)),
	};
	snprintf(epoch.server_name, sizeof(epoch.server_name), "%s",
		 case_text(file, "server", "SQL01"));
	snprintf(epoch.node_name, sizeof(epoch.node_name), "%s", case_text(file, "node", "NODE1"));
	return epoch;
}

static struct sample *case_sample(const struct case_file *file, enum family family)
{
	struct epoch epoch = case_epoch(file);
	struct instant taken = {
		.mono_ms = case_number(file, "mono_ms", epoch.ms_ticks),
		.utc_ms = case_number(file, "utc_ms", 1700000000000 + epoch.ms_ticks),
	};
	const struct family_shape *shape = family_shape(family);
	struct sample *sample = sample_new(family, &epoch, taken);
	for (int row = 0; row < file->row_count; row++) {
		const char *const *cells = file->cells[row];
		int64_t counters[FAMILY_COUNTERS_MAX] = {0};
		for (int i = 0; i < shape->counter_count; i++)
			counters[i] = cell_number(cells[1 + i]);
		int64_t max_ms = shape->has_max ? cell_number(cells[1 + shape->counter_count]) : 0;
		sample_add_row(sample, cells[0], strlen(cells[0]), counters, max_ms);
	}
	struct error err = ERROR_INIT;
	if (!sample_seal(sample, &err))
		fail_msg("%s", err.text);
	return sample;
}

static void read_rates(struct baseline *baseline, const char *text)
{
	for (int i = 0; i < HEARTBEAT_COUNT && *text; i++) {
		char *end;
		baseline->heartbeat_ms_per_s[i] = strtod(text, &end);
		if (baseline->heartbeat_ms_per_s[i] > 0)
			baseline->heartbeat_learned_ms[i] = 1800000;
		text = *end == ',' ? end + 1 : end;
	}
}

static void read_options(struct delta_case *delta_case, const struct case_file *after)
{
	delta_case->options.configured_ms = case_number(after, "configured_ms", 10000);
	const char *quality = case_text(after, "waits.quality", "");
	if (!*quality)
		return;
	assert_true(quality_from_name(quality, &delta_case->waits.quality));
	delta_case->waits.interval_ms = case_number(after, "waits.interval_ms", 0);
	delta_case->waits.has_rate = strcmp(case_text(after, "waits.has_rate", NULL), "true") == 0;
	delta_case->options.waits = &delta_case->waits;
}

void delta_case_read(struct delta_case *delta_case, const char *folder)
{
	memset(delta_case, 0, sizeof(*delta_case));
	struct case_file before;
	struct case_file after;
	assert_true(case_file_read(&before, folder, "before.tsv"));
	assert_true(case_file_read(&after, folder, "after.tsv"));
	assert_true(case_file_read(&delta_case->expected, folder, "expected.tsv"));
	delta_case->has_next = case_file_read(&delta_case->next, folder, "next.tsv");
	assert_true(family_from_name(case_text(&before, "family", NULL), &delta_case->family));
	if (strcmp(case_text(&before, "absent", "false"), "true") != 0) {
		delta_case->before = xcalloc(1, sizeof(*delta_case->before));
		delta_case->before->sample = case_sample(&before, delta_case->family);
		read_rates(delta_case->before, case_text(&before, "rates", ""));
	}
	delta_case->after = case_sample(&after, delta_case->family);
	read_options(delta_case, &after);
	free(before.text);
	free(after.text);
}

void delta_case_done(struct delta_case *delta_case)
{
	baseline_free(delta_case->before);
	sample_free(delta_case->after);
	free(delta_case->expected.text);
	free(delta_case->next.text);
}
