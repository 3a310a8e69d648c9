/* SPDX-License-Identifier: Apache-2.0 */
/* Runs every case of tests/data/hot_page, and what no table can say. */
#include "analysis/hot_page.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/analysis/hot_page_case.h"
#include "tests/support.h"

enum { TOLD_MAX = 16, LETTERS = 26, CALL_MAX = 8 };

static const struct hot_page_options options = {
	.window_ms = 10000,
	.min_waiters = 3,
	.hits = 5,
	.end_after_ms = 60000,
};

/* What a store would hold. */
struct run {
	const char *name;
	struct hot_page *detector;
	struct hotspot told[TOLD_MAX]; /* by id - 1 */
	int64_t id_count;
	int64_t letter_ids[LETTERS];
	int fault_count;
};

PRINTF(2, 3) static void fault(struct run *run, const char *fmt, ...)
{
	char text[512];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	print_error("%s: %s\n", run->name, text);
	run->fault_count++;
}

static void store(struct run *run, const struct hotspot *hotspot)
{
	struct hotspot stored = *hotspot;
	if (stored.id == 0) {
		assert_true(run->id_count < TOLD_MAX);
		stored.id = ++run->id_count;
		hot_page_set_id(run->detector, &stored);
	}
	run->told[stored.id - 1] = stored;
}

static void judge(struct run *run, int64_t now_utc_ms)
{
	struct hotspot changed[CALL_MAX];
	size_t count = hot_page_judge(run->detector, now_utc_ms, changed, CALL_MAX);
	assert_true(count <= CALL_MAX);
	for (size_t i = 0; i < count; i++)
		store(run, &changed[i]);
}

static void restart(struct run *run)
{
	hot_page_free(run->detector);
	run->detector = hot_page_new(1, &options);
	for (int64_t i = 0; i < run->id_count; i++)
		hot_page_restore(run->detector, &run->told[i]);
}

static void turn(struct run *run, const struct hot_page_case *read, int second)
{
	const int64_t now_utc_ms = hot_page_case_utc_ms(second);
	if (hot_page_case_has(read, second, "(restart)"))
		restart(run);
	if (hot_page_case_has(read, second, "(gap)"))
		hot_page_gap(run->detector, now_utc_ms - 1000, now_utc_ms);
	for (size_t row = 0; row < read->owners.row_count; row++) {
		struct page_owner owner;
		if (hot_page_case_owner(read, row, second, &owner))
			hot_page_learn(run->detector, &owner);
	}
	CLEANUP(task_sample_freep)
	struct task_sample *sample = hot_page_case_sample(read, second);
	if (sample)
		hot_page_add(run->detector, sample);
	judge(run, now_utc_ms + 200);
}

static void place_of(const struct hotspot *hotspot, char place[600])
{
	if (hotspot->kind >= HOTSPOT_ALLOCATION_PFS) {
		snprintf(place, 600, "%s", hotspot->database);
		if (!hotspot->database[0])
			snprintf(place, 600, "%d", hotspot->database_id);
	} else if (hotspot->object_id == 0) {
		snprintf(place, 600, "%d:%d", hotspot->database_id, hotspot->file_id);
	} else {
		snprintf(place, 600, "%s%s%s", hotspot->object, hotspot->index[0] ? "." : "",
			 hotspot->index);
	}
}

static const struct hotspot *find_active(const struct run *run, const char *kind, const char *place)
{
	for (int64_t i = 0; i < run->id_count; i++) {
		char own_place[600];
		place_of(&run->told[i], own_place);
		if (run->told[i].is_active &&
		    strcmp(hotspot_kind_name(run->told[i].kind), kind) == 0 &&
		    strcmp(own_place, place) == 0)
			return &run->told[i];
	}
	return NULL;
}

static void expect_number(struct run *run, char *const *cells, const char *what, double got,
			  const char *want)
{
	if (strcmp(want, "*") != 0 && fabs(got - strtod(want, NULL)) > 0.001)
		fault(run, "second %s, %s: %s is %.3f, want %s", cells[0], cells[1], what, got,
		      want);
}

static void expect_row(struct run *run, char *const *cells)
{
	const struct hotspot *hotspot = find_active(run, cells[3], cells[5]);
	if (!hotspot) {
		fault(run, "second %s: no active %s in %s", cells[0], cells[3], cells[5]);
		return;
	}
	int64_t *id = &run->letter_ids[cells[1][0] - 'A'];
	if (*id == 0)
		*id = hotspot->id;
	if (*id != hotspot->id)
		fault(run, "second %s: %s has id %" PRId64 " and had %" PRId64, cells[0], cells[1],
		      hotspot->id, *id);
	if (hotspot->is_confirmed != (strcmp(cells[4], "confirmed") == 0))
		fault(run, "second %s: %s is not %s", cells[0], cells[1], cells[4]);
	expect_number(run, cells, "waiters", hotspot->waiters_avg, cells[6]);
	expect_number(run, cells, "flow", hotspot->flow_waiters_avg, cells[7]);
	expect_number(run, cells, "ms_per_sec", hotspot->ms_per_sec, cells[8]);
	expect_number(run, cells, "inserters", hotspot->inserters, cells[9]);
	expect_number(run, cells, "pages", (double)hotspot->pages_seen, cells[10]);
}

static void expect_second(struct run *run, const struct hot_page_case *read, int second)
{
	size_t row_count = 0, active_count = 0, expected_count = 0;
	for (size_t row = 0; row < read->expected.row_count; row++) {
		char *const *cells = read->expected.cells[row];
		if (strtol(cells[0], NULL, 10) != second)
			continue;
		row_count++;
		if (cells[1][0] == '-')
			continue;
		expected_count++;
		expect_row(run, cells);
	}
	for (int64_t i = 0; i < run->id_count; i++)
		active_count += run->told[i].is_active;
	if (row_count > 0 && active_count != expected_count)
		fault(run, "second %d: %zu active, want %zu", second, active_count, expected_count);
}

static int last_second(const struct hot_page_case *read)
{
	long last = 0;
	for (size_t row = 0; row < read->expected.row_count; row++) {
		const long second = strtol(read->expected.cells[row][0], NULL, 10);
		last = second > last ? second : last;
	}
	assert_true(last > 0 && last < CASE_SECONDS_MAX);
	return (int)last;
}

static int run_case(const char *folder, const char *name)
{
	char path[1024];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	struct hot_page_case read = hot_page_case_read(path);
	struct run *run = calloc(1, sizeof(*run));
	assert_non_null(run);
	run->name = name;
	run->detector = hot_page_new(1, &options);
	for (int second = 1; second <= last_second(&read); second++) {
		turn(run, &read, second);
		expect_second(run, &read, second);
	}
	const int fault_count = run->fault_count;
	hot_page_free(run->detector);
	free(run);
	hot_page_case_done(&read);
	return fault_count;
}

static void every_case_is_judged_by_the_rules(void **state)
{
	(void)state;
	char folder[900];
	assert_non_null(getenv("TEST_DATA"));
	snprintf(folder, sizeof(folder), "%s/hot_page", getenv("TEST_DATA"));
	DIR *directory = opendir(folder);
	assert_non_null(directory);
	int case_count = 0, fault_count = 0;
	for (const struct dirent *entry; (entry = readdir(directory));) {
		if (entry->d_name[0] == '.' || strcmp(entry->d_name, "README.md") == 0)
			continue;
		fault_count += run_case(folder, entry->d_name);
		case_count++;
	}
	assert_int_equal(closedir(directory), 0);
	assert_true(case_count >= 30);
	assert_int_equal(fault_count, 0);
}

static void add_inserters(struct hot_page *detector, int64_t taken_utc_ms, int64_t page_id,
			  int32_t count)
{
	CLEANUP(task_sample_freep)
	struct task_sample *sample = task_sample_new((struct instant){.utc_ms = taken_utc_ms}, 32);
	for (int32_t i = 0; i < count; i++) {
		struct task task = {
			.address = 1000 + (uint64_t)i,
			.session_id = 51 + i,
			.database_id = 5,
			.query_hash = i < count / 4 ? 0xb2 : 0xa1,
			.is_insert = true,
			.wait_type = "PAGELATCH_EX",
			.resource = {.kind = RESOURCE_PAGE, .database_id = 5, .file_id = 1},
		};
		task.resource.page_id = page_id;
		task_sample_add_waiting(sample, &task);
	}
	hot_page_add(detector, sample);
}

static const struct hotspot_evidence *find_evidence(const struct hotspot *hotspot, const char *kind)
{
	for (int i = 0; i < hotspot->evidence_count; i++)
		if (strcmp(hotspot->evidence[i].kind, kind) == 0)
			return &hotspot->evidence[i];
	static const struct hotspot_evidence none = {.kind = ""};
	fail_msg("no evidence of '%s'", kind);
	return &none;
}

static void hotspot_names_its_statements_and_its_evidence(void **state)
{
	(void)state;
	CLEANUP(hot_page_freep) struct hot_page *detector = hot_page_new(1, &options);
	for (int second = 1; second <= 6; second++)
		add_inserters(detector, (int64_t)second * 1000, 4000 + second, 40);
	struct hotspot hotspot;
	assert_int_equal(hot_page_judge(detector, 6100, &hotspot, 1), 1);
	assert_int_equal(hotspot.statement_count, 2);
	assert_int_equal(hotspot.statements[0].query_hash, 0xa1);
	assert_true(hotspot.statements[0].share == 0.75);
	assert_true(hotspot.statements[1].share == 0.25);
	assert_string_equal(hotspot.wait_type, "PAGELATCH_EX");
	assert_int_equal(hotspot.scheduler_count, 32);
	assert_int_equal(hotspot.page_id, 4006);
	assert_int_equal(hotspot.first_seen_utc_ms, 1000);
	assert_int_equal(hotspot.last_seen_utc_ms, 6000);
	assert_true(find_evidence(&hotspot, "ex_share")->value == 1);
	assert_true(find_evidence(&hotspot, "insert_share")->value == 1);
	assert_true(find_evidence(&hotspot, "distinct_pages")->value == 6);
	assert_string_equal(find_evidence(&hotspot, "waiters")->text,
			    "40.0 tasks wait for a page latch here at any moment, at most 40");
}

static void nothing_new_is_told_without_a_new_sample(void **state)
{
	(void)state;
	CLEANUP(hot_page_freep) struct hot_page *detector = hot_page_new(1, &options);
	for (int second = 1; second <= 6; second++)
		add_inserters(detector, (int64_t)second * 1000, 4000 + second, 8);
	struct hotspot hotspot;
	assert_int_equal(hot_page_judge(detector, 6100, &hotspot, 1), 1);
	assert_int_equal(hot_page_judge(detector, 6500, &hotspot, 1), 0);
	assert_int_equal(hot_page_judge(detector, 65900, &hotspot, 1), 0);
	assert_int_equal(hot_page_judge(detector, 66000, &hotspot, 1), 1);
	assert_false(hotspot.is_active);
	assert_true(hotspot.waiters_avg == 8); /* as it was while it was hot */
}

static void what_does_not_fit_comes_with_the_next_call(void **state)
{
	(void)state;
	CLEANUP(hot_page_freep) struct hot_page *detector = hot_page_new(1, &options);
	for (int second = 1; second <= 6; second++)
		add_inserters(detector, (int64_t)second * 1000, 4000 + second, 8);
	struct hotspot hotspot;
	assert_int_equal(hot_page_judge(detector, 6100, NULL, 0), 1);
	assert_int_equal(hot_page_judge(detector, 6200, &hotspot, 1), 1);
	assert_int_equal(hot_page_judge(detector, 6300, &hotspot, 1), 0);
}

/* B078: here for a right; for the version in the scenario old_version_hotspot. */
static void an_unnamed_hotspot_says_why(void **state)
{
	(void)state;
	CLEANUP(hot_page_freep) struct hot_page *detector = hot_page_new(1, &options);
	hot_page_learn(detector, &(struct page_owner){.state = PAGE_OWNER_NO_RIGHT});
	for (int second = 1; second <= 6; second++)
		add_inserters(detector, (int64_t)second * 1000, 4000 + second, 8);
	struct hotspot hotspot;
	assert_int_equal(hot_page_judge(detector, 6100, &hotspot, 1), 1);
	assert_string_equal(find_evidence(&hotspot, "owner")->text,
			    "not named: the login may not read page information");
}

static void a_hotspot_without_the_right_names_the_grant(void **state)
{
	(void)state;
	CLEANUP(hot_page_freep) struct hot_page *detector = hot_page_new(1, &options);
	hot_page_learn(detector, &(struct page_owner){.state = PAGE_OWNER_NO_RIGHT,
						      .error = "GRANT VIEW ANY DEFINITION"});
	for (int second = 1; second <= 6; second++)
		add_inserters(detector, (int64_t)second * 1000, 4000 + second, 8);
	struct hotspot hotspot;
	assert_int_equal(hot_page_judge(detector, 6100, &hotspot, 1), 1);
	assert_string_equal(find_evidence(&hotspot, "owner")->text,
			    "not named: GRANT VIEW ANY DEFINITION");
}

static void a_clock_set_back_starts_the_window_again(void **state)
{
	(void)state;
	CLEANUP(hot_page_freep) struct hot_page *detector = hot_page_new(1, &options);
	struct hotspot hotspot;
	add_inserters(detector, 9000000, 4000, 8);
	for (int second = 1; second <= 4; second++)
		add_inserters(detector, (int64_t)second * 1000, 4000 + second, 8);
	assert_int_equal(hot_page_judge(detector, 4100, &hotspot, 1), 0);
	add_inserters(detector, 5000, 4005, 8);
	assert_int_equal(hot_page_judge(detector, 5100, &hotspot, 1), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_case_is_judged_by_the_rules),
		cmocka_unit_test(hotspot_names_its_statements_and_its_evidence),
		cmocka_unit_test(nothing_new_is_told_without_a_new_sample),
		cmocka_unit_test(what_does_not_fit_comes_with_the_next_call),
		cmocka_unit_test(an_unnamed_hotspot_says_why),
		cmocka_unit_test(a_hotspot_without_the_right_names_the_grant),
		cmocka_unit_test(a_clock_set_back_starts_the_window_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
