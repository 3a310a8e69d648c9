/* SPDX-License-Identifier: Apache-2.0 */
/* Runs every case of tests/data/delta, and what takes more than two samples to show. */
#include "collectors/delta.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/alloc.h"
#include "tests/collectors/delta_case.h"
#include "tests/support.h"

static int fault_count;

#define EXPECT_NUMBER(what, got, want)                                                             \
	do {                                                                                       \
		int64_t got_ = (got);                                                              \
		int64_t want_ = (want);                                                            \
		if (got_ != want_) {                                                               \
			print_error("%s: got %" PRId64 ", want %" PRId64 "\n", what, got_, want_); \
			fault_count++;                                                             \
		}                                                                                  \
	} while (0)

static void expect_text(const char *what, const char *got, const char *want)
{
	if (strcmp(got, want) == 0)
		return;
	print_error("%s: got '%s', want '%s'\n", what, got, want);
	fault_count++;
}

static const char *flags_text(unsigned flags, char text[40])
{
	snprintf(text, 40, "%s%s%s%s", flags & DELTA_JITTER ? "jitter," : "",
		 flags & DELTA_ANOMALY ? "anomaly," : "", flags & DELTA_LATE ? "late," : "",
		 flags & DELTA_CLAMPED ? "clamped," : "");
	if (!text[0])
		return "-";
	text[strlen(text) - 1] = '\0';
	return text;
}

static void check_verdict(const struct delta *delta, const struct case_file *expected)
{
	expect_text("quality", quality_name(delta->quality), case_text(expected, "quality", NULL));
	expect_text("has_rate", delta->has_rate ? "true" : "false",
		    case_text(expected, "has_rate", NULL));
	EXPECT_NUMBER("interval_ms", delta->interval_ms,
		      cell_number(case_text(expected, "interval_ms", NULL)));
	EXPECT_NUMBER("elapsed_ms", delta->elapsed_ms,
		      cell_number(case_text(expected, "elapsed_ms", NULL)));
	EXPECT_NUMBER("jitter", delta->jitter_count, case_number(expected, "jitter", 0));
	EXPECT_NUMBER("anomaly", delta->anomaly_count, case_number(expected, "anomaly", 0));
	EXPECT_NUMBER("late", delta->late_count, case_number(expected, "late", 0));
	EXPECT_NUMBER("clamped", delta->clamped_count, case_number(expected, "clamped", 0));
}

static void check_rows(const struct delta *delta, const struct case_file *expected)
{
	const struct family_shape *shape = family_shape(delta->family);
	EXPECT_NUMBER("rows", (int64_t)delta->row_count, expected->row_count);
	for (int row = 0; row < expected->row_count && row < (int)delta->row_count; row++) {
		const char *const *cells = expected->cells[row];
		expect_text("name", delta->rows[row].name, cells[0]);
		for (int i = 0; i < shape->counter_count; i++)
			EXPECT_NUMBER(cells[0], delta->rows[row].counters[i],
				      cell_number(cells[1 + i]));
		char text[40];
		expect_text(cells[0], flags_text(delta->rows[row].flags, text),
			    cells[1 + shape->counter_count]);
	}
}

static void check_next(const struct baseline *next, const struct case_file *expected)
{
	const struct family_shape *shape = family_shape(next->sample->family);
	for (int row = 0; row < expected->row_count; row++) {
		const char *const *cells = expected->cells[row];
		const struct sample_row *got = sample_find(next->sample, cells[0]);
		bool is_wanted = strcmp(cells[1], "-") != 0;
		EXPECT_NUMBER(cells[0], got != NULL, is_wanted);
		if (!got || !is_wanted)
			continue;
		for (int i = 0; i < shape->counter_count; i++)
			EXPECT_NUMBER(cells[0], got->counters[i], cell_number(cells[1 + i]));
		if (shape->has_max)
			EXPECT_NUMBER(cells[0], got->max_ms,
				      cell_number(cells[1 + shape->counter_count]));
	}
}

static void check_case(const char *folder)
{
	struct delta_case one;
	delta_case_read(&one, folder);
	CLEANUP(baseline_freep) struct baseline *next = NULL;
	CLEANUP(delta_freep)
	struct delta *delta = delta_between(one.before, one.after, &one.options, &next);
	int faults_before = fault_count;
	check_verdict(delta, &one.expected);
	check_rows(delta, &one.expected);
	EXPECT_NUMBER("end_utc_ms", delta->end_utc_ms, one.after->taken.utc_ms);
	if (one.has_next)
		check_next(next, &one.next);
	if (fault_count > faults_before)
		print_error("in %s\n", folder);
	delta_case_done(&one);
}

static void every_case_of_the_data_holds(void **state)
{
	(void)state;
	char root[512];
	snprintf(root, sizeof(root), "%s/delta", getenv("TEST_DATA"));
	DIR *dir = opendir(root);
	assert_non_null(dir);
	int case_count = 0;
	for (const struct dirent *entry; (entry = readdir(dir));) {
		if (entry->d_name[0] == '.' || strchr(entry->d_name, '.'))
			continue;
		char folder[1024];
		snprintf(folder, sizeof(folder), "%s/%s", root, entry->d_name);
		check_case(folder);
		case_count++;
	}
	assert_int_equal(closedir(dir), 0);
	print_message("%d cases\n", case_count);
	assert_true(case_count >= 50);
	assert_int_equal(fault_count, 0);
}

static struct sample *one_row(const char *server, int64_t ms_ticks, const char *name,
			      int64_t wait_ms)
{
	struct epoch epoch = {.process_id = 1, .start_ticks = 0, .ms_ticks = ms_ticks};
	snprintf(epoch.server_name, sizeof(epoch.server_name), "%s", server);
	struct instant taken = {.mono_ms = ms_ticks, .utc_ms = 1700000000000 + ms_ticks};
	struct sample *sample = sample_new(FAMILY_WAITS, &epoch, taken);
	sample_add_row(sample, name, strlen(name), (int64_t[]){100, wait_ms, 0, 0}, 10);
	struct error err = ERROR_INIT;
	assert_true(sample_seal(sample, &err));
	return sample;
}

/* Polls one row once more and moves the baseline on; returns the wait time of the delta. */
static int64_t step(struct baseline **baseline, int64_t ms_ticks, int64_t wait_ms,
		    int64_t *interval_ms)
{
	CLEANUP(sample_freep)
	struct sample *sample = one_row("SQL01", ms_ticks, "WRITELOG", wait_ms);
	struct delta_options options = {.configured_ms = 300000};
	struct baseline *next;
	CLEANUP(delta_freep)
	struct delta *delta = delta_between(*baseline, sample, &options, &next);
	baseline_free(*baseline);
	*baseline = next;
	*interval_ms = delta->interval_ms;
	return delta->row_count > 0 ? delta->rows[0].counters[WAITS_TIME_MS] : 0;
}

/* B020: polls at 0, 310 and 615 s. */
static void uneven_polls_keep_their_intervals(void **state)
{
	(void)state;
	CLEANUP(baseline_freep) struct baseline *baseline = NULL;
	int64_t interval_ms;
	assert_int_equal(step(&baseline, 0, 5000, &interval_ms), 0);
	assert_int_equal(step(&baseline, 310000, 6000, &interval_ms), 1000);
	assert_int_equal(interval_ms, 310000);
	assert_int_equal(step(&baseline, 615000, 7000, &interval_ms), 1000);
	assert_int_equal(interval_ms, 305000);
}

/* What a dip hides is not lost and not counted twice: 1000, 995, 1003 is 3 in all. */
static void jitter_costs_nothing_once_the_counter_is_past_it(void **state)
{
	(void)state;
	CLEANUP(baseline_freep) struct baseline *baseline = NULL;
	int64_t interval_ms;
	step(&baseline, 0, 1000, &interval_ms);
	assert_int_equal(step(&baseline, 10000, 995, &interval_ms), 0);
	assert_int_equal(interval_ms, 10000);
	assert_int_equal(step(&baseline, 20000, 1003, &interval_ms), 3);
	assert_int_equal(interval_ms, 10000);
}

static void poll_within_one_tick_is_made_up_by_the_next(void **state)
{
	(void)state;
	CLEANUP(baseline_freep) struct baseline *baseline = NULL;
	int64_t interval_ms;
	step(&baseline, 0, 1000, &interval_ms);
	assert_int_equal(step(&baseline, 0, 1004, &interval_ms), 0);
	assert_int_equal(step(&baseline, 10000, 1010, &interval_ms), 10);
	assert_int_equal(interval_ms, 10000);
}

/* A sample of a name that always comes, and WRITELOG: absent for 0, NULL for -1. */
static struct sample *with_writelog(int64_t ms_ticks, int64_t wait_ms)
{
	struct epoch epoch = {.server_name = "SQL01", .start_ticks = 0, .ms_ticks = ms_ticks};
	struct sample *sample = sample_new(FAMILY_WAITS, &epoch, (struct instant){0});
	sample_add_row(sample, "LCK_M_X", 7, (int64_t[]){1, 5, 0, 0}, 5);
	if (wait_ms != 0)
		sample_add_row(sample, "WRITELOG", 8, (int64_t[]){1, wait_ms, 0, 0}, 5);
	struct error err = ERROR_INIT;
	assert_true(sample_seal(sample, &err));
	return sample;
}

/* A name that did not come was zero; a NULL after it does not make that unknown. */
static void null_of_an_absent_name_leaves_its_zero(void **state)
{
	(void)state;
	const int64_t waits[] = {0, -1, 700};
	CLEANUP(baseline_freep) struct baseline *baseline = NULL;
	int64_t sum = 0;
	for (int i = 0; i < 3; i++) {
		CLEANUP(sample_freep)
		struct sample *sample = with_writelog(INT64_C(10000) * (i + 1), waits[i]);
		struct delta_options options = {.configured_ms = 10000};
		struct baseline *next;
		CLEANUP(delta_freep)
		struct delta *delta = delta_between(baseline, sample, &options, &next);
		baseline_free(baseline);
		baseline = next;
		for (size_t row = 0; row < delta->row_count; row++)
			sum += delta->rows[row].counters[WAITS_TIME_MS];
	}
	assert_int_equal(sum, 700);
}

/* B012: two servers at the same instants, each against its own baseline. */
static void servers_do_not_mix(void **state)
{
	(void)state;
	const char *const servers[] = {"A", "B"};
	for (int i = 0; i < 2; i++) {
		int64_t start = 1000 + 2000 * i;
		struct baseline first = {.sample = one_row(servers[i], 0, "WRITELOG", start)};
		CLEANUP(sample_freep)
		struct sample *second = one_row(servers[i], 300000, "WRITELOG", start + 1000);
		struct delta_options options = {.configured_ms = 300000};
		CLEANUP(baseline_freep) struct baseline *next = NULL;
		CLEANUP(delta_freep)
		struct delta *delta = delta_between(&first, second, &options, &next);
		assert_int_equal(delta->row_count, 1);
		assert_int_equal(delta->rows[0].counters[WAITS_TIME_MS], 1000);
		assert_int_equal(delta->interval_ms, 300000);
		sample_free(first.sample);
	}
}

static void delta_outlives_its_samples(void **state)
{
	(void)state;
	struct baseline *before = xcalloc(1, sizeof(*before));
	before->sample = one_row("SQL01", 0, "WRITELOG", 10);
	struct sample *after = one_row("SQL01", 10000, "WRITELOG", 30);
	struct delta_options options = {.configured_ms = 10000};
	CLEANUP(baseline_freep) struct baseline *next = NULL;
	CLEANUP(delta_freep) struct delta *delta = delta_between(before, after, &options, &next);
	baseline_free(before);
	sample_free(after);
	assert_string_equal(delta->rows[0].name, "WRITELOG");
	assert_string_equal(next->sample->rows[0].name, "WRITELOG");
}

static void quality_names_lead_back(void **state)
{
	(void)state;
	for (int i = QUALITY_BASELINE; i <= QUALITY_AFTER_CLEAR; i++) {
		enum quality quality = QUALITY_BASELINE;
		assert_true(quality_from_name(quality_name((enum quality)i), &quality));
		assert_int_equal(quality, i);
	}
	enum quality quality;
	assert_false(quality_from_name("good", &quality));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_case_of_the_data_holds),
		cmocka_unit_test(uneven_polls_keep_their_intervals),
		cmocka_unit_test(jitter_costs_nothing_once_the_counter_is_past_it),
		cmocka_unit_test(poll_within_one_tick_is_made_up_by_the_next),
		cmocka_unit_test(null_of_an_absent_name_leaves_its_zero),
		cmocka_unit_test(servers_do_not_mix),
		cmocka_unit_test(delta_outlives_its_samples),
		cmocka_unit_test(quality_names_lead_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
