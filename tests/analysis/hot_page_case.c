/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the cases of tests/data/hot_page. Runs in the test; knows the format and no rule. */
#include "tests/analysis/hot_page_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/alloc.h"
#include "tests/support.h"

enum { START_UTC_S = 1800000000, TEXT_MAX = 65536, SCHEDULER_COUNT = 8 };

static char *read_text(const char *folder, const char *name)
{
	char path[1024];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *file = fopen(path, "re");
	if (!file)
		fail_msg("cannot read '%s'", path);
	char *text = xcalloc(1, TEXT_MAX);
	const size_t size = fread(text, 1, TEXT_MAX - 1, file);
	assert_int_equal(fclose(file), 0);
	assert_true(size < TEXT_MAX - 1);
	return text;
}

static struct case_table read_table(const char *folder, const char *name, size_t cell_count)
{
	struct case_table table = {.text = read_text(folder, name)};
	bool has_head = false;
	for (char *rest = table.text; rest && *rest;) {
		char *line = strsep(&rest, "\n");
		if (strncmp(line, "##", 2) == 0)
			continue;
		if (!has_head) {
			has_head = true;
			continue;
		}
		assert_true(table.row_count < CASE_LINES_MAX);
		size_t count = 0;
		while (line && count < CASE_CELLS_MAX)
			table.cells[table.row_count][count++] = strsep(&line, "\t");
		if (count != cell_count || line)
			fail_msg("%s/%s: row %zu has not %zu cells", folder, name,
				 table.row_count + 1, cell_count);
		table.row_count++;
	}
	return table;
}

static int number(const char *text)
{
	return (int)strtol(text, NULL, 10);
}

/* "3", "1-10", "1,3,5". */
static bool has_second(const char *seconds, int second)
{
	const char *dash = strchr(seconds, '-');
	if (dash)
		return number(seconds) <= second && second <= number(dash + 1);
	for (const char *at = seconds; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (number(at) == second)
			return true;
	}
	return false;
}

static void copy_cell(char *to, size_t size, const char *cell)
{
	snprintf(to, size, "%s", strcmp(cell, "-") == 0 ? "" : cell);
}

struct hot_page_case hot_page_case_read(const char *folder)
{
	return (struct hot_page_case){
		.samples = read_table(folder, "samples.tsv", 8),
		.owners = read_table(folder, "owners.tsv", 14),
		.expected = read_table(folder, "expected.tsv", 11),
	};
}

void hot_page_case_done(struct hot_page_case *read)
{
	free(read->samples.text);
	free(read->owners.text);
	free(read->expected.text);
}

int64_t hot_page_case_utc_ms(int second)
{
	return ((int64_t)START_UTC_S + second) * 1000;
}

static void add_tasks(struct task_sample *sample, char *const cells[CASE_CELLS_MAX], int row)
{
	const bool is_one_session = cells[2][0] == '=';
	for (int i = 0; i < number(cells[1]); i++) {
		struct task task = {
			.address = (uint64_t)(row + 1) * 1000 + (uint64_t)i,
			.session_id = is_one_session ? number(cells[2] + 1) : number(cells[2]) + i,
			.database_id = number(cells[5]),
			.scheduler_id = -1,
			.query_hash = strtoull(cells[6], NULL, 16),
			.is_insert = strcmp(cells[7], "INSERT") == 0,
			.wait_ms = 15,
			.resource = page_address_parse(cells[3], cells[4]),
		};
		copy_cell(task.wait_type, sizeof(task.wait_type), cells[3]);
		task_sample_add_waiting(sample, &task);
	}
}

struct task_sample *hot_page_case_sample(const struct hot_page_case *read, int second)
{
	const struct instant taken = {.utc_ms = hot_page_case_utc_ms(second)};
	struct task_sample *sample = task_sample_new(taken, SCHEDULER_COUNT);
	for (size_t row = 0; row < read->samples.row_count; row++)
		if (has_second(read->samples.cells[row][0], second))
			add_tasks(sample, read->samples.cells[row], (int)row);
	if (sample->task_count > 0)
		return sample;
	task_sample_free(sample);
	return NULL;
}

bool hot_page_case_has(const struct hot_page_case *read, int second, const char *wait_type)
{
	for (size_t row = 0; row < read->samples.row_count; row++)
		if (strcmp(read->samples.cells[row][3], wait_type) == 0 &&
		    has_second(read->samples.cells[row][0], second))
			return true;
	return false;
}

/* 1, 0, -1 for a key of this sequence that might be of the wanted one. */
static int32_t is_sequence(const char *sequence, const char *wanted)
{
	if (strcmp(sequence, "unknown") == 0)
		return -1;
	return strcmp(sequence, wanted) == 0;
}

bool hot_page_case_owner(const struct hot_page_case *read, size_t row, int second,
			 struct page_owner *owner)
{
	char *const *cells = read->owners.cells[row];
	if (number(cells[0]) != second)
		return false;
	const struct page_address page = page_address_parse("PAGELATCH_EX", cells[1]);
	assert_int_equal(page.kind, RESOURCE_PAGE);
	*owner = (struct page_owner){
		.database_id = page.database_id,
		.file_id = page.file_id,
		.page_id = page.page_id,
		.state = PAGE_OWNER_NAMED,
		.object_id = number(cells[5]),
		.index_id = number(cells[6]),
		.page_type = 1,
		.level = number(cells[7]),
		.previous_file_id = page.file_id,
		.previous_page_id = number(cells[8]),
		.next_file_id = page.file_id,
		.next_page_id = number(cells[9]),
		.is_mixed_extent = strcmp(cells[13], "mixed") == 0,
		.is_ascending = is_sequence(cells[11], "ascending"),
		.is_descending = is_sequence(cells[11], "descending"),
		.optimize_for_sequential_key = number(cells[12]),
		.looked_up_utc_ms = hot_page_case_utc_ms(second),
	};
	copy_cell(owner->database, sizeof(owner->database), cells[2]);
	copy_cell(owner->object, sizeof(owner->object), cells[3]);
	copy_cell(owner->index, sizeof(owner->index), cells[4]);
	copy_cell(owner->leading_column, sizeof(owner->leading_column), cells[10]);
	return true;
}
