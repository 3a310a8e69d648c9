/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which resolution answers which part of a range. The range is cut wherever the answer may change:
 * where a resolution begins or ends, and at the first and last edge of its frames inside. Each
 * stretch between two cuts then has one best answer. Pure.
 */
#include "storage/resolution.h"

#include <stdbool.h>
#include <stddef.h>

static const struct {
	const char *name;
	int64_t step_ms;
} resolutions[RESOLUTION_COUNT] = {
	[RESOLUTION_RAW] = {"raw", 0},
	[RESOLUTION_MINUTE] = {"1m", INT64_C(60000)},
	[RESOLUTION_HOUR] = {"1h", INT64_C(3600000)},
};

enum { CUTS_MAX = RESOLUTION_PIECES_MAX - 1 };

struct cutting {
	int64_t start_utc_ms;
	int64_t end_utc_ms;
	int64_t step_ms;
	struct resolution_extent extents[RESOLUTION_COUNT];
	int64_t cuts[CUTS_MAX]; /* ascending, inside the range */
	int cut_count;
};

int64_t resolution_step_ms(enum resolution resolution)
{
	return resolutions[resolution].step_ms;
}

const char *resolution_name(enum resolution resolution)
{
	return resolutions[resolution].name;
}

static int64_t floor_to(int64_t utc_ms, int64_t step_ms)
{
	return utc_ms - utc_ms % step_ms;
}

static int64_t ceil_to(int64_t utc_ms, int64_t step_ms)
{
	return floor_to(utc_ms + step_ms - 1, step_ms);
}

static void cut(struct cutting *cutting, int64_t utc_ms)
{
	if (utc_ms <= cutting->start_utc_ms || utc_ms >= cutting->end_utc_ms)
		return;
	int at = cutting->cut_count;
	while (at > 0 && cutting->cuts[at - 1] >= utc_ms)
		at--;
	if (at < cutting->cut_count && cutting->cuts[at] == utc_ms)
		return;
	for (int i = cutting->cut_count++; i > at; i--)
		cutting->cuts[i] = cutting->cuts[i - 1];
	cutting->cuts[at] = utc_ms;
}

/*
 * Where what is older was deleted, a resolution begins in the middle of a frame of the next: that
 * frame still holds all of its time and answers to its end. A history that nobody has cut begins
 * wherever it began.
 */
static void settle_begin(struct cutting *cutting, int resolution)
{
	struct resolution_extent *const extent = &cutting->extents[resolution];
	if (extent->begin_utc_ms == INT64_MAX)
		return;
	for (int coarser = resolution + 1; coarser < RESOLUTION_COUNT; coarser++) {
		const int64_t step_ms = resolutions[coarser].step_ms;
		const int64_t begin = cutting->extents[coarser].begin_utc_ms;
		if (begin == INT64_MAX || begin >= floor_to(extent->begin_utc_ms, step_ms))
			continue;
		extent->begin_utc_ms = ceil_to(extent->begin_utc_ms, step_ms);
		return;
	}
	extent->begin_utc_ms = INT64_MIN;
}

static void cut_all(struct cutting *cutting)
{
	for (int i = 0; i < RESOLUTION_COUNT; i++) {
		cut(cutting, cutting->extents[i].begin_utc_ms);
		cut(cutting, cutting->extents[i].end_utc_ms);
		if (i == RESOLUTION_RAW)
			continue;
		cut(cutting, ceil_to(cutting->start_utc_ms, resolutions[i].step_ms));
		cut(cutting, floor_to(cutting->end_utc_ms, resolutions[i].step_ms));
	}
}

static bool holds(const struct cutting *cutting, int resolution, int64_t from, int64_t to)
{
	return cutting->extents[resolution].begin_utc_ms <= from &&
	       cutting->extents[resolution].end_utc_ms >= to;
}

static bool is_exact(const struct cutting *cutting, int resolution, int64_t from, int64_t to)
{
	const int64_t step_ms = resolutions[resolution].step_ms;
	return step_ms == 0 ||
	       (cutting->step_ms % step_ms == 0 && from % step_ms == 0 && to % step_ms == 0);
}

static enum resolution best(const struct cutting *cutting, int64_t from, int64_t to)
{
	for (int i = RESOLUTION_COUNT - 1; i >= 0; i--)
		if (is_exact(cutting, i, from, to) && holds(cutting, i, from, to))
			return (enum resolution)i;
	for (int i = 0; i < RESOLUTION_COUNT; i++)
		if (holds(cutting, i, from, to))
			return (enum resolution)i;
	return RESOLUTION_RAW;
}

static void add_piece(struct resolution_plan *plan, enum resolution resolution, int64_t from,
		      int64_t to)
{
	struct resolution_piece *const last =
		plan->count > 0 ? &plan->pieces[plan->count - 1] : NULL;
	if (last && last->resolution == resolution)
		last->to_utc_ms = to;
	else
		plan->pieces[plan->count++] = (struct resolution_piece){resolution, from, to};
}

void resolution_plan(const struct resolution_extent extents[RESOLUTION_COUNT], int64_t start_utc_ms,
		     int64_t end_utc_ms, int64_t step_ms, struct resolution_plan *plan)
{
	struct cutting cutting = {
		.start_utc_ms = start_utc_ms, .end_utc_ms = end_utc_ms, .step_ms = step_ms};
	for (int i = 0; i < RESOLUTION_COUNT; i++)
		cutting.extents[i] = extents[i];
	for (int i = 0; i < RESOLUTION_COUNT; i++)
		settle_begin(&cutting, i);
	cut_all(&cutting);
	*plan = (struct resolution_plan){0};
	int64_t from = start_utc_ms;
	for (int i = 0; i <= cutting.cut_count; i++) {
		const int64_t to = i < cutting.cut_count ? cutting.cuts[i] : end_utc_ms;
		add_piece(plan, best(&cutting, from, to), from, to);
		from = to;
	}
}

struct resolution_plan resolution_plan_raw(int64_t start_utc_ms, int64_t end_utc_ms)
{
	return (struct resolution_plan){.pieces = {{RESOLUTION_RAW, start_utc_ms, end_utc_ms}},
					.count = 1};
}
