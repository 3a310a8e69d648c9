/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes the rows of an answer. Runs in the target's thread, called back by session_run; knows
 * neither the batch nor the clock.
 */
#include "collectors/answer.h"

#include <assert.h>
#include <string.h>

enum { RESOURCE_SIZE = 1024 };

static_assert((int)COLLECTOR_WAITS == (int)FAMILY_WAITS &&
		      (int)COLLECTOR_LATCHES == (int)FAMILY_LATCHES &&
		      (int)COLLECTOR_SPINLOCKS == (int)FAMILY_SPINLOCKS,
	      "the first collectors are the families");

static bool is_word(const struct session_cell *cell, const char *word)
{
	return cell->size == strlen(word) && memcmp(cell->text, word, cell->size) == 0;
}

static int section_named(const struct session_cell *cell)
{
	for (int i = 0; i < COLLECTOR_COUNT; i++) {
		if (is_word(cell, collector_info((enum collector)i)->name))
			return i;
	}
	if (is_word(cell, "epoch"))
		return SECTION_EPOCH;
	return is_word(cell, "cost") ? SECTION_COST : SECTION_NONE;
}

/* A marker is one text; that of an epoch has a number behind it. */
static bool is_marker(const struct session_cell *cells, size_t cell_count)
{
	return cell_count <= 2 && !cells[0].is_null && cells[0].text;
}

static void note_rows_told(struct answer *answer, const struct session_cell *cells)
{
	if (answer->section_count == 0)
		return;
	const int name = answer->sections[answer->section_count - 1].name;
	if (name < FAMILY_COUNT)
		answer->rows_told[name] = cells[1].integer;
}

static bool begin_section(struct answer *answer, int result, const struct session_cell *cells,
			  size_t cell_count, struct error *err)
{
	const int name = section_named(&cells[0]);
	if (name == SECTION_NONE || answer->section_count == SECTIONS_MAX)
		return error_set(err, ERROR_PROTOCOL, 0, "result %d belongs to no view", result);
	if (name == SECTION_EPOCH && cell_count == 2)
		note_rows_told(answer, cells);
	answer->sections[answer->section_count++] =
		(struct section){.name = name, .result = result};
	if (name < COLLECTOR_COUNT)
		answer->epochs_before[name] = answer->epoch_count;
	if (name == COLLECTOR_WAITING_TASKS && !answer->collected->tasks)
		answer->collected->tasks =
			task_sample_new((struct instant){0}, answer->server->scheduler_count);
	if (name < FAMILY_COUNT && !answer->collected->samples[name])
		answer->collected->samples[name] =
			sample_new((enum family)name, &answer->epochs[0], (struct instant){0});
	return true;
}

static bool take_epoch(struct answer *answer, const struct session_cell *cells, size_t cell_count,
		       struct error *err)
{
	if (cell_count != 5 || answer->epoch_count == EPOCHS_MAX)
		return error_set(err, ERROR_PROTOCOL, 0, "epoch has %zu columns", cell_count);
	struct epoch *epoch = &answer->epochs[answer->epoch_count++];
	session_cell_copy(&cells[0], epoch->server_name, sizeof(epoch->server_name));
	session_cell_copy(&cells[1], epoch->node_name, sizeof(epoch->node_name));
	epoch->process_id = cells[2].integer;
	epoch->start_ticks = cells[3].is_null ? -1 : cells[3].integer;
	epoch->ms_ticks = cells[4].is_null ? -1 : cells[4].integer;
	return true;
}

/* Rows of the three families: name, the counters in the family's order, max where there is one. */
static bool take_statistic(struct answer *answer, int family, const struct session_cell *cells,
			   size_t cell_count, struct error *err)
{
	const struct family_shape *shape = family_shape((enum family)family);
	const size_t wanted = 1U + (size_t)shape->counter_count + (shape->has_max ? 1U : 0U);
	struct sample *sample = answer->collected->samples[family];
	if (cell_count != wanted)
		return error_set(err, ERROR_PROTOCOL, 0, "view '%s' has %zu columns instead of %zu",
				 shape->name, cell_count, wanted);
	if (sample->row_count >= SAMPLE_ROWS_MAX)
		return error_set(err, ERROR_PROTOCOL, 0, "view '%s' has over %d rows", shape->name,
				 SAMPLE_ROWS_MAX);
	int64_t counters[FAMILY_COUNTERS_MAX] = {0};
	for (int i = 0; i < shape->counter_count; i++)
		counters[i] = cells[i + 1].is_null ? -1 : cells[i + 1].integer;
	const struct session_cell *last = &cells[cell_count - 1];
	const int64_t max_ms = !shape->has_max ? 0 : last->is_null ? -1 : last->integer;
	sample_add_row(sample, cells[0].is_null ? "" : cells[0].text,
		       cells[0].is_null ? 0 : cells[0].size, counters, max_ms);
	answer->collected->views[family].row_count++;
	return true;
}

/* A request that has left its wait may still show the resource: it waits for nothing. */
static void read_resource(struct task *task, const struct session_cell *cell)
{
	const bool is_waiting = task->wait_type[0] != '\0';
	char text[RESOURCE_SIZE];
	session_cell_copy(cell, text, sizeof(text));
	task->resource = page_address_parse(task->wait_type, is_waiting ? text : NULL);
	if (is_waiting)
		session_cell_copy(cell, task->resource_text, sizeof(task->resource_text));
}

static void take_waiting(struct task_sample *tasks, const struct session_cell *cells)
{
	struct task task = {
		.address = session_cell_uint64(&cells[0]),
		.session_id = (int32_t)cells[1].integer,
		.scheduler_id = -1,
		.wait_ms = cells[3].integer,
		.blocking_session_id = cells[5].is_null ? 0 : (int32_t)cells[5].integer,
	};
	/* A worker that waits for others of its own session is blocked by nobody. */
	if (task.blocking_session_id == task.session_id)
		task.blocking_session_id = 0;
	session_cell_copy(&cells[2], task.wait_type, sizeof(task.wait_type));
	read_resource(&task, &cells[4]);
	task_sample_add_waiting(tasks, &task);
}

static void take_request(struct task_sample *tasks, const struct session_cell *cells)
{
	struct task request = {
		.address = session_cell_uint64(&cells[0]),
		.session_id = (int32_t)cells[1].integer,
		.wait_ms = cells[3].integer,
		.database_id = (int32_t)cells[5].integer,
		.scheduler_id = cells[6].is_null ? -1 : (int32_t)cells[6].integer,
		.query_hash = session_cell_uint64(&cells[7]),
	};
	session_cell_copy(&cells[2], request.wait_type, sizeof(request.wait_type));
	read_resource(&request, &cells[4]);
	char command[40];
	session_cell_copy(&cells[8], command, sizeof(command));
	request.is_insert = strcmp(command, "INSERT") == 0 || strcmp(command, "BULK INSERT") == 0;
	task_sample_add_request(tasks, &request);
}

static bool take_task(struct answer *answer, int part, const struct session_cell *cells,
		      size_t cell_count, struct error *err)
{
	/* When the first statement was refused the second comes in its place: the view has failed
	 * then, and its rows do not matter. */
	if (part == 1 && cell_count == 6)
		take_waiting(answer->collected->tasks, cells);
	else if (part <= 2 && cell_count == 9)
		take_request(answer->collected->tasks, cells);
	else
		return error_set(err, ERROR_PROTOCOL, 0, "waiting tasks have %zu columns",
				 cell_count);
	answer->collected->views[COLLECTOR_WAITING_TASKS].row_count++;
	return true;
}

bool answer_take_row(void *context, int result, const struct session_cell *cells, size_t cell_count,
		     struct error *err)
{
	struct answer *answer = context;
	if (is_marker(cells, cell_count))
		return begin_section(answer, result, cells, cell_count, err);
	if (answer->section_count == 0)
		return error_set(err, ERROR_PROTOCOL, 0, "result %d belongs to no view", result);
	const struct section *section = &answer->sections[answer->section_count - 1];
	if (section->name == SECTION_EPOCH)
		return take_epoch(answer, cells, cell_count, err);
	if (section->name == SECTION_COST) {
		if (!cells[0].is_null)
			answer->collected->session_cpu_ms = cells[0].integer;
		return true;
	}
	struct collected_view *view = &answer->collected->views[section->name];
	if (view->error.kind != ERROR_NONE)
		return true; /* this view has failed; the others go on */
	if (section->name == COLLECTOR_WAITING_TASKS)
		(void)take_task(answer, result - section->result, cells, cell_count, &view->error);
	else
		(void)take_statistic(answer, section->name, cells, cell_count, &view->error);
	return true;
}

int answer_section_of(const struct answer *answer, int result)
{
	int name = SECTION_EPOCH;
	for (int i = 0; i < answer->section_count; i++)
		if (answer->sections[i].result <= result)
			name = answer->sections[i].name;
	return name;
}
