/* SPDX-License-Identifier: Apache-2.0 */
/* The catalog views: databases, tables, columns, indexes. Runs with the instance locked. */
#include "tests/sim/instance_state.h"

#include "tests/sim/metadata.h"

#include <stdio.h>
#include <string.h>

static int32_t asked_database(const struct view_request *request)
{
	const struct metadata_database *database = metadata_find_database(request->database);

	return database ? database->id : -1;
}

static void fill_databases(struct view_request *request, struct rows *rows)
{
	size_t count;
	const struct metadata_database *databases = metadata_databases(&count);

	(void)request;
	for (size_t i = 0; i < count; i++) {
		rows_add_text(rows, databases[i].name);
		rows_add_integer(rows, databases[i].id);
		rows_add_integer(rows, 150);
		rows_add_text(rows, "SQL_Latin1_General_CP1_CI_AS");
		rows_add_integer(rows, 0);
		rows_add_text(rows, "MULTI_USER");
		rows_add_integer(rows, 0);
		rows_add_integer(rows, 0);
		rows_add_text(rows, "ONLINE");
		rows_add_integer(rows, 0);
	}
}

static void fill_schemas(struct view_request *request, struct rows *rows)
{
	(void)request;
	for (int64_t id = 1; metadata_schema_name(id); id++) {
		rows_add_text(rows, metadata_schema_name(id));
		rows_add_integer(rows, id);
		rows_add_integer(rows, id);
	}
}

/* Objects of one type, or of all with NULL. */
static void add_objects(const struct view_request *request, struct rows *rows, const char *type)
{
	int32_t database_id = asked_database(request);
	size_t count;
	const struct metadata_object *objects = metadata_objects(&count);

	for (size_t i = 0; i < count; i++) {
		if (!metadata_is_in(objects[i].database_id, database_id))
			continue;
		if (type && strcmp(objects[i].type, type) != 0)
			continue;
		rows_add_text(rows, objects[i].name);
		rows_add_integer(rows, objects[i].object_id);
		rows_add_integer(rows, objects[i].schema_id);
		rows_add_integer(rows, objects[i].parent_id);
		rows_add_text(rows, objects[i].type);
		rows_add_text(rows, objects[i].type_desc);
		rows_add_text(rows, "2023-11-02T09:14:25.340");
		rows_add_integer(rows, objects[i].is_ms_shipped);
	}
}

static void fill_objects(struct view_request *request, struct rows *rows)
{
	add_objects(request, rows, NULL);
}

static void fill_tables(struct view_request *request, struct rows *rows)
{
	add_objects(request, rows, "U ");
}

static void add_column(struct rows *rows, const struct metadata_column *column)
{
	rows_add_integer(rows, column->object_id);
	rows_add_text(rows, column->name);
	rows_add_integer(rows, column->column_id);
	rows_add_integer(rows, metadata_type_id(column->type));
	rows_add_integer(rows, metadata_type_id(column->type));
	rows_add_integer(rows, column->max_length);
	rows_add_integer(rows, column->is_nullable);
	rows_add_integer(rows, column->is_identity);
	const struct metadata_object *constraint =
		column->default_name
			? metadata_find_object_name(DATABASE_SALES, column->default_name)
			: NULL;
	rows_add_integer(rows, constraint ? constraint->object_id : 0);
}

static void fill_columns(struct view_request *request, struct rows *rows)
{
	size_t count;
	const struct metadata_column *columns = metadata_columns(&count);

	for (size_t i = 0; i < count; i++)
		if (metadata_find_object(asked_database(request), columns[i].object_id))
			add_column(rows, &columns[i]);
}

static void fill_identity_columns(struct view_request *request, struct rows *rows)
{
	size_t count;
	const struct metadata_column *columns = metadata_columns(&count);

	for (size_t i = 0; i < count; i++) {
		if (!columns[i].is_identity ||
		    !metadata_find_object(asked_database(request), columns[i].object_id))
			continue;
		add_column(rows, &columns[i]);
		rows_add_integer(rows, 1);
		rows_add_integer(rows, 1);
		rows_add_integer(rows,
				 page_store_rows(&request->instance->pages, request->now.mono_us));
	}
}

static void fill_default_constraints(struct view_request *request, struct rows *rows)
{
	size_t count;
	const struct metadata_column *columns = metadata_columns(&count);

	for (size_t i = 0; i < count; i++) {
		if (!columns[i].default_name)
			continue;
		const struct metadata_object *object =
			metadata_find_object_name(asked_database(request), columns[i].default_name);
		if (!object)
			continue;
		rows_add_text(rows, object->name);
		rows_add_integer(rows, object->object_id);
		rows_add_integer(rows, object->schema_id);
		rows_add_integer(rows, columns[i].object_id);
		rows_add_integer(rows, columns[i].column_id);
		rows_add_text(rows, columns[i].default_text);
	}
}

static void fill_indexes(struct view_request *request, struct rows *rows)
{
	size_t count;
	const struct metadata_index *indexes = metadata_indexes(&count);

	for (size_t i = 0; i < count; i++) {
		const struct metadata_index *index = &indexes[i];
		if (!metadata_find_object(asked_database(request), index->object_id))
			continue;
		bool is_clustered = index->index_id == 1;
		bool is_hot = index->object_id == OBJECT_ORDERS && is_clustered;
		rows_add_integer(rows, index->object_id);
		rows_add_text(rows, index->name);
		rows_add_integer(rows, index->index_id);
		rows_add_integer(rows, is_clustered ? 1 : 2);
		rows_add_text(rows, is_clustered ? "CLUSTERED" : "NONCLUSTERED");
		rows_add_integer(rows, index->is_unique);
		rows_add_integer(rows, index->is_primary_key);
		rows_add_integer(rows, 0);
		rows_add_integer(rows, 0);
		rows_add_integer(rows, is_hot && request->instance->has_sequential_key_option);
	}
}

static void fill_index_columns(struct view_request *request, struct rows *rows)
{
	size_t count;
	const struct metadata_index *indexes = metadata_indexes(&count);

	for (size_t i = 0; i < count; i++) {
		if (!metadata_find_object(asked_database(request), indexes[i].object_id))
			continue;
		rows_add_integer(rows, indexes[i].object_id);
		rows_add_integer(rows, indexes[i].index_id);
		rows_add_integer(rows, 1);
		rows_add_integer(rows, indexes[i].key_column);
		rows_add_integer(rows, 1);
		rows_add_integer(rows, 0);
		rows_add_integer(rows, 0);
		rows_add_integer(rows, 0);
	}
}

static void fill_partitions(struct view_request *request, struct rows *rows)
{
	size_t count;
	const struct metadata_index *indexes = metadata_indexes(&count);
	int64_t orders = page_store_rows(&request->instance->pages, request->now.mono_us);

	for (size_t i = 0; i < count; i++) {
		if (!metadata_find_object(asked_database(request), indexes[i].object_id))
			continue;
		int64_t partition =
			metadata_partition_id(indexes[i].object_id, indexes[i].index_id);
		rows_add_integer(rows, partition);
		rows_add_integer(rows, indexes[i].object_id);
		rows_add_integer(rows, indexes[i].index_id);
		rows_add_integer(rows, 1);
		rows_add_integer(rows, partition);
		rows_add_integer(rows, indexes[i].object_id == OBJECT_ORDERS ? orders : 400);
	}
}

/* No table here takes its key from one; the view must be there for those who look. */
static void fill_sequences(struct view_request *request, struct rows *rows)
{
	(void)request;
	(void)rows;
}

static void fill_types(struct view_request *request, struct rows *rows)
{
	size_t count;
	const struct metadata_type *types = metadata_types(&count);

	(void)request;
	for (size_t i = 0; i < count; i++) {
		rows_add_text(rows, types[i].name);
		rows_add_integer(rows, types[i].system_type_id);
		rows_add_integer(rows, types[i].system_type_id);
	}
}

#define OBJECT_COLUMNS                                                                                     \
	"name sysname not null, object_id int not null, schema_id int not null, parent_object_id int not " \
	"null, type nchar(2) not null, type_desc nvarchar(60), create_date datetime not null, "            \
	"is_ms_shipped bit not null"

#define COLUMN_COLUMNS                                                                                    \
	"object_id int not null, name sysname, column_id int not null, system_type_id tinyint not null, " \
	"user_type_id int not null, max_length smallint not null, is_nullable bit, is_identity bit not "  \
	"null, default_object_id int not null"

static const struct view views[] = {
	{"databases",
	 "name sysname not null, database_id int not null, compatibility_level tinyint not null, "
	 "collation_name sysname, user_access tinyint, user_access_desc nvarchar(60), is_read_only bit, "
	 "state tinyint, state_desc nvarchar(60), is_accelerated_database_recovery_on bit",
	 NULL, false, fill_databases},
	{"schemas", "name sysname not null, schema_id int not null, principal_id int", NULL, true,
	 fill_schemas},
	{"objects", OBJECT_COLUMNS, NULL, true, fill_objects},
	{"all_objects", OBJECT_COLUMNS, NULL, true, fill_objects},
	{"tables", OBJECT_COLUMNS, NULL, true, fill_tables},
	{"columns", COLUMN_COLUMNS, NULL, true, fill_columns},
	{"identity_columns",
	 COLUMN_COLUMNS
	 ", seed_value sql_variant, increment_value sql_variant, last_value sql_variant",
	 NULL, true, fill_identity_columns},
	{"default_constraints",
	 "name sysname not null, object_id int not null, schema_id int not null, parent_object_id int not "
	 "null, parent_column_id int not null, definition nvarchar(0)",
	 NULL, true, fill_default_constraints},
	{"sequences",
	 OBJECT_COLUMNS
	 ", current_value sql_variant not null, increment sql_variant not null, cache_size "
	 "int, is_cached bit not null, is_exhausted bit not null, last_used_value sql_variant",
	 NULL, true, fill_sequences},
	{"indexes",
	 "object_id int not null, name sysname, index_id int not null, type tinyint not null, "
	 "type_desc nvarchar(60), is_unique bit, is_primary_key bit, fill_factor tinyint not null, "
	 "is_disabled bit, optimize_for_sequential_key bit",
	 NULL, true, fill_indexes},
	{"index_columns",
	 "object_id int not null, index_id int not null, index_column_id int not null, column_id int not "
	 "null, key_ordinal tinyint not null, partition_ordinal tinyint not null, is_descending_key bit, "
	 "is_included_column bit",
	 NULL, true, fill_index_columns},
	{"partitions",
	 "partition_id bigint not null, object_id int not null, index_id int not null, partition_number int "
	 "not null, hobt_id bigint not null, rows bigint",
	 NULL, true, fill_partitions},
	{"types",
	 "name sysname not null, system_type_id tinyint not null, user_type_id int not null", NULL,
	 true, fill_types},
};

const struct view *views_of_metadata(size_t *count)
{
	*count = sizeof(views) / sizeof(views[0]);
	return views;
}
