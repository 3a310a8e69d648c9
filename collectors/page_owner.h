/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose page is it: database, table, index, level and neighbours, by sys.dm_db_page_info (2019+)
 * and the catalogue. Runs in the lookup thread on a session of its own, for the statement may queue
 * behind the very latch that is hot.
 */
#pragma once

#include "collectors/page_address.h"
#include "collectors/server.h"
#include "collectors/session.h"

enum { PAGES_PER_LOOKUP = 8, OBJECT_NAME_SIZE = 390, COLUMN_NAME_SIZE = 129 };

/* Why an owner could not be named. */
enum page_owner_state {
	PAGE_OWNER_NAMED,
	PAGE_OWNER_NO_RIGHT,
	PAGE_OWNER_NO_VIEW, /* before 2019 */
	PAGE_OWNER_NOT_FOUND,
	PAGE_OWNER_FAILED, /* error, time out; error text says which */
};

struct page_owner {
	int32_t database_id;
	int32_t file_id;
	int64_t page_id;
	enum page_owner_state state;
	char error[256]; /* when not named */
	char database[SERVER_NAME_SIZE];
	char object[OBJECT_NAME_SIZE]; /* schema.table */
	int64_t object_id;
	char index[SERVER_NAME_SIZE]; /* "" for a heap */
	int32_t index_id;
	int64_t partition_id;
	int32_t page_type; /* 1 data, 2 index ... */
	int32_t level;	   /* 0 = leaf; -1 unknown */
	int32_t next_file_id;
	int64_t next_page_id; /* 0: the last page of its level; -1 unknown */
	int32_t previous_file_id;
	int64_t previous_page_id; /* 0: the first page; -1 unknown */
	bool is_mixed_extent;
	bool is_system_object;
	char leading_column[COLUMN_NAME_SIZE]; /* of the index key; "" unknown */
	int32_t is_ascending;  /* 1 yes (identity, sequence, date default), 0 no, -1 unknown */
	int32_t is_descending; /* same, for a descending key on an ascending source */
	int32_t optimize_for_sequential_key; /* 1 on, 0 off, -1 unknown or not there (before 2019)
					      */
	int64_t looked_up_utc_ms;
};

/*
 * Looks up to PAGES_PER_LOOKUP ordinary pages up in one statement, then the shape of each new
 * index.
 *
 * owners[i] is filled for pages[i], its state saying whether it could be named.
 *
 * Errors:  those of session_run, when not even the reason per page could be had.
 * Threads: the owner of session; blocks.
 */
MUST_CHECK bool page_owner_look_up(struct session *session, const struct server *server,
				   const struct page_address *pages, size_t page_count,
				   int64_t now_utc_ms, struct page_owner *owners,
				   struct error *err);
