/* SPDX-License-Identifier: Apache-2.0 */
/* Packed deltas, baselines and task samples come back as they were, or are known to be damaged. */
#include "storage/frame.h"

#include <stdlib.h>

#include "daemon/base/alloc.h"
#include "storage/baseline_frame.h"
#include "storage/task_frame.h"
#include "tests/support.h"
#include "tests/support/delta_builder.h"

static const char *const by_id[] = {NULL, "ASYNC_NETWORK_IO", "PAGELATCH_EX", "WRITELOG",
				    "LCK_M_X"};
static const struct frame_names names = {.by_id = by_id, .count = 5};

struct unpacked {
	struct delta delta;
	struct frame_room room;
	const struct rolled *rolled;
	struct error err;
};

static bool unpack(struct unpacked *out, const struct strbuf *body)
{
	return frame_unpack(body->data, body->size, &names, &out->room, &out->delta, &out->rolled,
			    &out->err);
}

static struct strbuf pack_three_rows(void)
{
	struct delta *delta = delta_build(FAMILY_WAITS, 1000, 1000);
	delta_build_row(delta, "ASYNC_NETWORK_IO", 1, 2, 3, 0);
	delta_build_row(delta, "LCK_M_X", 0, 0, 0, 0);
	delta_build_row(delta, "PAGELATCH_EX", INT64_MAX, 0, 127, 128);
	delta->rows[1].flags = DELTA_JITTER;
	delta->rows[2].flags = DELTA_LATE | DELTA_CLAMPED;
	const int64_t ids[] = {1, 4, 2};
	struct strbuf body = STRBUF_INIT;
	frame_pack(&body, delta, NULL, ids);
	delta_free(delta);
	return body;
}

/* S08, S19: every counter has 64 bits and comes back exactly. */
static void rows_come_back_with_the_largest_numbers(void **state)
{
	(void)state;
	CLEANUP(strbuf_done) struct strbuf body = pack_three_rows();
	struct unpacked out = {0};
	assert_true(unpack(&out, &body));
	assert_int_equal(out.delta.row_count, 3);
	assert_string_equal(out.room.rows[0].name, "ASYNC_NETWORK_IO");
	assert_string_equal(out.room.rows[1].name, "LCK_M_X");
	assert_string_equal(out.room.rows[2].name, "PAGELATCH_EX");
	assert_true(out.room.rows[2].counters[0] == INT64_MAX);
	assert_int_equal(out.room.rows[0].counters[1], 2);
	assert_int_equal(out.room.rows[2].counters[1], 0);
	assert_int_equal(out.room.rows[2].counters[3], 128);
	frame_room_done(&out.room);
}

static void flags_and_their_counts_come_back(void **state)
{
	(void)state;
	CLEANUP(strbuf_done) struct strbuf body = pack_three_rows();
	struct unpacked out = {0};
	assert_true(unpack(&out, &body));
	assert_int_equal(out.delta.flags, DELTA_JITTER | DELTA_LATE | DELTA_CLAMPED);
	assert_int_equal(out.delta.jitter_count, 1);
	assert_int_equal(out.delta.late_count, 1);
	assert_int_equal(out.delta.clamped_count, 1);
	assert_int_equal(out.delta.anomaly_count, 0);
	frame_room_done(&out.room);
}

static void roll_up_comes_back_with_its_rates(void **state)
{
	(void)state;
	struct delta *delta = delta_build(FAMILY_WAITS, 60000, 60000);
	delta_build_row(delta, "ASYNC_NETWORK_IO", 1, 2, 3, 0);
	delta_build_row(delta, "WRITELOG", 4, 5, 6, 0);
	const struct rolled rolled[] = {{51903.125, 6}, {1e30, 1}};
	const int64_t ids[] = {1, 3};
	CLEANUP(strbuf_done) struct strbuf body = STRBUF_INIT;
	frame_pack(&body, delta, rolled, ids);
	delta_free(delta);
	struct unpacked out = {0};
	assert_true(unpack(&out, &body));
	assert_string_equal(out.room.rows[1].name, "WRITELOG");
	assert_int_equal(out.room.rows[1].counters[2], 6);
	assert_true(out.rolled[0].max_rate == 51903.125);
	assert_int_equal(out.rolled[0].interval_count, 6);
	assert_true(out.rolled[1].max_rate > 8e12); /* bounded, not wrapped */
	frame_room_done(&out.room);
}

static void delta_without_rows_comes_back(void **state)
{
	(void)state;
	struct delta *delta = delta_build(FAMILY_WAITS, 1000, 1000);
	CLEANUP(strbuf_done) struct strbuf body = STRBUF_INIT;
	frame_pack(&body, delta, NULL, NULL);
	delta_free(delta);
	struct unpacked out = {0};
	assert_true(unpack(&out, &body));
	assert_int_equal(out.delta.row_count, 0);
}

static void any_damaged_byte_is_seen(void **state)
{
	(void)state;
	CLEANUP(strbuf_done) struct strbuf body = pack_three_rows();
	for (size_t i = 0; i < body.size; i++) {
		struct unpacked out = {0};
		body.data[i] = (char)(body.data[i] ^ 0x10);
		assert_false(unpack(&out, &body));
		assert_int_equal(out.err.kind, ERROR_CORRUPT);
		body.data[i] = (char)(body.data[i] ^ 0x10);
		frame_room_done(&out.room);
	}
}

static void any_cut_is_seen(void **state)
{
	(void)state;
	CLEANUP(strbuf_done) struct strbuf body = pack_three_rows();
	for (; body.size > 0; body.size--) {
		struct unpacked out = {0};
		struct strbuf cut = body;
		cut.size--;
		assert_false(unpack(&out, &cut));
		frame_room_done(&out.room);
	}
}

static void name_that_is_not_interned_is_damage(void **state)
{
	(void)state;
	struct delta *delta = delta_build(FAMILY_WAITS, 1000, 1000);
	delta_build_row(delta, "NEW", 1, 1, 1, 0);
	const int64_t ids[] = {5};
	CLEANUP(strbuf_done) struct strbuf body = STRBUF_INIT;
	frame_pack(&body, delta, NULL, ids);
	delta_free(delta);
	struct unpacked out = {0};
	assert_false(unpack(&out, &body));
	frame_room_done(&out.room);
}

static void baseline_comes_back_with_its_heartbeats(void **state)
{
	(void)state;
	CLEANUP(baseline_freep)
	struct baseline *baseline = baseline_build(FAMILY_WAITS, "WRITELOG", INT64_MAX);
	baseline->heartbeat_ms_per_s[0] = 999.25;
	baseline->heartbeat_ms_per_s[HEARTBEAT_COUNT - 1] = 0.1;
	const int64_t ids[] = {3};
	CLEANUP(strbuf_done) struct strbuf body = STRBUF_INIT;
	baseline_frame_pack(&body, baseline, ids, "boot");
	CLEANUP(baseline_freep) struct baseline *back = xcalloc(1, sizeof(*back));
	back->sample = sample_new(FAMILY_WAITS, &baseline->sample->epoch, baseline->sample->taken);
	struct error err = ERROR_INIT;
	assert_true(baseline_frame_unpack(body.data, body.size, &names, "boot", back, &err));
	assert_true(sample_seal(back->sample, &err));
	const struct sample_row *row = sample_find(back->sample, "WRITELOG");
	assert_non_null(row);
	assert_true(row->counters[WAITS_SIGNAL_MS] == INT64_MAX && row->max_ms == INT64_MAX);
	assert_true(back->heartbeat_ms_per_s[0] == 999.25);
	assert_true(back->heartbeat_ms_per_s[HEARTBEAT_COUNT - 1] == 0.1);
}

/* The monotonic clock begins anew with the machine, and may by now be past what it was. */
static void clock_of_another_boot_is_unknown(void **state)
{
	(void)state;
	CLEANUP(baseline_freep)
	struct baseline *baseline = baseline_build(FAMILY_WAITS, "WRITELOG", 5);
	const int64_t ids[] = {3};
	const char *const packed_in[] = {"boot", "boot", "boot", "", ""};
	const char *const read_in[] = {"boot", "other", "", "boot", ""};
	for (int i = 0; i < 5; i++) {
		CLEANUP(strbuf_done) struct strbuf body = STRBUF_INIT;
		baseline_frame_pack(&body, baseline, ids, packed_in[i]);
		CLEANUP(baseline_freep) struct baseline *back = xcalloc(1, sizeof(*back));
		back->sample =
			sample_new(FAMILY_WAITS, &baseline->sample->epoch, baseline->sample->taken);
		struct error err = ERROR_INIT;
		assert_true(baseline_frame_unpack(body.data, body.size, &names, read_in[i], back,
						  &err));
		assert_true(back->sample->taken.mono_ms ==
			    (i == 0 ? baseline->sample->taken.mono_ms : CLOCK_MONO_UNKNOWN));
	}
}

/* A name whose value was not known is no new name after a restart of latchd. */
static void rejected_names_come_back(void **state)
{
	(void)state;
	CLEANUP(baseline_freep)
	struct baseline *baseline = baseline_build(FAMILY_WAITS, "WRITELOG", 5);
	sample_take_rejected(baseline->sample, by_id[2]);
	const int64_t ids[] = {3, 2};
	CLEANUP(strbuf_done) struct strbuf body = STRBUF_INIT;
	baseline_frame_pack(&body, baseline, ids, "boot");
	CLEANUP(baseline_freep) struct baseline *back = xcalloc(1, sizeof(*back));
	back->sample = sample_new(FAMILY_WAITS, &baseline->sample->epoch, baseline->sample->taken);
	struct error err = ERROR_INIT;
	assert_true(baseline_frame_unpack(body.data, body.size, &names, "boot", back, &err));
	assert_true(sample_seal(back->sample, &err));
	assert_true(sample_has_rejected(back->sample, by_id[2]));
	assert_false(sample_has_rejected(back->sample, "WRITELOG"));
}

static void damaged_baseline_is_seen(void **state)
{
	(void)state;
	CLEANUP(baseline_freep)
	struct baseline *baseline = baseline_build(FAMILY_WAITS, "WRITELOG", 5);
	const int64_t ids[] = {3};
	CLEANUP(strbuf_done) struct strbuf body = STRBUF_INIT;
	baseline_frame_pack(&body, baseline, ids, "boot");
	for (size_t i = 0; i < body.size; i++) {
		CLEANUP(baseline_freep) struct baseline *back = xcalloc(1, sizeof(*back));
		back->sample =
			sample_new(FAMILY_WAITS, &baseline->sample->epoch, baseline->sample->taken);
		struct error err = ERROR_INIT;
		body.data[i] = (char)(body.data[i] ^ 1);
		assert_false(
			baseline_frame_unpack(body.data, body.size, &names, "boot", back, &err));
		body.data[i] = (char)(body.data[i] ^ 1);
	}
}

static void tasks_come_back(void **state)
{
	(void)state;
	struct task_sample *sample = tasks_build(1000, 3);
	const struct task_name_ids ids[] = {{.wait_type = 2}, {.wait_type = 2}, {.wait_type = 0}};
	CLEANUP(strbuf_done) struct strbuf body = STRBUF_INIT;
	task_frame_pack(&body, sample, ids);
	struct task_sample back = {0};
	struct error err = ERROR_INIT;
	assert_true(task_frame_unpack(body.data, body.size, &names, &back, &err));
	assert_int_equal(back.task_count, 3);
	assert_string_equal(back.tasks[1].wait_type, "PAGELATCH_EX");
	assert_string_equal(back.tasks[2].wait_type, "");
	assert_int_equal(back.tasks[0].scheduler_id, -1);
	assert_true(back.tasks[0].query_hash == 0xfedcba9876543210);
	assert_true(back.tasks[0].is_insert);
	assert_int_equal(back.tasks[0].resource.page_id, 4016);
	assert_int_equal(back.tasks[0].resource.hobt_id, -1);
	free(back.tasks);
	task_sample_free(sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_come_back_with_the_largest_numbers),
		cmocka_unit_test(flags_and_their_counts_come_back),
		cmocka_unit_test(roll_up_comes_back_with_its_rates),
		cmocka_unit_test(delta_without_rows_comes_back),
		cmocka_unit_test(any_damaged_byte_is_seen),
		cmocka_unit_test(any_cut_is_seen),
		cmocka_unit_test(name_that_is_not_interned_is_damage),
		cmocka_unit_test(baseline_comes_back_with_its_heartbeats),
		cmocka_unit_test(clock_of_another_boot_is_unknown),
		cmocka_unit_test(rejected_names_come_back),
		cmocka_unit_test(damaged_baseline_is_seen),
		cmocka_unit_test(tasks_come_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
