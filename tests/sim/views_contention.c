/* SPDX-License-Identifier: Apache-2.0 */
/* What one index and one session have been waiting for. Runs with the instance locked. */
#include "tests/sim/instance_state.h"

#include "tests/sim/metadata.h"

#define MILLISECOND_NS 1000000

/* The positions behind hobt_id of the counters that move. */
enum operational_column {
	LEAF_INSERT_COUNT = 0,
	LEAF_ALLOCATION_COUNT = 7,
	ROW_LOCK_COUNT = 22,
	PAGE_LATCH_WAIT_COUNT = 30,
	PAGE_IO_LATCH_WAIT_COUNT = 32,
	TREE_PAGE_LATCH_WAIT_COUNT = 34,
	OPERATIONAL_COLUMNS = 40,
};

static const struct table *table_of(const struct stage *stage, int32_t object_id)
{
	const struct table *const tables[] = {&stage->orders, &stage->invoices, &stage->audit,
					      &stage->queue};

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		if (tables[i]->object_id == object_id)
			return tables[i];
	return NULL;
}

static void set_tally(int64_t *values, const struct tally *tally)
{
	values[0] = tally->count;
	values[1] = tally->time_ns / MILLISECOND_NS;
}

static void add_index(const struct view_request *request, struct rows *rows,
		      const struct metadata_index *index)
{
	const struct stage *stage = &request->instance->contention->stage;
	const struct table *table = index->index_id == 1 ? table_of(stage, index->object_id) : NULL;
	int64_t values[OPERATIONAL_COLUMNS] = {0};

	if (table) {
		values[LEAF_INSERT_COUNT] = table->insert_count;
		values[LEAF_ALLOCATION_COUNT] = table->allocation_count;
		values[ROW_LOCK_COUNT] = table->insert_count;
		set_tally(&values[PAGE_LATCH_WAIT_COUNT], &table->latch_waits);
		set_tally(&values[PAGE_IO_LATCH_WAIT_COUNT], &table->read_waits);
		set_tally(&values[TREE_PAGE_LATCH_WAIT_COUNT], &table->tree_waits);
	}
	rows_add_integer(rows, DATABASE_SALES);
	rows_add_integer(rows, index->object_id);
	rows_add_integer(rows, index->index_id);
	rows_add_integer(rows, 1);
	rows_add_integer(rows, metadata_partition_id(index->object_id, index->index_id));
	for (int i = 0; i < OPERATIONAL_COLUMNS; i++)
		rows_add_integer(rows, values[i]);
}

/* An argument that is NULL, 0 or left out stands for all. */
static bool is_asked(const struct cell *argument, int64_t value)
{
	return argument->kind != CELL_INTEGER || argument->integer <= 0 ||
	       argument->integer == value;
}

static void fill_operational(struct view_request *request, struct rows *rows)
{
	const struct cell *arguments = request->arguments;
	size_t count;
	const struct metadata_index *indexes = metadata_indexes(&count);

	for (size_t i = 0; i < count; i++)
		if (indexes[i].object_id != OBJECT_SYSSCHOBJS &&
		    is_asked(&arguments[0], DATABASE_SALES) &&
		    is_asked(&arguments[1], indexes[i].object_id) &&
		    is_asked(&arguments[2], indexes[i].index_id) && is_asked(&arguments[3], 1))
			add_index(request, rows, &indexes[i]);
}

static void fill_session_waits(struct view_request *request, struct rows *rows)
{
	const struct machine *machine = &request->instance->contention->stage.machine;

	for (size_t i = 0; i < machine->worker_count; i++) {
		const struct worker *worker = machine->workers[i];
		for (int kind = 0; kind < WAIT_KINDS && !worker->is_gone; kind++) {
			const struct tally *tally = &worker->waits[kind];
			if (tally->count == 0)
				continue;
			rows_add_integer(rows, worker->session_id);
			rows_add_text(rows, wait_kind_name((enum wait_kind)kind));
			rows_add_integer(rows, tally->count);
			rows_add_integer(rows, tally->time_ns / MILLISECOND_NS);
			rows_add_integer(rows, tally->max_ns / MILLISECOND_NS);
			rows_add_integer(rows, tally->signal_ns / MILLISECOND_NS);
		}
	}
}

static const struct view views[] = {
	{"dm_db_index_operational_stats",
	 "database_id smallint not null, object_id int not null, index_id int not null, "
	 "partition_number int not null, hobt_id bigint not null, leaf_insert_count bigint not null, "
	 "leaf_delete_count bigint not null, leaf_update_count bigint not null, "
	 "leaf_ghost_count bigint not null, nonleaf_insert_count bigint not null, "
	 "nonleaf_delete_count bigint not null, nonleaf_update_count bigint not null, "
	 "leaf_allocation_count bigint not null, nonleaf_allocation_count bigint not null, "
	 "leaf_page_merge_count bigint not null, nonleaf_page_merge_count bigint not null, "
	 "range_scan_count bigint not null, singleton_lookup_count bigint not null, "
	 "forwarded_fetch_count bigint not null, lob_fetch_in_pages bigint not null, "
	 "lob_fetch_in_bytes bigint not null, lob_orphan_create_count bigint not null, "
	 "lob_orphan_insert_count bigint not null, row_overflow_fetch_in_pages bigint not null, "
	 "row_overflow_fetch_in_bytes bigint not null, column_value_push_off_row_count bigint not null, "
	 "column_value_pull_in_row_count bigint not null, row_lock_count bigint not null, "
	 "row_lock_wait_count bigint not null, row_lock_wait_in_ms bigint not null, "
	 "page_lock_count bigint not null, page_lock_wait_count bigint not null, "
	 "page_lock_wait_in_ms bigint not null, index_lock_promotion_attempt_count bigint not null, "
	 "index_lock_promotion_count bigint not null, page_latch_wait_count bigint not null, "
	 "page_latch_wait_in_ms bigint not null, page_io_latch_wait_count bigint not null, "
	 "page_io_latch_wait_in_ms bigint not null, tree_page_latch_wait_count bigint not null, "
	 "tree_page_latch_wait_in_ms bigint not null, tree_page_io_latch_wait_count bigint not null, "
	 "tree_page_io_latch_wait_in_ms bigint not null, page_compression_attempt_count bigint not null, "
	 "page_compression_success_count bigint not null",
	 "database_id__ smallint, object_id__ int, index_id__ int, partition_number__ int", false,
	 fill_operational},
	{"dm_exec_session_wait_stats",
	 "session_id smallint not null, wait_type nvarchar(60) not null, "
	 "waiting_tasks_count bigint not null, wait_time_ms bigint not null, "
	 "max_wait_time_ms bigint not null, signal_wait_time_ms bigint not null",
	 NULL, false, fill_session_waits},
};

const struct view *views_of_contention(size_t *count)
{
	*count = sizeof(views) / sizeof(views[0]);
	return views;
}
