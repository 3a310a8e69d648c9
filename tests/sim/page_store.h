/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pages of database 5 file 1, and of tempdb: which page the clustered index of dbo.Orders is
 * filling now, and what any page number holds. Computed, never stored. Guarded by the instance's
 * lock.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Rows that fit on one leaf page of dbo.Orders. */
#define PAGE_ROWS 300

/* The root of PK_Orders, in file 1. */
#define PAGE_OF_ORDERS_ROOT 336

/* Which pages an index that grows at its end has. */
#define PAGE_LANE_ORDERS   0
#define PAGE_LANE_INVOICES 1

struct page_store {
	int64_t base_rows; /* in dbo.Orders when the rate was set */
	int64_t rows_milli_per_s;
	int64_t anchor_us;
	int64_t invoice_rows; /* in dbo.Invoices */
	int32_t file_count;   /* that extents of dbo.Orders are spread over; 0 = 1 */
};

struct page_address {
	int32_t file_id;
	int64_t page;
};

enum page_kind {
	PAGE_FILE_HEADER = 15,
	PAGE_BOOT = 13,
	PAGE_PFS = 11,
	PAGE_GAM = 8,
	PAGE_SGAM = 9,
	PAGE_DIFF_MAP = 16,
	PAGE_ML_MAP = 17,
	PAGE_IAM = 10,
	PAGE_DATA = 1,
	PAGE_INDEX = 2,
	PAGE_UNUSED = 0,
};

/* What one page holds. object_id 0: none. next and previous: 0 at the ends. */
struct page_info {
	enum page_kind kind;
	int32_t level;
	int32_t object_id;
	int32_t index_id;
	int64_t partition_id;
	int64_t previous_page;
	int64_t next_page;
	int32_t slot_count;
};

/* Rows in dbo.Orders; also the last identity value. Pure. */
int64_t page_store_rows(const struct page_store *store, int64_t now_us);

/* Changes how fast rows come; those that came so far stay. */
void page_store_set_rate(struct page_store *store, int64_t rows_milli_per_s, int64_t now_us);

/* The page that inserts go to now; back 1 is the one before it. Pure. */
int64_t page_store_last_page(const struct page_store *store, int64_t now_us, int64_t back);

/* Where leaf number `sequence` of an index lies. Extents go round the files 1, 3, 4, ...: file 2 is
 * the log. Pure. */
struct page_address page_store_address(int32_t lane, int64_t sequence, int32_t file_count);

/* What the arithmetic of allocation pages says; PAGE_DATA for an ordinary page. Pure. */
enum page_kind page_kind_of(int32_t file_id, int64_t page);

/* Answers for any page of any database. Pure. */
struct page_info page_store_look(const struct page_store *store, int32_t database_id,
				 int32_t file_id, int64_t page, int64_t now_us);
