/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that look at one thing: a page, a page resource, a statement. Instance locked. */
#include "tests/sim/instance_load.h"

#include "tests/sim/metadata.h"

#include <stdio.h>
#include <string.h>

static const char *kind_name(enum page_kind kind)
{
	switch (kind) {
	case PAGE_FILE_HEADER:
		return "FILEHEADER_PAGE";
	case PAGE_BOOT:
		return "BOOT_PAGE";
	case PAGE_PFS:
		return "PFS_PAGE";
	case PAGE_GAM:
		return "GAM_PAGE";
	case PAGE_SGAM:
		return "SGAM_PAGE";
	case PAGE_DIFF_MAP:
		return "DIFF_MAP_PAGE";
	case PAGE_ML_MAP:
		return "ML_MAP_PAGE";
	case PAGE_IAM:
		return "IAM_PAGE";
	case PAGE_DATA:
		return "DATA_PAGE";
	case PAGE_INDEX:
		return "INDEX_PAGE";
	case PAGE_UNUSED:
		break;
	}
	return NULL;
}

/* An allocation status with its description: page, bit, text. */
static void add_status(struct rows *rows, int64_t page, bool is_set, const char *description)
{
	rows_add_integer(rows, page);
	rows_add_integer(rows, is_set);
	rows_add_text(rows, description);
}

static void add_header(struct rows *rows, const struct page_info *info, bool is_detailed)
{
	rows_add_integer(rows, 1);
	rows_add_integer(rows, info->kind);
	rows_add_text(rows, is_detailed ? kind_name(info->kind) : NULL);
	rows_add_text(rows, "0x0");
	rows_add_text(rows, NULL);
	rows_add_text(rows, "0x200");
	rows_add_text(rows, is_detailed ? "HAS_CHECKSUM" : NULL);
	rows_add_text(rows, "0x0000002A:00003F18:0012");
	rows_add_integer(rows, info->level);
	rows_add_integer(rows, info->object_id);
	rows_add_integer(rows, info->index_id);
	rows_add_integer(rows, info->partition_id);
	rows_add_integer(rows, info->partition_id == 0 ? 0 : info->partition_id + 65536);
	rows_add_integer(rows, 0);
	rows_add_integer(rows, 1);
	rows_add_integer(rows, 1804289383);
	rows_add_integer(rows, info->kind == PAGE_IAM);
	rows_add_integer(rows, 0);
	rows_add_integer(rows, 0);
	rows_add_integer(rows, 0);
}

static void add_allocation(struct rows *rows, const struct page_info *info, int64_t page,
			   bool is_detailed)
{
	int64_t pfs = page < 8088 ? 1 : page / 8088 * 8088;
	int64_t interval = page / 511232 * 511232;
	bool is_allocated = info->kind != PAGE_UNUSED;

	rows_add_integer(rows, pfs);
	rows_add_integer(rows, is_allocated);
	rows_add_integer(rows, is_allocated ? 100 : 0);
	rows_add_text(rows, is_allocated ? "0x40" : "0x0");
	rows_add_text(rows, is_detailed && is_allocated ? "ALLOCATED 0_PCT_FULL" : NULL);
	add_status(rows, interval == 0 ? 2 : interval, is_allocated,
		   is_detailed ? "ALLOCATED" : NULL);
	add_status(rows, interval == 0 ? 3 : interval + 1, false,
		   is_detailed ? "NOT ALLOCATED" : NULL);
	add_status(rows, interval + 6, true, is_detailed ? "CHANGED" : NULL);
	add_status(rows, interval + 7, false, is_detailed ? "NOT MIN_LOGGED" : NULL);
}

static void fill_page_info(struct view_request *request, struct rows *rows)
{
	const struct cell *arguments = request->arguments;

	for (int i = 0; i < 3; i++) {
		if (arguments[i].kind != CELL_INTEGER) {
			request->error = "12409 16 Invalid parameter specified.";
			return;
		}
	}
	int32_t database_id = (int32_t)arguments[0].integer;
	int32_t file_id = (int32_t)arguments[1].integer;
	int64_t page = arguments[2].integer;
	bool is_detailed =
		arguments[3].kind == CELL_TEXT && strcasecmp(arguments[3].bytes, "DETAILED") == 0;
	if (!metadata_find_database_id(database_id) || file_id < 1 || page < 0)
		return;
	struct page_info info = page_store_look(&request->instance->pages, database_id, file_id,
						page, request->now.mono_us);
	rows_add_integer(rows, database_id);
	rows_add_integer(rows, file_id);
	rows_add_integer(rows, page);
	add_header(rows, &info, is_detailed);
	add_allocation(rows, &info, page, is_detailed);
	rows_add_integer(rows, info.previous_page == 0 ? 0 : file_id);
	rows_add_integer(rows, info.previous_page);
	rows_add_integer(rows, info.next_page == 0 ? 0 : file_id);
	rows_add_integer(rows, info.next_page);
	rows_add_integer(rows, 24);
	rows_add_integer(rows, info.slot_count);
	rows_add_integer(rows, 0);
	rows_add_integer(rows, 8096 - info.slot_count * 26);
	rows_add_integer(rows, 96 + info.slot_count * 24);
	rows_add_integer(rows, 0);
	rows_add_integer(rows, 0);
	rows_add_text(rows, "0000:00000000");
}

/* The bytes are laid out as dm_exec_requests.page_resource of this simulator writes them. */
static void fill_page_cracker(struct view_request *request, struct rows *rows)
{
	const struct cell *resource = &request->arguments[0];

	if (resource->kind != CELL_BYTES || resource->size != 8) {
		for (int i = 0; i < 3; i++)
			rows_add_null(rows);
		return;
	}
	const unsigned char *bytes = (const unsigned char *)resource->bytes;
	rows_add_integer(rows, bytes[6] + 256 * bytes[7]);
	rows_add_integer(rows, bytes[4] + 256 * bytes[5]);
	rows_add_integer(rows, bytes[0] + INT64_C(256) * bytes[1] + INT64_C(65536) * bytes[2] +
				       INT64_C(16777216) * bytes[3]);
}

/* The handle is the query's hash with one bit turned; of a statement nobody runs there is no text.
 */
static void fill_sql_text(struct view_request *request, struct rows *rows)
{
	const struct cell *handle = &request->arguments[0];
	uint64_t value = 0;

	if (handle->kind != CELL_BYTES || handle->size != 8)
		return;
	for (size_t i = 0; i < handle->size; i++)
		value = value << 8 | (unsigned char)handle->bytes[i];
	const char *text =
		instance_statement_text(request->instance, value ^ UINT64_C(0x0200000000000000));
	if (!text)
		return;
	rows_add_integer(rows, DATABASE_SALES);
	rows_add_null(rows);
	rows_add_null(rows);
	rows_add_integer(rows, 0);
	rows_add_text(rows, text);
}

#define STATUS_COLUMNS(name)                                                                       \
	name "_page_id int, " name "_status bit, " name "_status_desc nvarchar(64), "

static const struct view views[] = {
	{"dm_db_page_info",
	 "database_id int, file_id int, page_id int, page_header_version int, page_type int, "
	 "page_type_desc nvarchar(64), page_type_flag_bits nvarchar(64), "
	 "page_type_flag_bits_desc nvarchar(64), page_flag_bits nvarchar(64), "
	 "page_flag_bits_desc nvarchar(256), page_lsn nvarchar(64), page_level int, object_id int, "
	 "index_id int, partition_id bigint, alloc_unit_id bigint, is_encrypted bit, has_checksum bit, "
	 "checksum int, is_iam_pg bit, is_mixed_ext bit, has_ghost_records bit, has_version_records bit, "
	 "pfs_page_id int, pfs_is_allocated bit, pfs_alloc_percent int, pfs_status nvarchar(64), "
	 "pfs_status_desc nvarchar(64), " STATUS_COLUMNS("gam") STATUS_COLUMNS("sgam")
		 STATUS_COLUMNS("diff_map") STATUS_COLUMNS(
			 "ml_map") "prev_page_file_id smallint, prev_page_page_id int, next_page_file_id smallint, "
				   "next_page_page_id int, fixed_length smallint, slot_count smallint, ghost_rec_count smallint, "
				   "free_bytes smallint, free_data_offset int, reserved_bytes smallint, "
				   "reserved_bytes_by_xdes_id smallint, xdes_id nvarchar(64)",
	 "database_id__ smallint, file_id__ int, page_id__ int, mode__ nvarchar(64)", false,
	 fill_page_info},
	{"fn_PageResCracker", "db_id int, file_id int, page_id int", "page_resource__ binary(8)",
	 false, fill_page_cracker},
	{"dm_exec_sql_text",
	 "dbid smallint, objectid int, number smallint, encrypted bit, text nvarchar(0)",
	 "sql_handle__ varbinary(64)", false, fill_sql_text},
};

const struct view *views_of_pages(size_t *count)
{
	*count = sizeof(views) / sizeof(views[0]);
	return views;
}
