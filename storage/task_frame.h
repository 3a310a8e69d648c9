/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tasks of one task sample, packed. Knows neither SQLite nor who calls. Pure; any thread. The
 * body:
 *
 *     version (1), task count, tasks, CRC-32 of all before
 *     task = address, session_id, database_id, scheduler_id, query_hash, is_insert, id of the wait
 *            type (0: none), wait_ms, kind of resource, one byte: bit i = number i of the resource
 *            is there (is not -1), those numbers, id of the latch class (0: none)
 *
 * All are varints; numbers of the resource in the order of struct page_address.
 */
#pragma once

#include "collectors/task_sample.h"
#include "daemon/base/error.h"
#include "daemon/base/strbuf.h"
#include "storage/frame.h"

/* Ids of the names of one task: of its wait type and its latch class; 0 for none. */
struct task_name_ids {
	int64_t wait_type;
	int64_t latch_class;
};

/* Appends the packed tasks of sample to out; ids[task] are the names' ids. Threads: the owner. */
void task_frame_pack(struct strbuf *out, const struct task_sample *sample,
		     const struct task_name_ids *ids);

/*
 * Unpacks a body into the tasks of sample; other fields stay as they are.
 *
 * Owns:    sample->tasks is the caller's memory (tasks, task_capacity), grown as needed.
 * Errors:  ERROR_CORRUPT wrong checksum or version, a name that is not there.
 * Threads: the owner.
 */
MUST_CHECK bool task_frame_unpack(const void *body, size_t size, const struct frame_names *names,
				  struct task_sample *sample, struct error *err);
