/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The T-SQL functions that ask the server: properties, names of things, rights, times. Run in
 * session threads inside a query; what the instance can change is read under its lock.
 */
#include "tests/sim/functions.h"

#include "tests/sim/metadata.h"
#include "tests/sim/session_rights.h"
#include "tests/sim/tsql_type.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static struct session_engine *engine_of(sqlite3_context *context)
{
	return sqlite3_user_data(context);
}

static const char *text_of(sqlite3_value *value)
{
	const unsigned char *text = sqlite3_value_text(value);

	return text ? (const char *)text : "";
}

static void answer_text(sqlite3_context *context, const char *text)
{
	if (text)
		sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
	else
		sqlite3_result_null(context);
}

/* A part of the version number: 0 = major. */
static void version_part(const struct profile *profile, int part, char text[16])
{
	const char *at = profile->version;

	for (; part > 0; part--)
		at = strchr(at, '.') + 1;
	snprintf(text, 16, "%.*s", (int)strcspn(at, "."), at);
}

/* What the version alone decides; false when it is none of these. */
static bool answer_version(sqlite3_context *context, const struct profile *profile,
			   const char *name)
{
	static const char *const parts[] = {"ProductMajorVersion", "ProductMinorVersion",
					    "ProductBuild"};
	const struct {
		const char *name;
		const char *text;
	} texts[] = {
		{"ProductVersion", profile->version},	       {"ProductLevel", profile->level},
		{"ProductUpdateLevel", profile->update_level}, {"Edition", profile->edition},
		{"Collation", "SQL_Latin1_General_CP1_CI_AS"},
	};
	char text[16];

	for (int i = 0; i < 3; i++) {
		if (strcasecmp(parts[i], name) != 0)
			continue;
		version_part(profile, i, text);
		answer_text(context, profile->has_major_property ? text : NULL);
		return true;
	}
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (strcasecmp(texts[i].name, name) != 0)
			continue;
		answer_text(context, texts[i].text);
		return true;
	}
	return false;
}

static bool answer_number(sqlite3_context *context, const struct profile *profile, const char *name)
{
	const struct {
		const char *name;
		int number;
		unsigned profiles;
	} numbers[] = {
		{"EngineEdition", profile->engine_edition, PROFILE_ALL},
		{"IsClustered", 0, PROFILE_ALL},
		{"IsHadrEnabled", 0, PROFILE_ALL},
		{"IsTempdbMetadataMemoryOptimized", 0, PROFILE_SINCE_2019},
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (strcasecmp(numbers[i].name, name) != 0 || !(numbers[i].profiles & profile->bit))
			continue;
		sqlite3_result_int(context, numbers[i].number);
		return true;
	}
	return false;
}

void function_serverproperty(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	struct instance *instance = engine_of(context)->instance;
	const char *name = text_of(argv[0]);
	const char *changing = NULL;

	(void)argc;
	if (answer_version(context, instance->profile, name) ||
	    answer_number(context, instance->profile, name))
		return;
	instance_lock(instance);
	if (strcasecmp(name, "ServerName") == 0)
		changing = instance->server_name;
	else if (strcasecmp(name, "MachineName") == 0 ||
		 strcasecmp(name, "ComputerNamePhysicalNetBIOS") == 0)
		changing = instance->node_name;
	else if (strcasecmp(name, "InstanceName") == 0 && strchr(instance->server_name, '\\'))
		changing = strchr(instance->server_name, '\\') + 1;
	if (strcasecmp(name, "ProcessID") == 0)
		sqlite3_result_int(context, instance->process_id);
	else
		answer_text(context, changing);
	instance_unlock(instance);
}

static void answer_product(sqlite3_context *context, const struct profile *profile)
{
	char text[300];

	if (profile->bit & PROFILE_CLOUD)
		snprintf(text, sizeof(text), "Microsoft %s (RTM) - %s \n\tAug  6 2025 (simulated)",
			 profile->product, profile->version);
	else
		snprintf(text, sizeof(text),
			 "Microsoft %s (%s%s%s) - %s (X64) \n\t%s on Windows Server 2019 Standard "
			 "10.0 <X64> (simulated)",
			 profile->product, profile->level, profile->update_level ? "-" : "",
			 profile->update_level ? profile->update_level : "", profile->version,
			 profile->edition);
	answer_text(context, text);
}

void function_server_variable(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	const struct session_engine *engine = engine_of(context);
	const char *name = text_of(argv[0]);

	(void)argc;
	if (strcasecmp(name, "@@SERVERNAME") == 0) {
		char server[NAME_SIZE];
		instance_server_name(engine->instance, server, sizeof(server));
		answer_text(context, server);
	} else if (strcasecmp(name, "@@VERSION") == 0) {
		answer_product(context, engine->instance->profile);
	} else if (strcasecmp(name, "@@SPID") == 0) {
		sqlite3_result_int(context, engine->session_id);
	} else if (strcasecmp(name, "@@TRANCOUNT") == 0) {
		sqlite3_result_int(context, engine->transaction_count);
	} else if (strcasecmp(name, "@@SERVICENAME") == 0) {
		answer_text(context, "MSSQLSERVER");
	} else if (strcasecmp(name, "@@LOCK_TIMEOUT") == 0) {
		sqlite3_result_int(context, -1);
	} else if (strcasecmp(name, "@@MICROSOFTVERSION") == 0) {
		/* 0x0F0010DC is 15.0.4316 */
		char build[16];
		version_part(engine->instance->profile, 2, build);
		sqlite3_result_int64(context, strtol(engine->instance->profile->version, NULL, 10)
							      << 24 |
						      strtol(build, NULL, 10));
	} else if (strcasecmp(name, "@@ROWCOUNT") == 0) {
		sqlite3_result_int64(context, engine->row_count);
	} else {
		/* @@ERROR and its kind. */
		sqlite3_result_int(context, 0);
	}
}

static int32_t current_database(const struct session_engine *engine)
{
	const struct metadata_database *database = metadata_find_database(engine->database_name);

	return database ? database->id : DATABASE_MASTER;
}

/* The database of an optional argument; the session's own without it. */
static int32_t database_argument(sqlite3_context *context, int argc, sqlite3_value **argv,
				 int position)
{
	return argc > position ? sqlite3_value_int(argv[position])
			       : current_database(engine_of(context));
}

void function_db_id(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	if (argc == 0) {
		sqlite3_result_int(context, current_database(engine_of(context)));
		return;
	}
	const struct metadata_database *database = metadata_find_database(text_of(argv[0]));
	if (database)
		sqlite3_result_int(context, database->id);
}

void function_db_name(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	int32_t id = database_argument(context, argc, argv, 0);
	const struct metadata_database *database = metadata_find_database_id(id);

	answer_text(context, database ? database->name : NULL);
}

static bool may_see(sqlite3_context *context, int32_t database_id, int64_t object_id)
{
	const struct session_engine *engine = engine_of(context);

	instance_lock(engine->instance);
	bool is_seen = session_sees_object(engine, database_id, object_id);
	instance_unlock(engine->instance);
	return is_seen;
}

void function_object_name(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	int32_t database_id = database_argument(context, argc, argv, 1);
	const struct metadata_object *object =
		metadata_find_object(database_id, sqlite3_value_int64(argv[0]));

	answer_text(context, object && may_see(context, database_id, object->object_id)
				     ? object->name
				     : NULL);
}

void function_object_schema_name(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	int32_t database_id = database_argument(context, argc, argv, 1);
	const struct metadata_object *object =
		metadata_find_object(database_id, sqlite3_value_int64(argv[0]));

	answer_text(context, object && may_see(context, database_id, object->object_id)
				     ? metadata_schema_name(object->schema_id)
				     : NULL);
}

/* Splits "[Sales].dbo.Orders" into parts without brackets; returns how many there were. */
static int split_name(const char *name, char parts[3][NAME_SIZE])
{
	int count = 0;

	while (*name != '\0' && count < 3) {
		bool is_quoted = *name == '[';
		name += is_quoted;
		size_t size = strcspn(name, is_quoted ? "]" : ".");
		snprintf(parts[count++], NAME_SIZE, "%.*s", (int)size, name);
		name += size;
		name += is_quoted && *name == ']';
		if (*name == '.')
			name++;
	}
	return count;
}

void function_object_id(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	char parts[3][NAME_SIZE];
	int count = split_name(text_of(argv[0]), parts);
	int32_t database_id = current_database(engine_of(context));

	(void)argc; /* The type of object is not looked at. */
	if (count == 0)
		return;
	const char *name = parts[count - 1];
	if (count == 3) {
		const struct metadata_database *database = metadata_find_database(parts[0]);
		database_id = database ? database->id : -1;
	}
	const struct metadata_object *object = metadata_find_object_name(database_id, name);
	if (object) {
		if (may_see(context, database_id, object->object_id))
			sqlite3_result_int(context, object->object_id);
		return;
	}
	const struct view *view = catalog_find_view(name, strlen(name));
	if (view && profile_has_view(engine_of(context)->instance->profile, view->name))
		/* System objects have negative numbers; any will do as long as it is not NULL. */
		sqlite3_result_int(context, -(int)strlen(name) - 100);
}

void function_schema_name(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	answer_text(context, metadata_schema_name(argc > 0 ? sqlite3_value_int(argv[0]) : 1));
}

void function_type_name(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	size_t count;
	const struct metadata_type *types = metadata_types(&count);

	(void)argc;
	for (size_t i = 0; i < count; i++)
		if (types[i].system_type_id == sqlite3_value_int(argv[0]))
			answer_text(context, types[i].name);
}

void function_col_length(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	char parts[3][NAME_SIZE];
	int count = split_name(text_of(argv[0]), parts);
	const char *column = text_of(argv[1]);
	size_t type_size;
	bool is_nullable;

	(void)argc;
	if (count == 0)
		return;
	const struct view *view = catalog_find_view(parts[count - 1], strlen(parts[count - 1]));
	const char *type =
		view ? catalog_column_type(view, column, strlen(column), &type_size, &is_nullable)
		     : NULL;
	struct tsql_type parsed;
	const char *other = NULL; /* another type has the same size for all that matters here */
	const struct profile *profile = engine_of(context)->instance->profile;
	if (view && (!profile_has_view(profile, view->name) ||
		     !profile_has_column(profile, view->name, column, strlen(column), &other)))
		return;
	if (type && tsql_type_parse(type, type_size, &parsed))
		sqlite3_result_int(context, parsed.type == SQL_NVARCHAR ? parsed.length * 2
					    : parsed.type == SQL_BIGINT ? 8
					    : parsed.type == SQL_BIT	? 1
									: 4);
}

void function_datetime2_now(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	char text[40];

	(void)argc;
	(void)argv;
	time_format(engine_of(context)->now.utc_us, true, text);
	answer_text(context, text);
}

void function_datetime_now(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	char text[40];

	(void)argc;
	(void)argv;
	time_format(engine_of(context)->now.utc_us, false, text);
	answer_text(context, text);
}

void function_session_text(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	struct session_engine *engine = engine_of(context);

	(void)argc;
	(void)argv;
	instance_lock(engine->instance);
	answer_text(context, engine->client->login_name);
	instance_unlock(engine->instance);
}

/* Only what tells tiers of Azure SQL Database apart; NULL for every other property. */
void function_database_property(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	const struct profile *profile = engine_of(context)->instance->profile;

	(void)argc;
	if (strcasecmp(text_of(argv[1]), "ServiceObjective") == 0)
		answer_text(context, profile->service_objective);
}
