/* SPDX-License-Identifier: Apache-2.0 */
/* What an answer must hold to be believed. The session is a fake that hands out what a test says.
 */
#include <string.h>

#include "collectors/collect.h"
#include "tests/support.h"

enum { RESULTS_MAX = 8, ROWS_MAX = 4, CELLS_MAX = 5 };

struct fake_result {
	size_t cell_count;
	size_t row_count;
	struct session_cell rows[ROWS_MAX][CELLS_MAX];
};

static struct fake_result results[RESULTS_MAX];
static size_t result_count;

bool session_run(struct session *session, const char *sql, session_row_fn *row, void *context,
		 int *count, struct error *err)
{
	(void)session, (void)sql;
	for (size_t i = 0; i < result_count; i++)
		for (size_t j = 0; j < results[i].row_count; j++)
			if (!row(context, (int)i, results[i].rows[j], results[i].cell_count, err))
				return false;
	*count = (int)result_count;
	return true;
}

bool session_is_complete(const struct session *session)
{
	(void)session;
	return true;
}

int session_error_count(const struct session *session)
{
	(void)session;
	return 0;
}

const struct error *session_error_at(const struct session *session, int i, int *result)
{
	(void)session, (void)i, (void)result;
	return NULL;
}

static struct session_cell text(const char *words)
{
	return (struct session_cell){.text = words, .size = strlen(words)};
}

static struct session_cell number(int64_t integer)
{
	return (struct session_cell){.integer = integer};
}

static struct fake_result *add_result(size_t cell_count, size_t row_count)
{
	struct fake_result *result = &results[result_count++];
	*result = (struct fake_result){.cell_count = cell_count, .row_count = row_count};
	return result;
}

static void add_epoch(int64_t rows_told)
{
	struct fake_result *marker = add_result(2, 1);
	marker->rows[0][0] = text("epoch");
	marker->rows[0][1] = number(rows_told);
	struct fake_result *epoch = add_result(5, 1);
	epoch->rows[0][0] = text("SQL01");
	epoch->rows[0][1] = text("NODE1");
	epoch->rows[0][2] = number(4321);
	epoch->rows[0][3] = number(1000);
	epoch->rows[0][4] = number(90000000);
}

/* An answer with so many latches, of which the server says that there were rows_told. */
static bool collect_latches(size_t row_count, int64_t rows_told, struct collected *collected)
{
	static const char *const names[ROWS_MAX] = {"BUFFER", "LOG_MANAGER", "FGCB_ADD_REMOVE",
						    "TRACE_CONTROLLER"};
	static const struct server server;
	result_count = 0;
	add_epoch(0);
	add_result(1, 1)->rows[0][0] = text("latches");
	struct fake_result *latches = add_result(4, row_count);
	for (size_t i = 0; i < row_count; i++) {
		latches->rows[i][0] = text(names[i]);
		for (int j = 1; j < 4; j++)
			latches->rows[i][j] = number(0);
	}
	add_epoch(rows_told);
	struct error err = ERROR_INIT;
	return session_collect((struct session *)results, &server, 1U << COLLECTOR_LATCHES,
			       collected, &err);
}

static void an_answer_with_all_its_rows_is_a_sample(void **state)
{
	(void)state;
	CLEANUP(collected_done) struct collected collected = {0};
	assert_true(collect_latches(3, 3, &collected));
	assert_true(collected.views[COLLECTOR_LATCHES].is_ok);
	assert_int_equal(collected.samples[FAMILY_LATCHES]->row_count, 3);
}

/* B049: what is lost on the way would pass for zero, and a fall to zero for a clear. */
static void a_row_lost_on_the_way_fails_its_view(void **state)
{
	(void)state;
	CLEANUP(collected_done) struct collected collected = {0};
	assert_true(collect_latches(2, 3, &collected));
	const struct collected_view *view = &collected.views[COLLECTOR_LATCHES];
	assert_false(view->is_ok);
	assert_int_equal(view->error.kind, ERROR_PROTOCOL);
	assert_string_equal(view->error.text, "view 'latches' has 3 rows, of which 2 arrived");
	assert_null(collected.samples[FAMILY_LATCHES]);
}

/* B049: the server itself says that there was none. */
static void a_view_without_rows_fails(void **state)
{
	(void)state;
	CLEANUP(collected_done) struct collected collected = {0};
	assert_true(collect_latches(0, 0, &collected));
	assert_false(collected.views[COLLECTOR_LATCHES].is_ok);
	assert_null(collected.samples[FAMILY_LATCHES]);
}

/* S27: one name that always comes is a view, and all the others are zero. */
static void one_row_of_zeros_is_a_sample(void **state)
{
	(void)state;
	CLEANUP(collected_done) struct collected collected = {0};
	assert_true(collect_latches(1, 1, &collected));
	assert_true(collected.views[COLLECTOR_LATCHES].is_ok);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_answer_with_all_its_rows_is_a_sample),
		cmocka_unit_test(a_row_lost_on_the_way_fails_its_view),
		cmocka_unit_test(a_view_without_rows_fails),
		cmocka_unit_test(one_row_of_zeros_is_a_sample),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
