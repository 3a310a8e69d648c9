/* SPDX-License-Identifier: Apache-2.0 */
/* The clock was set back: no time is covered twice, and the later word on it stands. */
#include <string.h>

#include "storage/batch.h"
#include "storage/query.h"
#include "tests/storage/store_fixture.h"
#include "tests/support.h"
#include "tests/support/delta_builder.h"

enum { SPANS_MAX = 64 };

struct spans {
	struct {
		int64_t begin_ms, end_ms, value;
	} items[SPANS_MAX];
	size_t count;
};

static bool note_span(void *context, const struct stored_delta *stored)
{
	struct spans *spans = context;
	const struct delta *delta = &stored->delta;
	assert_true(spans->count < SPANS_MAX);
	spans->items[spans->count].begin_ms = delta->end_utc_ms - delta->interval_ms;
	spans->items[spans->count].end_ms = delta->end_utc_ms;
	spans->items[spans->count++].value = delta->rows[0].counters[WAITS_TIME_MS];
	return true;
}

static struct spans read_spans(struct store_fixture *fixture, enum family family)
{
	struct error err = ERROR_INIT;
	struct spans spans = {0};
	int64_t damaged_count = 0;
	if (!query_deltas(fixture_read(fixture), fixture->target_id, family, 0, INT64_MAX / 2,
			  note_span, &spans, &damaged_count, &err))
		fail_msg("query_deltas: %s", err.text);
	return spans;
}

static void put(struct store_fixture *fixture, enum family family, int64_t end_ms,
		int64_t interval_ms, int64_t value, bool is_dated_back)
{
	struct batch *batch = batch_new(fixture->target_id);
	batch->deltas[family] = delta_build(family, end_ms, interval_ms);
	delta_build_row(batch->deltas[family], "WRITELOG", 1, value, 0, 0);
	batch->is_dated_back[family] = is_dated_back;
	fixture_commit(fixture, batch);
}

/* Intervals of a second that end at 11 s to 30 s, each of value 1. */
static void put_twenty(struct store_fixture *fixture, enum family family)
{
	for (int64_t end_ms = 11000; end_ms <= 30000; end_ms += 1000)
		put(fixture, family, end_ms, 1000, 1, false);
}

static void assert_apart(const struct spans *spans)
{
	for (size_t i = 1; i < spans->count; i++)
		assert_true(spans->items[i].begin_ms >= spans->items[i - 1].end_ms);
}

/* Another pace, another phase; the labels pass the old end at last. */
static void no_time_is_covered_twice(void **state)
{
	struct store_fixture fixture;
	(void)state;
	fixture_start(&fixture);
	put_twenty(&fixture, FAMILY_WAITS);
	for (int64_t end_ms = 22400; end_ms < 36000; end_ms += 2000) {
		put(&fixture, FAMILY_WAITS, end_ms, 2000, 7, end_ms - 2000 < 30000);
		const struct spans spans = read_spans(&fixture, FAMILY_WAITS);
		assert_apart(&spans);
	}
	const struct spans spans = read_spans(&fixture, FAMILY_WAITS);
	assert_int_equal(spans.count, 10 + 7);
	assert_int_equal(spans.items[9].end_ms, 20000);
	for (size_t i = 10; i < spans.count; i++)
		assert_int_equal(spans.items[i].value, 7);
	fixture_remove(&fixture);
}

/* What a label wanders by is no reason to lose the interval before. */
static void intervals_that_touch_stay(void **state)
{
	struct store_fixture fixture;
	(void)state;
	fixture_start(&fixture);
	put(&fixture, FAMILY_WAITS, 10000, 1000, 1, true);
	put(&fixture, FAMILY_WAITS, 10990, 1000, 1, true);
	put(&fixture, FAMILY_WAITS, 12000, 1000, 1, true);
	const struct spans spans = read_spans(&fixture, FAMILY_WAITS);
	assert_int_equal(spans.count, 3);
	fixture_remove(&fixture);
}

static void other_views_keep_what_they_have(void **state)
{
	struct store_fixture fixture;
	(void)state;
	fixture_start(&fixture);
	put_twenty(&fixture, FAMILY_LATCHES);
	put_twenty(&fixture, FAMILY_WAITS);
	put(&fixture, FAMILY_WAITS, 25000, 10000, 7, true);
	assert_int_equal(read_spans(&fixture, FAMILY_LATCHES).count, 20);
	assert_int_equal(read_spans(&fixture, FAMILY_WAITS).count, 11);
	fixture_remove(&fixture);
}

static void without_a_step_nothing_gives_way(void **state)
{
	struct store_fixture fixture;
	(void)state;
	fixture_start(&fixture);
	put_twenty(&fixture, FAMILY_WAITS);
	put(&fixture, FAMILY_WAITS, 31000, 1500, 7, false);
	assert_int_equal(read_spans(&fixture, FAMILY_WAITS).count, 21);
	fixture_remove(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_time_is_covered_twice),
		cmocka_unit_test(intervals_that_touch_stay),
		cmocka_unit_test(other_views_keep_what_they_have),
		cmocka_unit_test(without_a_step_nothing_gives_way),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
