/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One round trip for all that is due. Runs in the target's thread; knows neither deltas nor the
 * store.
 *
 * The epoch stands at both ends and between the views, so that a batch that was broken off, or
 * straddles a restart, is never taken for a whole one, and that each view is dated by its own
 * reading: listing the waiting tasks of a busy server may take longer than all else.
 */
#include "collectors/collect.h"

#include <assert.h>
#include <string.h>

#include "collectors/answer.h"
#include "collectors/embedded.h"
#include "daemon/base/clock.h"
#include "daemon/base/strbuf.h"

enum { START_TICKS_JITTER_MS = 1000 };

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

static void write_batch(struct strbuf *batch, enum server_class class, unsigned due)
{
	const char *epoch = class == SERVER_CLASS_D ? "collectors/sql/epoch_azure.sql"
						    : "collectors/sql/epoch.sql";
	add_file(batch, epoch);
	for (int i = 0; i < COLLECTOR_COUNT; i++) {
		if (!(due & (1U << i)))
			continue;
		add_file(batch, collector_info((enum collector)i)->statements[class]);
		add_file(batch, epoch);
	}
	if (due & COLLECT_COST)
		add_file(batch, "collectors/sql/cost.sql");
}

/* Hands each error to its view; false when one of them concerns the epoch, and so all. */
static bool spread_errors(struct answer *answer, struct session *session, struct error *err)
{
	for (int i = 0; i < session_error_count(session); i++) {
		int result = -1;
		const struct error *fault = session_error_at(session, i, &result);
		const int name = answer_section_of(answer, result);
		if (name == SECTION_COST)
			continue; /* then it stays unknown */
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
	if (view->row_count != answer->rows_told[family]) {
		(void)error_set(&view->error, ERROR_PROTOCOL, 0,
				"view '%s' has %lld rows, of which %lld arrived",
				family_shape(sample->family)->name,
				(long long)answer->rows_told[family], (long long)view->row_count);
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
	if (answer->epoch_count == 1 + __builtin_popcount(answer->due & ~(unsigned)COLLECT_COST))
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
	write_batch(&batch, server->class, due);
	struct collected result = {.session_cpu_ms = -1};
	struct answer answer = {
		.server = server,
		.due = due,
		.collected = &result,
		.begin_mono_ms = clock_now().mono_ms,
	};
	int result_count = 0;
	struct error run_error = ERROR_INIT;
	const bool is_whole = session_run(session, batch.data, answer_take_row, &answer,
					  &result_count, &run_error) ||
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
