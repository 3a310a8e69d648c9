/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the resource text of a wait (dm_exec_requests.wait_resource and
 * dm_os_waiting_tasks.resource_description) into numbers.
 * Pure functions; any thread.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "collectors/page_class.h"

/* The kinds of tests/data/wait_resource_samples.csv. */
enum resource_kind {
	RESOURCE_NONE,	  /* empty, blank, or 0:0:0: no information */
	RESOURCE_INVALID, /* looks like a page and cannot be one; counted, kept raw, never resolved
			   */
	RESOURCE_UNKNOWN, /* a form this program does not know; kept raw */
	RESOURCE_PAGE,
	RESOURCE_PAGE_LOCK,
	RESOURCE_KEY_LOCK,
	RESOURCE_ROW_LOCK,
	RESOURCE_OBJECT_LOCK,
	RESOURCE_COMPILE_LOCK,
	RESOURCE_DATABASE_LOCK,
	RESOURCE_FILE_LOCK,
	RESOURCE_EXTENT_LOCK,
	RESOURCE_HOBT_LOCK,
	RESOURCE_ALLOCATION_UNIT_LOCK,
	RESOURCE_APPLICATION_LOCK,
	RESOURCE_METADATA_LOCK,
	RESOURCE_XACT_LOCK,
	RESOURCE_LATCH_CLASS,
	RESOURCE_EXCHANGE,
	RESOURCE_THREADPOOL,
	RESOURCE_EXTERNAL,
	RESOURCE_GUID,
	RESOURCE_LINKED_SERVER,
	RESOURCE_GENERIC,
};

/* What a text says; numbers that the form does not carry are -1. */
struct page_address {
	enum resource_kind kind;
	int32_t database_id; /* 1..32767 */
	int32_t file_id;     /* 1..32767 */
	int64_t page_id;     /* 0..2^32-1 */
	int64_t object_id;
	int64_t hobt_id;
	int64_t partition; /* index or lock partition */
	int32_t slot;
	char latch_class[61]; /* of RESOURCE_LATCH_CLASS, else "" */
};

/*
 * Parses a resource text. The wait type decides first: the same numbers with LCK_ are a page lock.
 * text may be NULL. Pure.
 */
struct page_address page_address_parse(const char *wait_type, const char *text);

/* Name of a kind as in wait_resource_samples.csv: "page", "page_lock" ... Pure. */
const char *resource_kind_name(enum resource_kind kind);
