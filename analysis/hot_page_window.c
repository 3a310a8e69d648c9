/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The detector's sliding window. One detector owns it; no clock, no I/O. Samples that saw nothing
 * need not be added: what is between two samples and is no gap was calm.
 */
#include "analysis/hot_page_window.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/alloc.h"

/* The collector stretches to 5 s by itself; what is further apart is no interval between samples.
 */
enum { STRETCH_MAX_MS = 5500, SAMPLE_MS = 1000 };

static const char *const wait_types[LATCH_MODE_COUNT] = {
	[LATCH_MODE_EX] = "PAGELATCH_EX",
	[LATCH_MODE_SH] = "PAGELATCH_SH",
	[LATCH_MODE_UP] = "PAGELATCH_UP",
	[LATCH_MODE_OTHER] = "PAGELATCH_*",
};

static bool starts_with(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* The log side of rule 4. */
static bool is_log_wait(const char *wait_type)
{
	return strcmp(wait_type, "WRITELOG") == 0 || strcmp(wait_type, "LOGBUFFER") == 0 ||
	       strcmp(wait_type, "HADR_SYNC_COMMIT") == 0 ||
	       strstr(wait_type, "LOG_RATE_GOVERNOR") != NULL;
}

static uint8_t role_of(const struct task *task)
{
	if (starts_with(task->wait_type, "PAGELATCH_")) {
		if (task->resource.kind == RESOURCE_PAGE)
			return WAIT_PAGE;
		return task->resource.kind == RESOURCE_NONE ? WAIT_NAMELESS_PAGE : WAIT_ELSEWHERE;
	}
	if (strcmp(task->wait_type, "BTREE_INSERT_FLOW_CONTROL") == 0)
		return WAIT_FLOW;
	return is_log_wait(task->wait_type) ? WAIT_LOG : WAIT_ELSEWHERE;
}

static uint8_t mode_of(const char *wait_type)
{
	for (int mode = 0; mode < LATCH_MODE_OTHER; mode++)
		if (strcmp(wait_type, wait_types[mode]) == 0)
			return (uint8_t)mode;
	return LATCH_MODE_OTHER;
}

static struct waiter waiter_of(const struct task *task)
{
	struct waiter waiter = {
		.address = task->address,
		.query_hash = task->query_hash,
		.session_id = task->session_id,
		.database_id = task->database_id,
		.role = role_of(task),
		.mode = mode_of(task->wait_type),
		.is_insert = task->is_insert,
	};
	if (waiter.role != WAIT_PAGE)
		return waiter;
	waiter.database_id = task->resource.database_id;
	waiter.file_id = task->resource.file_id;
	waiter.page_id = task->resource.page_id;
	return waiter;
}

static int compare_waiter(const void *left, const void *right)
{
	const struct waiter *a = left, *b = right;
	if (a->session_id != b->session_id)
		return a->session_id < b->session_id ? -1 : 1;
	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return (a->role < b->role) - (a->role > b->role);
}

static void copy_waiters(struct observation *observation, const struct task_sample *sample)
{
	struct waiter *waiters = xcalloc(sample->task_count + 1, sizeof(*waiters));
	for (size_t i = 0; i < sample->task_count; i++)
		waiters[i] = waiter_of(&sample->tasks[i]);
	qsort(waiters, sample->task_count, sizeof(*waiters), compare_waiter);
	size_t kept = 0;
	for (size_t i = 0; i < sample->task_count; i++) {
		const bool is_again = kept > 0 && waiters[i].address != 0 &&
				      waiters[i].address == waiters[kept - 1].address;
		if (!is_again)
			waiters[kept++] = waiters[i];
	}
	observation->waiters = waiters;
	observation->waiter_count = kept;
}

static void drop_oldest(struct hot_page_window *window, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(window->observations[i].waiters);
	window->count -= count;
	memmove(window->observations, window->observations + count,
		window->count * sizeof(*window->observations));
}

static int64_t newest_ms(const struct hot_page_window *window)
{
	return window->count ? window->observations[window->count - 1].taken_utc_ms : 0;
}

static size_t known_gaps(const struct hot_page_window *window)
{
	return window->gap_count < GAPS_REMEMBERED ? window->gap_count : GAPS_REMEMBERED;
}

/* The smallest distance seen lately, in whole seconds: nothing is kept of calm samples, so the
 * larger distances say little. */
static int64_t real_interval_ms(const struct hot_page_window *window)
{
	const size_t known = known_gaps(window);
	int64_t least = known ? INT64_MAX : 0;
	for (size_t i = 0; i < known; i++)
		least = window->gaps_ms[i] < least ? window->gaps_ms[i] : least;
	const int64_t rounded = (least + SAMPLE_MS / 2) / SAMPLE_MS * SAMPLE_MS;
	return rounded > window->interval_ms ? rounded : window->interval_ms;
}

static int64_t real_window_ms(const struct hot_page_window *window)
{
	return window->window_ms * real_interval_ms(window) / SAMPLE_MS;
}

struct hot_page_window hot_page_window_init(int64_t window_ms, int64_t interval_ms)
{
	return (struct hot_page_window){
		.window_ms = window_ms,
		.interval_ms = interval_ms > SAMPLE_MS ? interval_ms : SAMPLE_MS,
	};
}

void hot_page_window_done(struct hot_page_window *window)
{
	drop_oldest(window, window->count);
}

/* Our own clock was set back by more than a window. */
static void start_again(struct hot_page_window *window)
{
	drop_oldest(window, window->count);
	window->known_since_ms = 0;
	window->gap_until_ms = 0;
}

static void note_distance(struct hot_page_window *window, int64_t distance_ms)
{
	if (distance_ms <= STRETCH_MAX_MS)
		window->gaps_ms[window->gap_count++ % GAPS_REMEMBERED] = distance_ms;
}

void hot_page_window_add(struct hot_page_window *window, const struct task_sample *sample)
{
	const int64_t taken_ms = sample->taken.utc_ms;
	if (window->count && taken_ms < newest_ms(window) - real_window_ms(window))
		start_again(window);
	if (window->count && taken_ms <= newest_ms(window))
		return;
	if (window->count)
		note_distance(window, taken_ms - newest_ms(window));
	if (window->known_since_ms == 0)
		window->known_since_ms = taken_ms;
	size_t old = window->count == OBSERVATIONS_MAX ? 1 : 0;
	while (old < window->count && window->observations[old].taken_utc_ms <=
					      taken_ms - real_window_ms(window) - STRETCH_MAX_MS)
		old++;
	drop_oldest(window, old);
	struct observation *observation = &window->observations[window->count++];
	*observation = (struct observation){.taken_utc_ms = taken_ms,
					    .scheduler_count = sample->scheduler_count};
	copy_waiters(observation, sample);
}

int64_t hot_page_window_gap(struct hot_page_window *window, int64_t begin_utc_ms,
			    int64_t end_utc_ms)
{
	const int64_t begin_ms =
		begin_utc_ms > window->gap_until_ms ? begin_utc_ms : window->gap_until_ms;
	if (end_utc_ms <= begin_ms)
		return 0;
	window->gap_until_ms = end_utc_ms;
	window->known_since_ms = end_utc_ms;
	return end_utc_ms - begin_ms;
}

struct window_range hot_page_window_range(const struct hot_page_window *window, int64_t now_utc_ms)
{
	const int64_t newest = newest_ms(window);
	const bool is_current = window->count && now_utc_ms - newest <= STRETCH_MAX_MS;
	struct window_range range = {
		.end = window->count,
		.end_utc_ms = is_current ? newest : now_utc_ms,
		.interval_ms = real_interval_ms(window),
	};
	assert(range.interval_ms > 0); /* hot_page_window_init sees to it */
	range.begin_utc_ms = range.end_utc_ms - real_window_ms(window);
	while (range.first < range.end &&
	       window->observations[range.first].taken_utc_ms <= range.begin_utc_ms)
		range.first++;
	const int64_t known_ms = window->known_since_ms - range.interval_ms;
	range.is_known_whole = window->known_since_ms != 0 && known_ms <= range.begin_utc_ms;
	const int64_t span_ms =
		range.end_utc_ms - (range.is_known_whole ? range.begin_utc_ms : known_ms);
	const int64_t expected_count = (span_ms + range.interval_ms / 2) / range.interval_ms;
	const double expected = (double)expected_count;
	const double kept = (double)(range.end - range.first);
	range.sample_count = kept > expected ? kept : expected;
	return range;
}

const char *hot_page_window_wait_type(int mode)
{
	return wait_types[mode];
}
