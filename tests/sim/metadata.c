/* SPDX-License-Identifier: Apache-2.0 */
/* The constant catalogs of the simulated databases. Pure; knows neither SQLite nor the instance. */
#include "tests/sim/metadata.h"

#include <string.h>
#include <strings.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static const struct metadata_database databases[] = {
	{DATABASE_MASTER, "master"}, {DATABASE_TEMPDB, "tempdb"}, {3, "model"}, {4, "msdb"},
	{DATABASE_SALES, "Sales"},
};

static const struct metadata_object objects[] = {
	{0, 3, 0, 4, "sysrscols", "S ", "SYSTEM_TABLE", true},
	{0, OBJECT_SYSSCHOBJS, 0, 4, "sysschobjs", "S ", "SYSTEM_TABLE", true},
	{0, 99, 0, 4, "sysallocunits", "S ", "SYSTEM_TABLE", true},
	{DATABASE_SALES, OBJECT_ORDERS, 0, 1, "Orders", "U ", "USER_TABLE", false},
	{DATABASE_SALES, 917578307, OBJECT_ORDERS, 1, "PK_Orders", "PK", "PRIMARY_KEY_CONSTRAINT",
	 false},
	{DATABASE_SALES, 925578335, OBJECT_ORDERS, 1, "DF_Orders_CreatedAt", "D ",
	 "DEFAULT_CONSTRAINT", false},
	{DATABASE_SALES, OBJECT_AUDIT, 0, 1, "Audit", "U ", "USER_TABLE", false},
	{DATABASE_SALES, 949578421, OBJECT_AUDIT, 1, "PK_Audit", "PK", "PRIMARY_KEY_CONSTRAINT",
	 false},
	{DATABASE_SALES, 957578449, OBJECT_AUDIT, 1, "DF_Audit_AuditId", "D ", "DEFAULT_CONSTRAINT",
	 false},
	{DATABASE_SALES, OBJECT_QUEUE, 0, 1, "Queue", "U ", "USER_TABLE", false},
	{DATABASE_SALES, 981578535, OBJECT_QUEUE, 1, "PK_Queue", "PK", "PRIMARY_KEY_CONSTRAINT",
	 false},
	{DATABASE_SALES, OBJECT_INVOICES, 0, 1, "Invoices", "U ", "USER_TABLE", false},
	{DATABASE_SALES, 1013578649, OBJECT_INVOICES, 1, "PK_Invoices", "PK",
	 "PRIMARY_KEY_CONSTRAINT", false},
	{DATABASE_SALES, 1029578706, OBJECT_INVOICES, 1, "DF_Invoices_InvoiceId", "D ",
	 "DEFAULT_CONSTRAINT", false},
};

static const struct metadata_column columns[] = {
	{OBJECT_ORDERS, 1, "OrderId", "int", 4, false, true, NULL, NULL},
	{OBJECT_ORDERS, 2, "CustomerId", "int", 4, false, false, NULL, NULL},
	{OBJECT_ORDERS, 3, "Amount", "decimal", 9, false, false, NULL, NULL},
	{OBJECT_ORDERS, 4, "CreatedAt", "datetime2", 8, false, false, "DF_Orders_CreatedAt",
	 "(sysutcdatetime())"},
	{OBJECT_AUDIT, 1, "AuditId", "uniqueidentifier", 16, false, false, "DF_Audit_AuditId",
	 "(newid())"},
	{OBJECT_AUDIT, 2, "Note", "nvarchar", 400, true, false, NULL, NULL},
	{OBJECT_QUEUE, 1, "QueueId", "bigint", 8, false, false, NULL, NULL},
	{OBJECT_QUEUE, 2, "Payload", "nvarchar", 200, true, false, NULL, NULL},
	{OBJECT_INVOICES, 1, "InvoiceId", "bigint", 8, false, false, "DF_Invoices_InvoiceId",
	 "(NEXT VALUE FOR [dbo].[InvoiceNumbers])"},
	{OBJECT_INVOICES, 2, "Amount", "decimal", 9, false, false, NULL, NULL},
	{OBJECT_SYSSCHOBJS, 1, "id", "int", 4, false, false, NULL, NULL},
};

static const struct metadata_index indexes[] = {
	{OBJECT_ORDERS, 1, "PK_Orders", true, true, 1},
	{OBJECT_ORDERS, 2, "IX_Orders_CustomerId", false, false, 2},
	{OBJECT_AUDIT, 1, "PK_Audit", true, true, 1},
	{OBJECT_QUEUE, 1, "PK_Queue", true, true, 1},
	{OBJECT_INVOICES, 1, "PK_Invoices", true, true, 1},
	{OBJECT_SYSSCHOBJS, 1, "clst", true, false, 1},
};

static const struct metadata_type types[] = {
	{36, "uniqueidentifier"},
	{40, "date"},
	{42, "datetime2"},
	{48, "tinyint"},
	{52, "smallint"},
	{56, "int"},
	{59, "real"},
	{61, "datetime"},
	{62, "float"},
	{104, "bit"},
	{106, "decimal"},
	{127, "bigint"},
	{165, "varbinary"},
	{231, "nvarchar"},
	{239, "nchar"},
};

const struct metadata_database *metadata_databases(size_t *count)
{
	*count = COUNT_OF(databases);
	return databases;
}

const struct metadata_object *metadata_objects(size_t *count)
{
	*count = COUNT_OF(objects);
	return objects;
}

const struct metadata_column *metadata_columns(size_t *count)
{
	*count = COUNT_OF(columns);
	return columns;
}

const struct metadata_index *metadata_indexes(size_t *count)
{
	*count = COUNT_OF(indexes);
	return indexes;
}

const struct metadata_type *metadata_types(size_t *count)
{
	*count = COUNT_OF(types);
	return types;
}

const struct metadata_database *metadata_find_database(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(databases); i++)
		if (strcasecmp(databases[i].name, name) == 0)
			return &databases[i];
	return NULL;
}

const struct metadata_database *metadata_find_database_id(int64_t id)
{
	for (size_t i = 0; i < COUNT_OF(databases); i++)
		if (databases[i].id == id)
			return &databases[i];
	return NULL;
}

bool metadata_is_in(int32_t object_database_id, int32_t database_id)
{
	return object_database_id == 0 || object_database_id == database_id;
}

const struct metadata_object *metadata_find_object(int32_t database_id, int64_t object_id)
{
	for (size_t i = 0; i < COUNT_OF(objects); i++)
		if (objects[i].object_id == object_id &&
		    metadata_is_in(objects[i].database_id, database_id))
			return &objects[i];
	return NULL;
}

const struct metadata_object *metadata_find_object_name(int32_t database_id, const char *name)
{
	for (size_t i = 0; i < COUNT_OF(objects); i++)
		if (strcasecmp(objects[i].name, name) == 0 &&
		    metadata_is_in(objects[i].database_id, database_id))
			return &objects[i];
	return NULL;
}

const char *metadata_schema_name(int64_t schema_id)
{
	switch (schema_id) {
	case 1:
		return "dbo";
	case 2:
		return "guest";
	case 3:
		return "INFORMATION_SCHEMA";
	case 4:
		return "sys";
	default:
		return NULL;
	}
}

int32_t metadata_type_id(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(types); i++)
		if (strcmp(types[i].name, name) == 0)
			return types[i].system_type_id;
	return 0;
}

int64_t metadata_partition_id(int32_t object_id, int32_t index_id)
{
	return INT64_C(72057594038321152) + (int64_t)(object_id % 65536) * 65536 +
	       (int64_t)index_id * 256;
}
