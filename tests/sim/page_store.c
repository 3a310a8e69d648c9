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
#define ORDERS_ROOT  336

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

static int64_t page_of_sequence(int64_t sequence)
{
	return extent_in_file(sequence / EXTENT_PAGES) * EXTENT_PAGES + sequence % EXTENT_PAGES;
}

/* The leaf number of a page of the index, or -1. */
static int64_t sequence_of_page(int64_t page)
{
	int64_t place = page / EXTENT_PAGES;
	int64_t guess = (place - FIRST_EXTENT) * 16 / 37;

	for (int64_t extent = guess - 3; extent <= guess + 3; extent++)
		if (extent >= 0 && extent_in_file(extent) == place)
			return extent * EXTENT_PAGES + page % EXTENT_PAGES;
	return -1;
}

int64_t page_store_last_page(const struct page_store *store, int64_t now_us, int64_t back)
{
	int64_t sequence = page_store_rows(store, now_us) / PAGE_ROWS - back;

	return page_of_sequence(sequence < 0 ? 0 : sequence);
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

static struct page_info look_at_sales(const struct page_store *store, int64_t page, int64_t now_us)
{
	int64_t rows = page_store_rows(store, now_us);
	int64_t last = rows / PAGE_ROWS;
	int64_t sequence = page / EXTENT_PAGES < FIRST_EXTENT ? -1 : sequence_of_page(page);

	if (sequence > last)
		return info_of(PAGE_UNUSED, 0, 0, 0);
	if (sequence >= 0) {
		struct page_info info = info_of(PAGE_DATA, 0, OBJECT_ORDERS, 1);
		info.previous_page = sequence == 0 ? 0 : page_of_sequence(sequence - 1);
		info.next_page = sequence == last ? 0 : page_of_sequence(sequence + 1);
		info.slot_count = sequence == last ? (int32_t)(rows % PAGE_ROWS) : PAGE_ROWS;
		return info;
	}
	if (page >= ORDERS_ROOT && page < ORDERS_ROOT + EXTENT_PAGES)
		return info_of(PAGE_INDEX, page == ORDERS_ROOT ? 2 : 1, OBJECT_ORDERS, 1);
	if (page / EXTENT_PAGES == PAGE_OF_QUEUE / EXTENT_PAGES)
		return info_of(PAGE_DATA, 0, OBJECT_QUEUE, 1);
	return info_of(PAGE_DATA, 0, OBJECT_AUDIT, 1);
}

struct page_info page_store_look(const struct page_store *store, int32_t database_id,
				 int32_t file_id, int64_t page, int64_t now_us)
{
	enum page_kind kind = page_kind_of(file_id, page);

	if (kind != PAGE_DATA)
		return info_of(kind, 0, kind == PAGE_BOOT || kind == PAGE_FILE_HEADER ? 0 : 99, 0);
	if (database_id == DATABASE_SALES && file_id == 1)
		return look_at_sales(store, page, now_us);
	return info_of(PAGE_DATA, 0, OBJECT_SYSSCHOBJS, 1);
}
