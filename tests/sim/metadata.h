/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands in the catalogs of the simulated databases: databases, schemas, tables, columns,
 * indexes. Constant data, one row of a table per thing; only the sequential-key option of PK_Orders
 * changes and is kept by the instance. Pure throughout.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DATABASE_MASTER 1
#define DATABASE_TEMPDB 2
#define DATABASE_SALES	5

#define OBJECT_SYSSCHOBJS 34
#define OBJECT_ORDERS	  901578250
#define OBJECT_AUDIT	  933578364
#define OBJECT_QUEUE	  965578478
#define OBJECT_INVOICES	  997578592

/* The one busy page of dbo.Queue, in file 1 of Sales. */
#define PAGE_OF_QUEUE 2208

struct metadata_database {
	int32_t id;
	const char *name;
};

struct metadata_object {
	int32_t database_id; /* 0 = in every database */
	int32_t object_id;
	int32_t parent_id; /* of keys and defaults */
	int32_t schema_id; /* 1 dbo, 4 sys */
	const char *name;
	const char *type; /* "U ", "PK", "D ", "S " */
	const char *type_desc;
	bool is_ms_shipped;
};

struct metadata_column {
	int32_t object_id;
	int32_t column_id;
	const char *name;
	const char *type;
	int32_t max_length;
	bool is_nullable;
	bool is_identity;
	const char *default_name; /* with its text, or both NULL */
	const char *default_text;
};

struct metadata_index {
	int32_t object_id;
	int32_t index_id;
	const char *name;
	bool is_unique;
	bool is_primary_key;
	int32_t key_column; /* the leading key */
};

struct metadata_type {
	int32_t system_type_id;
	const char *name;
};

const struct metadata_database *metadata_databases(size_t *count);
const struct metadata_object *metadata_objects(size_t *count);
const struct metadata_column *metadata_columns(size_t *count);
const struct metadata_index *metadata_indexes(size_t *count);
const struct metadata_type *metadata_types(size_t *count);

/* NULL when there is none; names without regard to letter case. */
const struct metadata_database *metadata_find_database(const char *name);
const struct metadata_database *metadata_find_database_id(int64_t id);

/* The object as seen from a database; NULL when it is not there. */
const struct metadata_object *metadata_find_object(int32_t database_id, int64_t object_id);
const struct metadata_object *metadata_find_object_name(int32_t database_id, const char *name);

/* "dbo", "sys", ... or NULL. */
const char *metadata_schema_name(int64_t schema_id);

int32_t metadata_type_id(const char *name);
int64_t metadata_partition_id(int32_t object_id, int32_t index_id);

/* True when things of that database id are in this database; 0 stands for all. */
bool metadata_is_in(int32_t object_database_id, int32_t database_id);
