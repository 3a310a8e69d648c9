/* SPDX-License-Identifier: Apache-2.0 */
/* Hotspots: shape, and what is unknown is null. */
#include "storage/batch.h"
#include "tests/support.h"
#include "tests/web/web_fixture.h"

#define HOTSPOTS "/api/v1/targets/prod-01/hotspots"

static struct hotspot named_hotspot(const struct web_fixture *fixture)
{
	return (struct hotspot){
		.target_id = fixture->target.id,
		.kind = HOTSPOT_LAST_PAGE_INSERT,
		.is_active = true,
		.is_confirmed = true,
		.first_seen_utc_ms = fixture_now_utc_ms - 60000,
		.last_seen_utc_ms = fixture_now_utc_ms,
		.database_id = 5,
		.object_id = 581577110,
		.index_id = 1,
		.database = "tpcc",
		.object = "dbo.history",
		.index = "pk_history",
		.file_id = 1,
		.page_id = 4016,
		.page_class = PAGE_ORDINARY,
		.pages_seen = 12,
		.wait_type = "PAGELATCH_EX",
		.waiters_avg = 51.9,
		.waiters_max = 63,
		.flow_waiters_avg = 0.5,
		.flow_waiters_max = 2,
		.ms_per_sec = 51900,
		.scheduler_count = 16,
		.inserters = 64,
		.optimize_for_sequential_key = 0,
		.leading_column = "id",
		.statements = {{.query_hash = UINT64_C(0xABCDEF0123456789), .share = 0.97}},
		.statement_count = 1,
		.evidence = {{"distinct_pages", "12 pages of the index in 10 s", 12}},
		.evidence_count = 1,
		.finding = {"last_page", "the last page is hot", "half", "ALTER INDEX ..."},
	};
}

static struct hotspot unnamed_hotspot(const struct web_fixture *fixture)
{
	return (struct hotspot){
		.target_id = fixture->target.id,
		.kind = HOTSPOT_ALLOCATION_PFS,
		.first_seen_utc_ms = fixture_now_utc_ms - 7200000,
		.last_seen_utc_ms = fixture_now_utc_ms - 5400000,
		.database_id = 2,
		.file_id = 1,
		.page_id = 1,
		.page_class = PAGE_PFS,
		.pages_seen = 1,
		.wait_type = "PAGELATCH_UP",
		.inserters = -1,
		.optimize_for_sequential_key = -1,
	};
}

static int start(void **state)
{
	static struct web_fixture fixture;
	fixture_start(&fixture);
	struct batch *const batch = batch_new(fixture.target.id);
	const struct hotspot named = named_hotspot(&fixture);
	const struct hotspot unnamed = unnamed_hotspot(&fixture);
	batch_add_hotspot(batch, &named);
	batch_add_hotspot(batch, &unnamed);
	fixture_commit(&fixture, batch);
	*state = &fixture;
	return 0;
}

static int stop(void **state)
{
	fixture_stop(*state);
	return 0;
}

static const char members[] =
	"id kind state confidence first_seen last_seen database_id database object index index_id "
	"page pages_seen wait_type waiters flow_control_waiters ms_per_sec schedulers inserters "
	"inserters_per_scheduler optimize_for_sequential_key leading_column statements evidence "
	"finding";

static void a_named_hotspot_has_every_member(void **state)
{
	json_t *const root = fixture_get(*state, HOTSPOTS, 200);
	/* B115, B116: how old this is, here that nothing was polled yet. */
	assert_true(json_is_null(fixture_at(root, "age_ms")));
	assert_true(json_is_true(fixture_at(root, "stale")));
	assert_int_equal(json_array_size(fixture_at(root, "hotspots")), 1);
	json_t *const spot = fixture_at(root, "hotspots.0");
	fixture_assert_members(spot, members);
	assert_true(fixture_int(spot, "id") > 0);
	assert_string_equal(fixture_text(spot, "kind"), "last_page_insert");
	assert_string_equal(fixture_text(spot, "state"), "active");
	assert_string_equal(fixture_text(spot, "confidence"), "confirmed");
	assert_string_equal(fixture_text(spot, "database"), "tpcc");
	assert_string_equal(fixture_text(spot, "page.resource"), "5:1:4016");
	assert_string_equal(fixture_text(spot, "page.class"), "ordinary");
	assert_int_equal(fixture_int(spot, "waiters.max"), 63);
	assert_int_equal(fixture_int(spot, "inserters_per_scheduler"), 4);
	assert_true(json_is_false(fixture_at(spot, "optimize_for_sequential_key")));
	assert_string_equal(fixture_text(spot, "statements.0.query_hash"), "0xABCDEF0123456789");
	assert_string_equal(fixture_text(spot, "evidence.0.kind"), "distinct_pages");
	assert_string_equal(fixture_text(spot, "finding.statement"), "ALTER INDEX ...");
	json_decref(root);
}

static void what_is_unknown_of_a_hotspot_is_null(void **state)
{
	json_t *const root = fixture_get(*state, HOTSPOTS "?start=-3h", 200);
	assert_int_equal(json_array_size(fixture_at(root, "hotspots")), 2);
	json_t *const spot = fixture_at(root, "hotspots.1");
	fixture_assert_members(spot, members);
	static const char *const unknown[] = {
		"database",	  "object",
		"index",	  "index_id",
		"schedulers",	  "inserters",
		"leading_column", "inserters_per_scheduler",
		"finding",	  "optimize_for_sequential_key",
	};
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		if (!json_is_null(fixture_at(spot, unknown[i])))
			fail_msg("'%s' is not null", unknown[i]);
	assert_string_equal(fixture_text(spot, "state"), "ended");
	assert_string_equal(fixture_text(spot, "confidence"), "probable");
	assert_string_equal(fixture_text(spot, "page.class"), "pfs");
	json_decref(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_named_hotspot_has_every_member),
		cmocka_unit_test(what_is_unknown_of_a_hotspot_is_null),
	};
	return cmocka_run_group_tests(tests, start, stop);
}
