/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names the owners of hot pages. Runs in the lookup thread on a session of its own. Keeps nothing
 * between calls: the caller decides how long an answer, the option flag above all, may be believed.
 */
#include "collectors/page_owner.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "collectors/embedded.h"
#include "collectors/index_shape.h"
#include "collectors/statement.h"

enum {
	VALUES_MAX = 1 + 3 * PAGES_PER_LOOKUP,
	VALUE_NAME_SIZE = 16,
	PAGE_ID_MAX = INT32_MAX,
	SYSTEM_OBJECT_ID_MAX = 99, /* system base tables are 3, 5, 7 ... 98 */
};

/* One run of page_owner.sql: slot i asks for owners[i]. */
struct lookup {
	enum server_class class;
	struct page_owner *owners[PAGES_PER_LOOKUP];
	size_t count;
};

/* DECLARE names are made, not listed: @database0 ... @page7. */
struct values {
	struct statement_value list[VALUES_MAX];
	char names[VALUES_MAX][VALUE_NAME_SIZE];
	size_t count;
};

static void add_value(struct values *values, const char *name, size_t slot, int64_t value)
{
	char *text = values->names[values->count];
	(void)snprintf(text, VALUE_NAME_SIZE, "@%s%zu", name, slot); /* fits: one digit */
	values->list[values->count++] = (struct statement_value){.name = text, .value = value};
}

static void begin_owner(struct page_owner *owner, const struct page_address *page,
			int64_t now_utc_ms)
{
	*owner = (struct page_owner){
		.database_id = page->database_id,
		.file_id = page->file_id,
		.page_id = page->page_id,
		.state = PAGE_OWNER_NOT_FOUND,
		.level = -1,
		.next_page_id = -1,
		.previous_page_id = -1,
		.is_ascending = -1,
		.is_descending = -1,
		.optimize_for_sequential_key = -1,
		.looked_up_utc_ms = now_utc_ms,
	};
	(void)stpncpy(owner->error, "the page belongs to no object", sizeof(owner->error) - 1);
}

static void fail_owner(struct page_owner *owner, enum page_owner_state state, const char *text)
{
	owner->state = state;
	(void)snprintf(owner->error, sizeof(owner->error), "%s", text); /* may cut */
}

static int64_t id_of(const struct session_cell *cell)
{
	return cell->is_null ? -1 : cell->integer;
}

static void name_owner(struct page_owner *owner, const struct session_cell *cells)
{
	char schema[SERVER_NAME_SIZE];
	char object[SERVER_NAME_SIZE];
	session_cell_copy(&cells[11], owner->database, sizeof(owner->database));
	session_cell_copy(&cells[12], schema, sizeof(schema));
	session_cell_copy(&cells[13], object, sizeof(object));
	if (object[0] == '\0') {
		fail_owner(owner, PAGE_OWNER_NO_RIGHT,
			   "the login may not see the object's name: GRANT VIEW ANY DEFINITION");
		return;
	}
	(void)snprintf(owner->object, sizeof(owner->object), "%s.%s", schema, object); /* fits */
	owner->is_system_object =
		owner->object_id <= SYSTEM_OBJECT_ID_MAX || strcmp(schema, "sys") == 0;
	owner->state = PAGE_OWNER_NAMED;
	owner->error[0] = '\0';
}

static bool take_owner(void *context, int result, const struct session_cell *cells,
		       size_t cell_count, struct error *err)
{
	const struct lookup *lookup = context;
	(void)result;
	if (cell_count != 14)
		return error_set(err, ERROR_PROTOCOL, 0, "page owner has %zu columns", cell_count);
	if (cells[0].integer < 0 || cells[0].integer >= (int64_t)lookup->count)
		return error_set(err, ERROR_PROTOCOL, 0, "page owner has the slot %lld",
				 (long long)cells[0].integer);
	if (cells[1].is_null || cells[1].integer <= 0)
		return true; /* not allocated to any object */
	struct page_owner *owner = lookup->owners[cells[0].integer];
	owner->object_id = cells[1].integer;
	owner->index_id = (int32_t)cells[2].integer;
	owner->partition_id = cells[3].integer;
	owner->page_type = (int32_t)cells[4].integer;
	owner->level = (int32_t)id_of(&cells[5]);
	owner->next_file_id = (int32_t)cells[6].integer;
	owner->next_page_id = id_of(&cells[7]);
	owner->previous_file_id = (int32_t)cells[8].integer;
	owner->previous_page_id = id_of(&cells[9]);
	owner->is_mixed_extent = cells[10].integer == 1;
	name_owner(owner, cells);
	return true;
}

static bool run_rendered(struct session *session, const char *path,
			 const struct statement_value *values, size_t value_count,
			 const char *database, session_row_fn *row, void *context,
			 struct error *err)
{
	const struct embedded *file = embedded_find(embedded_collectors, path);
	assert(file);
	CLEANUP(strbuf_done) struct strbuf sql = STRBUF_INIT;
	int result_count = 0;
	return statement_render(&sql, file->data, values, value_count, database, err) &&
	       session_run(session, sql.data, row, context, &result_count, err);
}

static bool run_lookup(struct session *session, struct lookup *lookup, struct error *err)
{
	struct values values = {.count = 0};
	for (size_t slot = 0; slot < lookup->count; slot++) {
		add_value(&values, "database", slot, lookup->owners[slot]->database_id);
		add_value(&values, "file", slot, lookup->owners[slot]->file_id);
		add_value(&values, "page", slot, lookup->owners[slot]->page_id);
	}
	values.list[values.count++] =
		(struct statement_value){.name = "@count", .value = (int64_t)lookup->count};
	const char *path = lookup->class == SERVER_CLASS_D ? "collectors/sql/page_owner_azure.sql"
							   : "collectors/sql/page_owner.sql";
	return run_rendered(session, path, values.list, values.count, NULL, take_owner, lookup,
			    err);
}

/* An error that concerns the pages, not the connection, becomes their state. */
static bool fail_lookup(struct session *session, struct lookup *lookup, const struct error *fault,
			struct error *err)
{
	if (!session_is_alive(session)) {
		*err = *fault;
		return false;
	}
	const enum page_owner_state state =
		fault->kind == ERROR_DENIED ? PAGE_OWNER_NO_RIGHT : PAGE_OWNER_FAILED;
	for (size_t i = 0; i < lookup->count; i++)
		fail_owner(lookup->owners[i], state, fault->text);
	return true;
}

/* All pages in one statement; one bad page fails it, so then each goes by itself. */
static bool look_up_pages(struct session *session, struct lookup *lookup, struct error *err)
{
	struct error fault = ERROR_INIT;
	if (lookup->count == 0 || run_lookup(session, lookup, &fault))
		return true;
	if (lookup->count == 1 || fault.kind != ERROR_SERVER || !session_is_alive(session))
		return fail_lookup(session, lookup, &fault, err);
	for (size_t i = 0; i < lookup->count; i++) {
		struct lookup single = {
			.class = lookup->class, .owners = {lookup->owners[i]}, .count = 1};
		if (!look_up_pages(session, &single, err))
			return false;
	}
	return true;
}

static bool take_shape(void *context, int result, const struct session_cell *cells,
		       size_t cell_count, struct error *err)
{
	(void)result;
	return index_shape_read(cells, cell_count, context, err);
}

static void copy_shape(struct page_owner *to, const struct page_owner *from)
{
	memcpy(to->index, from->index, sizeof(to->index));
	memcpy(to->leading_column, from->leading_column, sizeof(to->leading_column));
	to->is_ascending = from->is_ascending;
	to->is_descending = from->is_descending;
	to->optimize_for_sequential_key = from->optimize_for_sequential_key;
}

static const struct page_owner *same_index_before(const struct page_owner *owners, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (owners[j].state == PAGE_OWNER_NAMED &&
		    owners[j].database_id == owners[i].database_id &&
		    owners[j].object_id == owners[i].object_id &&
		    owners[j].index_id == owners[i].index_id)
			return &owners[j];
	return NULL;
}

/* The shape is a bonus: without it the page still has a name. False when the session broke. */
static bool look_up_shape(struct session *session, struct page_owner *owner, struct error *err)
{
	const struct statement_value values[] = {
		{.name = "@object", .value = owner->object_id},
		{.name = "@index", .value = owner->index_id},
	};
	struct error fault = ERROR_INIT;
	if (run_rendered(session, "collectors/sql/index_shape.sql", values, 2, owner->database,
			 take_shape, owner, &fault) ||
	    session_is_alive(session))
		return true;
	*err = fault;
	return false;
}

static bool look_up_shapes(struct session *session, struct page_owner *owners, size_t count,
			   struct error *err)
{
	for (size_t i = 0; i < count; i++) {
		if (owners[i].state != PAGE_OWNER_NAMED)
			continue;
		const struct page_owner *same = same_index_before(owners, i);
		if (same)
			copy_shape(&owners[i], same);
		else if (!look_up_shape(session, &owners[i], err))
			return false;
	}
	return true;
}

bool page_owner_look_up(struct session *session, const struct server *server,
			const struct page_address *pages, size_t page_count, int64_t now_utc_ms,
			struct page_owner *owners, struct error *err)
{
	assert(page_count <= PAGES_PER_LOOKUP);
	struct lookup lookup = {.class = server->class};
	for (size_t i = 0; i < page_count; i++) {
		begin_owner(&owners[i], &pages[i], now_utc_ms);
		if (server->class == SERVER_CLASS_A)
			fail_owner(&owners[i], PAGE_OWNER_NO_VIEW,
				   "page owners are visible from SQL Server 2019 on");
		else if (server->class == SERVER_CLASS_D &&
			 pages[i].database_id != server->database_id)
			fail_owner(&owners[i], PAGE_OWNER_NO_VIEW,
				   "Azure SQL Database tells of the database alone that latchd is "
				   "connected to");
		else if (pages[i].database_id > 0 && pages[i].file_id > 0 &&
			 pages[i].page_id >= 0 && pages[i].page_id <= PAGE_ID_MAX)
			lookup.owners[lookup.count++] = &owners[i];
	}
	return look_up_pages(session, &lookup, err) &&
	       look_up_shapes(session, owners, page_count, err);
}
