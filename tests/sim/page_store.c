/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages as arithmetic. Leaf page number n of PK_Orders lies in the n/8-th extent of the index; the
 * extents are spread over the file with gaps, as in a file that other tables share, and step over
 * the extents that begin with an allocation page. Guarded by the instance's lock.
 */
#include "tests/sim/page_store.h"

#include "tests/sim/metadata.h"

#define PFS_INTERVAL 8088
#define GAM_INTERVAL 511232
#define FIRST_EXTENT 3000
#define EXTENT_PAGES 8
#define LANE_EXTENTS INT64_C(4000000)

int64_t page_store_rows(const struct page_store *store, int64_t now_us)
{
	int64_t elapsed_us = now_us > store->anchor_us ? now_us - store->anchor_us : 0;
	int64_t seconds = elapsed_us / 1000000;
	int64_t micros = elapsed_us % 1000000;

	return store->base_rows +
	       (store->rows_milli_per_s * seconds + store->rows_milli_per_s * micros / 1000000) /
		       1000;
}

void page_store_set_rate(struct page_store *store, int64_t rows_milli_per_s, int64_t now_us)
{
	store->base_rows = page_store_rows(store, now_us);
	store->rows_milli_per_s = rows_milli_per_s;
	store->anchor_us = now_us;
}

static bool extent_is_taken(int64_t extent)
{
	return extent % (PFS_INTERVAL / EXTENT_PAGES) == 0 ||
	       extent % (GAM_INTERVAL / EXTENT_PAGES) == 0;
}

static int64_t extent_in_file(int64_t extent)
{
	int64_t place = FIRST_EXTENT + 2 * extent + 5 * (extent / 16);

	return extent_is_taken(place) ? place + 1 : place;
}

static int32_t files_of(const struct page_store *store)
{
	return store->file_count > 0 ? store->file_count : 1;
}

struct page_address page_store_address(int32_t lane, int64_t sequence, int32_t file_count)
{
	int64_t extent = sequence / EXTENT_PAGES;
	int32_t file = (int32_t)(extent % file_count);
	int64_t first = lane * LANE_EXTENTS;

	return (struct page_address){
		.file_id = file == 0 ? 1 : file + 2,
		.page = (first + extent_in_file(extent / file_count)) * EXTENT_PAGES +
			sequence % EXTENT_PAGES,
	};
}

/* The leaf number of a page of an index, or -1. */
static int64_t sequence_of_page(int32_t file_id, int64_t page, int32_t file_count)
{
	int64_t place = page / EXTENT_PAGES;
	int64_t guess = (place - FIRST_EXTENT) * 16 / 37;
	int64_t file = file_id == 1 ? 0 : file_id - 2;

	if (file_id == 2 || file >= file_count)
		return -1;
	for (int64_t extent = guess - 3; extent <= guess + 3; extent++)
		if (extent >= 0 && extent_in_file(extent) == place)
			return (extent * file_count + file) * EXTENT_PAGES + page % EXTENT_PAGES;
	return -1;
}

int64_t page_store_last_page(const struct page_store *store, int64_t now_us, int64_t back)
{
	int64_t sequence = page_store_rows(store, now_us) / PAGE_ROWS - back;

	return page_store_address(PAGE_LANE_ORDERS, sequence < 0 ? 0 : sequence, files_of(store))
		.page;
}

enum page_kind page_kind_of(int32_t file_id, int64_t page)
{
	if (page == 0)
		return PAGE_FILE_HEADER;
	if (page == 9 && file_id == 1)
		return PAGE_BOOT;
	if (page == 1 || page % PFS_INTERVAL == 0)
		return PAGE_PFS;
	int64_t offset = page % GAM_INTERVAL;
	bool is_first = page < GAM_INTERVAL;
	if (offset == (is_first ? 2 : 0))
		return PAGE_GAM;
	if (offset == (is_first ? 3 : 1))
		return PAGE_SGAM;
	if (offset == 6)
		return PAGE_DIFF_MAP;
	if (offset == 7)
		return PAGE_ML_MAP;
	return PAGE_DATA;
}

static struct page_info info_of(enum page_kind kind, int32_t level, int32_t object_id,
				int32_t index_id)
{
	return (struct page_info){
		.kind = kind,
		.level = level,
		.object_id = object_id,
		.index_id = index_id,
		.partition_id = object_id == 0 ? 0 : metadata_partition_id(object_id, index_id),
		.slot_count = object_id == 0 ? 0 : 100,
	};
}

/* A leaf of an index that has `rows` rows. */
static struct page_info leaf_info(int32_t object_id, int32_t lane, int64_t sequence, int64_t rows,
				  int32_t file_count)
{
	int64_t last = rows / PAGE_ROWS;

	if (sequence > last)
		return info_of(PAGE_UNUSED, 0, 0, 0);
	struct page_info info = info_of(PAGE_DATA, 0, object_id, 1);
	info.previous_page =
		sequence == 0 ? 0 : page_store_address(lane, sequence - 1, file_count).page;
	info.next_page =
		sequence == last ? 0 : page_store_address(lane, sequence + 1, file_count).page;
	info.slot_count = sequence == last ? (int32_t)(rows % PAGE_ROWS) : PAGE_ROWS;
	return info;
}

static struct page_info look_at_sales(const struct page_store *store, int32_t file_id, int64_t page,
				      int64_t now_us)
{
	int64_t place = page / EXTENT_PAGES;
	int64_t lane_page = page - LANE_EXTENTS * EXTENT_PAGES;
	int64_t sequence;

	if (place >= LANE_EXTENTS + FIRST_EXTENT) {
		sequence = sequence_of_page(file_id, lane_page, 1);
		return sequence < 0 ? info_of(PAGE_UNUSED, 0, 0, 0)
				    : leaf_info(OBJECT_INVOICES, PAGE_LANE_INVOICES, sequence,
						store->invoice_rows, 1);
	}
	sequence = place < FIRST_EXTENT ? -1 : sequence_of_page(file_id, page, files_of(store));
	if (sequence >= 0)
		return leaf_info(OBJECT_ORDERS, PAGE_LANE_ORDERS, sequence,
				 page_store_rows(store, now_us), files_of(store));
	if (file_id != 1)
		return info_of(PAGE_UNUSED, 0, 0, 0);
	if (page >= PAGE_OF_ORDERS_ROOT && page < PAGE_OF_ORDERS_ROOT + EXTENT_PAGES)
		return info_of(PAGE_INDEX, page == PAGE_OF_ORDERS_ROOT ? 2 : 1, OBJECT_ORDERS, 1);
	if (place == PAGE_OF_QUEUE / EXTENT_PAGES)
		return info_of(PAGE_DATA, 0, OBJECT_QUEUE, 1);
	return info_of(PAGE_DATA, 0, OBJECT_AUDIT, 1);
}

struct page_info page_store_look(const struct page_store *store, int32_t database_id,
				 int32_t file_id, int64_t page, int64_t now_us)
{
	enum page_kind kind = page_kind_of(file_id, page);

	if (kind != PAGE_DATA)
		return info_of(kind, 0, kind == PAGE_BOOT || kind == PAGE_FILE_HEADER ? 0 : 99, 0);
	if (database_id == DATABASE_SALES)
		return look_at_sales(store, file_id, page, now_us);
	return info_of(PAGE_DATA, 0, OBJECT_SYSSCHOBJS, 1);
}
