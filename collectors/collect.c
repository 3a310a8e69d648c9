/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One round trip for all that is due. Runs in the target's thread; knows neither deltas nor the
 * store.
 *
 * Each view begins with a result set of one text, its name; what follows, rows and errors alike,
 * belongs to that view until the next name. Counting result sets would not do: a statement that is
 * refused has none. The epoch stands at both ends and between the views, so that a batch that was
 * broken off, or straddles a restart, is never taken for a whole one, and that each view is dated
 * by its own reading: listing the waiting tasks of a busy server may take longer than all else.
 */
#include "collectors/collect.h"

#include <assert.h>
#include <string.h>

#include "collectors/embedded.h"
#include "daemon/base/clock.h"
#include "daemon/base/strbuf.h"

/* Sections of the batch: a collector, or one of these. */
enum { SECTION_EPOCH = COLLECTOR_COUNT, SECTION_NONE };

enum {
	EPOCHS_MAX = COLLECTOR_COUNT + 1,
	SECTIONS_MAX = COLLECTOR_COUNT + EPOCHS_MAX,
	START_TICKS_JITTER_MS = 1000,
	RESOURCE_SIZE = 1024,
};

static_assert((int)COLLECTOR_WAITS == (int)FAMILY_WAITS &&
		      (int)COLLECTOR_LATCHES == (int)FAMILY_LATCHES &&
		      (int)COLLECTOR_SPINLOCKS == (int)FAMILY_SPINLOCKS,
	      "the first collectors are the families");

struct section {
	int name;   /* enum collector or SECTION_EPOCH */
	int result; /* of its marker */
};

struct answer {
	const struct server *server;
	unsigned due;
	struct collected *collected;
	struct section sections[SECTIONS_MAX]; /* in the order they came */
	int section_count;
	struct epoch epochs[EPOCHS_MAX];
	int epoch_count;
	int64_t begin_mono_ms;
	int epochs_before[COLLECTOR_COUNT]; /* how many stood before a view */
};

void collected_done(struct collected *collected)
{
	for (int i = 0; i < FAMILY_COUNT; i++)
		sample_free(collected->samples[i]);
	task_sample_free(collected->tasks);
	*collected = (struct collected){0};
}

static void add_file(struct strbuf *batch, const char *path)
{
	const struct embedded *file = embedded_find(embedded_collectors, path);
	assert(file);
	strbuf_add(batch, file->data, file->size);
}

static void write_batch(struct strbuf *batch, unsigned due)
{
	add_file(batch, "collectors/sql/epoch.sql");
	for (int i = 0; i < COLLECTOR_COUNT; i++) {
		if (!(due & (1U << i)))
			continue;
		add_file(batch, collector_info((enum collector)i)->statement);
		add_file(batch, "collectors/sql/epoch.sql");
	}
}

static int section_named(const struct session_cell *cell)
{
	for (int i = 0; i < COLLECTOR_COUNT; i++) {
		const char *name = collector_info((enum collector)i)->name;
		if (cell->size == strlen(name) && memcmp(cell->text, name, cell->size) == 0)
			return i;
	}
	if (cell->size == strlen("epoch") && memcmp(cell->text, "epoch", cell->size) == 0)
		return SECTION_EPOCH;
	return SECTION_NONE;
}

static bool begin_section(struct answer *answer, int result, const struct session_cell *cell,
			  struct error *err)
{
	const int name = section_named(cell);
	if (name == SECTION_NONE || answer->section_count == SECTIONS_MAX)
		return error_set(err, ERROR_PROTOCOL, 0, "result %d belongs to no view", result);
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

static void read_resource(struct task *task, const struct session_cell *cell)
{
	char text[RESOURCE_SIZE];
	session_cell_copy(cell, text, sizeof(text));
	/* A request that has left its wait may still show the resource: it waits for nothing. */
	task->resource = page_address_parse(task->wait_type, task->wait_type[0] ? text : NULL);
}

static void take_waiting(struct task_sample *tasks, const struct session_cell *cells)
{
	struct task task = {
		.address = session_cell_uint64(&cells[0]),
		.session_id = (int32_t)cells[1].integer,
		.scheduler_id = -1,
		.wait_ms = cells[3].integer,
	};
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
	if (part == 1 && cell_count == 5)
		take_waiting(answer->collected->tasks, cells);
	else if (part <= 2 && cell_count == 9)
		take_request(answer->collected->tasks, cells);
	else
		return error_set(err, ERROR_PROTOCOL, 0, "waiting tasks have %zu columns",
				 cell_count);
	answer->collected->views[COLLECTOR_WAITING_TASKS].row_count++;
	return true;
}

static bool take_row(void *context, int result, const struct session_cell *cells, size_t cell_count,
		     struct error *err)
{
	struct answer *answer = context;
	if (cell_count == 1 && !cells[0].is_null && cells[0].text)
		return begin_section(answer, result, &cells[0], err);
	if (answer->section_count == 0)
		return error_set(err, ERROR_PROTOCOL, 0, "result %d belongs to no view", result);
	const struct section *section = &answer->sections[answer->section_count - 1];
	if (section->name == SECTION_EPOCH)
		return take_epoch(answer, cells, cell_count, err);
	struct collected_view *view = &answer->collected->views[section->name];
	if (view->error.kind != ERROR_NONE)
		return true; /* this view has failed; the others go on */
	if (section->name == COLLECTOR_WAITING_TASKS)
		(void)take_task(answer, result - section->result, cells, cell_count, &view->error);
	else
		(void)take_statistic(answer, section->name, cells, cell_count, &view->error);
	return true;
}

/* The section in which an error came: the last that had begun. */
static int section_of(const struct answer *answer, int result)
{
	int name = SECTION_EPOCH;
	for (int i = 0; i < answer->section_count; i++)
		if (answer->sections[i].result <= result)
			name = answer->sections[i].name;
	return name;
}

/* Hands each error to its view; false when one of them concerns the epoch, and so all. */
static bool spread_errors(struct answer *answer, struct session *session, struct error *err)
{
	for (int i = 0; i < session_error_count(session); i++) {
		int result = -1;
		const struct error *fault = session_error_at(session, i, &result);
		const int name = section_of(answer, result);
		if (name == SECTION_EPOCH) {
			*err = *fault;
			return false;
		}
		struct collected_view *view = &answer->collected->views[name];
		if (view->error.kind == ERROR_NONE)
			view->error = *fault;
	}
	return true;
}

static bool is_one_life(const struct epoch *before, const struct epoch *after)
{
	const int64_t moved = after->start_ticks - before->start_ticks;
	return strcmp(before->server_name, after->server_name) == 0 &&
	       strcmp(before->node_name, after->node_name) == 0 &&
	       before->process_id == after->process_id && moved <= START_TICKS_JITTER_MS &&
	       moved >= -START_TICKS_JITTER_MS && after->ms_ticks >= before->ms_ticks;
}

static bool check_epochs(struct answer *answer, struct error *err)
{
	for (int i = 1; i < answer->epoch_count; i++)
		if (!is_one_life(&answer->epochs[i - 1], &answer->epochs[i]))
			return error_set(err, ERROR_PROTOCOL, 0,
					 "the server restarted during the answer");
	answer->collected->epoch = answer->epochs[0];
	return true;
}

/* Half way between the epochs around a view; where there are none, the first will do. */
static int64_t ticks_of(const struct answer *answer, int name)
{
	const int after = answer->epochs_before[name];
	if (after < 1 || after >= answer->epoch_count)
		return answer->epochs[0].ms_ticks;
	const int64_t before_ticks = answer->epochs[after - 1].ms_ticks;
	return before_ticks + (answer->epochs[after].ms_ticks - before_ticks) / 2;
}

/*
 * The same moment by our clocks: half of what passed outside the epochs came after them. Labels and
 * ticks must agree, else [t - interval, t] of two polls would overlap by what their answers differ.
 */
static struct instant taken_at(const struct answer *answer, int name, struct instant end)
{
	const int64_t first_ticks = answer->epochs[0].ms_ticks;
	const int64_t span_ms = answer->epochs[answer->epoch_count - 1].ms_ticks - first_ticks;
	const int64_t way_ms = end.mono_ms - answer->begin_mono_ms - span_ms;
	const int64_t after_ms =
		first_ticks + span_ms - ticks_of(answer, name) + (way_ms > 0 ? way_ms / 2 : 0);
	return (struct instant){.mono_ms = end.mono_ms - after_ms, .utc_ms = end.utc_ms - after_ms};
}

static void drop_view(struct collected *collected, int name)
{
	if (name == COLLECTOR_WAITING_TASKS) {
		task_sample_free(TAKE(collected->tasks));
		return;
	}
	sample_free(TAKE(collected->samples[name]));
}

static void say_absent(struct collected_view *view, int name)
{
	(void)error_set(&view->error, ERROR_PROTOCOL, 0, "view '%s' is not in the answer",
			collector_info((enum collector)name)->name);
}

static void finish_sample(const struct answer *answer, int family, struct instant end)
{
	struct collected *collected = answer->collected;
	struct collected_view *view = &collected->views[family];
	struct sample *sample = collected->samples[family];
	if (!sample) {
		say_absent(view, family);
		return;
	}
	sample->taken = taken_at(answer, family, end);
	sample->epoch = collected->epoch;
	sample->epoch.ms_ticks = ticks_of(answer, family);
	if (!sample_seal(sample, &view->error))
		(void)error_prefix(&view->error, "view '%s'", family_shape(sample->family)->name);
}

static void finish_tasks(const struct answer *answer, struct instant end)
{
	struct collected *collected = answer->collected;
	if (collected->tasks)
		collected->tasks->taken = taken_at(answer, COLLECTOR_WAITING_TASKS, end);
	else
		say_absent(&collected->views[COLLECTOR_WAITING_TASKS], COLLECTOR_WAITING_TASKS);
}

/* Ends one view: what it holds is dated and sealed, or dropped with a reason. */
static void finish_view(const struct answer *answer, int name, struct instant end)
{
	struct collected_view *view = &answer->collected->views[name];
	view->was_due = true;
	if (view->error.kind == ERROR_NONE && name == COLLECTOR_WAITING_TASKS)
		finish_tasks(answer, end);
	else if (view->error.kind == ERROR_NONE)
		finish_sample(answer, name, end);
	view->is_ok = view->error.kind == ERROR_NONE;
	if (!view->is_ok)
		drop_view(answer->collected, name);
}

/* An error that ends the batch takes the later views and epochs with it. */
static bool check_end(const struct answer *answer, const struct session *session, struct error *err)
{
	if (answer->epoch_count == 1 + __builtin_popcount(answer->due))
		return true;
	if (session_error_count(session) == 0)
		return error_set(err, ERROR_PROTOCOL, 0, "the answer has %d epochs",
				 answer->epoch_count);
	int result = -1;
	*err = *session_error_at(session, session_error_count(session) - 1, &result);
	return false;
}

static bool finish_answer(struct answer *answer, struct session *session, struct error *err)
{
	if (!spread_errors(answer, session, err) || !check_end(answer, session, err) ||
	    !check_epochs(answer, err))
		return false;
	const struct instant end = clock_now();
	answer->collected->duration_ms = end.mono_ms - answer->begin_mono_ms;
	for (int i = 0; i < COLLECTOR_COUNT; i++)
		if (answer->due & (1U << i))
			finish_view(answer, i, end);
	return true;
}

bool session_collect(struct session *session, const struct server *server, unsigned due,
		     struct collected *collected, struct error *err)
{
	CLEANUP(strbuf_done) struct strbuf batch = STRBUF_INIT;
	write_batch(&batch, due);
	struct collected result = {0};
	struct answer answer = {
		.server = server,
		.due = due,
		.collected = &result,
		.begin_mono_ms = clock_now().mono_ms,
	};
	int result_count = 0;
	struct error run_error = ERROR_INIT;
	const bool is_whole =
		session_run(session, batch.data, take_row, &answer, &result_count, &run_error) ||
		session_is_complete(session);
	if (!is_whole)
		*err = run_error;
	if (!is_whole || !finish_answer(&answer, session, err)) {
		collected_done(&result);
		return false;
	}
	*collected = result;
	return true;
}
