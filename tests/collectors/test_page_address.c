/* SPDX-License-Identifier: Apache-2.0 */
/* Every string of tests/data/wait_resource_samples.csv, and the public fault reports on parsing. */
#include "collectors/page_address.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support.h"

enum {
	COLUMN_ID,
	COLUMN_SOURCE,
	COLUMN_WAIT_TYPE,
	COLUMN_RAW,
	COLUMN_KIND,
	COLUMN_DATABASE,
	COLUMN_FILE,
	COLUMN_PAGE,
	COLUMN_OBJECT,
	COLUMN_PARTITION,
	COLUMN_HOBT,
	COLUMN_SLOT,
	COLUMN_LATCH_CLASS,
	COLUMN_PAGE_CLASS,
	COLUMN_ORIGIN,
	COLUMN_COUNT,
};

/* Splits "a","b" in place; no sample holds a quote. */
static void split(char *line, const char *cells[COLUMN_COUNT])
{
	for (int i = 0; i < COLUMN_COUNT; i++) {
		assert_int_equal(*line, '"');
		cells[i] = line + 1;
		line = strchr(line + 1, '"');
		assert_non_null(line);
		*line = '\0';
		line += i < COLUMN_COUNT - 1 ? 2 : 0;
	}
}

static int expect_number(const char *cell, int64_t got, const char *what, const char *id)
{
	int64_t want = *cell ? strtoll(cell, NULL, 10) : -1;
	if (got == want)
		return 0;
	print_error("sample %s: %s is %lld, want %lld\n", id, what, (long long)got,
		    (long long)want);
	return 1;
}

static int expect_text(const char *want, const char *got, const char *what, const char *id)
{
	if (strcmp(got, want) == 0)
		return 0;
	print_error("sample %s: %s is '%s', want '%s'\n", id, what, got, want);
	return 1;
}

static const char *class_as_in_the_samples(const struct page_address *address)
{
	static const char *const names[] = {
		[PAGE_ORDINARY] = "OTHER", [PAGE_FILE_HEADER] = "FILEHEADER",
		[PAGE_PFS] = "PFS",	   [PAGE_GAM] = "GAM",
		[PAGE_SGAM] = "SGAM",	   [PAGE_DCM] = "DCM",
		[PAGE_BCM] = "BCM",	   [PAGE_BOOT] = "BOOT",
	};
	return names[page_class_of(address->file_id, address->page_id)];
}

static int check_sample(const char *const cells[COLUMN_COUNT])
{
	const char *id = cells[COLUMN_ID];
	const char *raw = strcmp(cells[COLUMN_RAW], "<NULL>") == 0 ? NULL : cells[COLUMN_RAW];
	struct page_address got = page_address_parse(cells[COLUMN_WAIT_TYPE], raw);
	int faults = expect_text(cells[COLUMN_KIND], resource_kind_name(got.kind), "kind", id);
	faults += expect_number(cells[COLUMN_DATABASE], got.database_id, "database", id);
	faults += expect_number(cells[COLUMN_FILE], got.file_id, "file", id);
	faults += expect_number(cells[COLUMN_PAGE], got.page_id, "page", id);
	faults += expect_number(cells[COLUMN_OBJECT], got.object_id, "object", id);
	faults += expect_number(cells[COLUMN_PARTITION], got.partition, "partition", id);
	faults += expect_number(cells[COLUMN_HOBT], got.hobt_id, "hobt", id);
	faults += expect_number(cells[COLUMN_SLOT], got.slot, "slot", id);
	faults += expect_text(cells[COLUMN_LATCH_CLASS], got.latch_class, "latch class", id);
	if (*cells[COLUMN_PAGE_CLASS])
		faults += expect_text(cells[COLUMN_PAGE_CLASS], class_as_in_the_samples(&got),
				      "page class", id);
	return faults;
}

static void every_sample_is_understood(void **state)
{
	(void)state;
	char path[512];
	snprintf(path, sizeof(path), "%s/wait_resource_samples.csv", getenv("TEST_DATA"));
	FILE *file = fopen(path, "re");
	assert_non_null(file);
	char line[4096];
	assert_non_null(fgets(line, sizeof(line), file));
	int sample_count = 0;
	int faults = 0;
	while (fgets(line, sizeof(line), file)) {
		const char *cells[COLUMN_COUNT];
		split(line, cells);
		faults += check_sample(cells);
		sample_count++;
	}
	assert_int_equal(fclose(file), 0);
	assert_int_equal(sample_count, 101);
	assert_int_equal(faults, 0);
}

static void expect_page(const char *text, int32_t database_id, int32_t file_id, int64_t page_id)
{
	struct page_address got = page_address_parse("PAGELATCH_EX", text);
	assert_int_equal(got.kind, RESOURCE_PAGE);
	assert_int_equal(got.database_id, database_id);
	assert_int_equal(got.file_id, file_id);
	assert_int_equal(got.page_id, page_id);
}

/* B066, B067, B069, S14. */
static void what_follows_the_page_is_ignored(void **state)
{
	(void)state;
	expect_page("13:1:24323201 (LATCH 0x0000020114CC5FD8: CLASS: BUF_LATCH KP: 0 SH: 0 UP: 0 "
		    "EX: 1 DT: 0 Sublatch: 0 HasWaiters: 1 Task: 0x000001FDF5F6FC28 AnyReleasor: "
		    "1)",
		    13, 1, 24323201);
	expect_page("6:3:749442168 (LATCH 0x000005E1CE68AE98: Class: BUFFER KP: 0 SH: 0", 6, 3,
		    749442168);
	expect_page("5:1:104(", 5, 1, 104);
	expect_page("5:1:4000", 5, 1, 4000);
}

/* B070: optimized locking. */
static void transaction_locks_are_no_pages(void **state)
{
	(void)state;
	struct page_address got =
		page_address_parse("LCK_M_S_XACT_READ", "[XACT: 5:66385649:0] KEY(8194443284a0)");
	assert_int_equal(got.kind, RESOURCE_XACT_LOCK);
	assert_int_equal(got.database_id, 5);
	assert_int_equal(got.page_id, -1);
}

/* B071, B075, B077. */
static void wait_type_decides_between_latch_and_lock(void **state)
{
	(void)state;
	assert_int_equal(page_address_parse("LCK_M_S", "PAGE: 8:1:2640").kind, RESOURCE_PAGE_LOCK);
	assert_int_equal(page_address_parse("LCK_M_S", "8:1:2640").kind, RESOURCE_PAGE_LOCK);
	assert_int_equal(page_address_parse("PAGELATCH_SH", "8:1:2640").kind, RESOURCE_PAGE);
	assert_int_equal(page_address_parse(NULL, "8:1:2640").kind, RESOURCE_PAGE);
	struct page_address table = page_address_parse("LCK_M_IX", "TAB: 8:245575913:0");
	assert_int_equal(table.kind, RESOURCE_OBJECT_LOCK);
	assert_int_equal(table.object_id, 245575913);
	struct page_address lock = page_address_parse(
		"LCK_M_U", "pagelock fileid=1 pageid=4000 dbid=6 id=lock2c8f3a480 mode=IX");
	assert_int_equal(lock.kind, RESOURCE_PAGE_LOCK);
	assert_int_equal(lock.database_id, 6);
	assert_int_equal(lock.page_id, 4000);
}

static void unknown_forms_are_unknown(void **state)
{
	(void)state;
	assert_int_equal(page_address_parse("LCK_M_S", "FUTURE: 5:1").kind, RESOURCE_UNKNOWN);
	assert_int_equal(page_address_parse("PAGELATCH_EX", "hello").kind, RESOURCE_UNKNOWN);
	assert_int_equal(page_address_parse("LATCH_EX", "5:1:104").kind, RESOURCE_UNKNOWN);
	assert_int_equal(page_address_parse("LCK_M_S", "KEY: x").kind, RESOURCE_INVALID);
}

/* An application may name its lock as it likes. */
static void names_of_applications_do_not_confuse(void **state)
{
	(void)state;
	struct page_address got = page_address_parse(
		"LCK_M_X",
		"applicationlock hash=a dbid=99 b databasePrincipalId=0 dbid=7 id=lock1");
	assert_int_equal(got.kind, RESOURCE_APPLICATION_LOCK);
	assert_int_equal(got.database_id, 7);
}

static void long_latch_class_is_cut(void **state)
{
	(void)state;
	char text[300];
	memset(text, 'A', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	struct page_address got = page_address_parse("LATCH_EX", text);
	assert_int_equal(got.kind, RESOURCE_LATCH_CLASS);
	assert_int_equal(strlen(got.latch_class), 60);
}

static void numbers_beyond_all_ranges_are_invalid(void **state)
{
	(void)state;
	const char *const texts[] = {
		"32768:1:1", "1:32768:1", "0:1:1", "1:0:1", "1:1:99999999999999999999999999",
		"5:1:1:1"};
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(page_address_parse("PAGELATCH_EX", texts[i]).kind,
				 RESOURCE_INVALID);
}

/* B073, B074 and the worked numbers of the vendor's documentation. */
static void page_classes_follow_the_arithmetic(void **state)
{
	(void)state;
	const struct {
		int64_t page_id;
		enum page_class class;
	} pages[] = {
		{0, PAGE_FILE_HEADER},
		{1, PAGE_PFS},
		{2, PAGE_GAM},
		{3, PAGE_SGAM},
		{4, PAGE_ORDINARY},
		{5, PAGE_ORDINARY},
		{6, PAGE_DCM},
		{7, PAGE_BCM},
		{8, PAGE_ORDINARY},
		{10, PAGE_ORDINARY},
		{8087, PAGE_ORDINARY},
		{8088, PAGE_PFS},
		{8089, PAGE_ORDINARY},
		{16176, PAGE_PFS},
		{511231, PAGE_ORDINARY},
		{511232, PAGE_GAM},
		{511233, PAGE_SGAM},
		{511234, PAGE_ORDINARY},
		{511238, PAGE_DCM},
		{511239, PAGE_BCM},
		{1022464, PAGE_GAM},
		{1022465, PAGE_SGAM},
		{1022466, PAGE_ORDINARY},
		{1022470, PAGE_DCM},
		{1022471, PAGE_BCM},
		{516855552, PAGE_PFS},
		{511241, PAGE_ORDINARY},
		{4294967295, PAGE_ORDINARY},
	};
	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++)
		assert_int_equal(page_class_of(1, pages[i].page_id), pages[i].class);
	assert_int_equal(page_class_of(1, 9), PAGE_BOOT);
	assert_int_equal(page_class_of(2, 9), PAGE_ORDINARY);
	assert_string_equal(page_class_name(PAGE_PFS), "pfs");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_sample_is_understood),
		cmocka_unit_test(what_follows_the_page_is_ignored),
		cmocka_unit_test(transaction_locks_are_no_pages),
		cmocka_unit_test(wait_type_decides_between_latch_and_lock),
		cmocka_unit_test(unknown_forms_are_unknown),
		cmocka_unit_test(names_of_applications_do_not_confuse),
		cmocka_unit_test(long_latch_class_is_cut),
		cmocka_unit_test(numbers_beyond_all_ranges_are_invalid),
		cmocka_unit_test(page_classes_follow_the_arithmetic),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
