/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The views of schema sys: a table of names, columns and fill functions, served to SQLite as
 * eponymous virtual tables. Within one statement each view is read once, at one moment. Runs in
 * session threads; the fill functions run with the instance locked.
 */
#pragma once

#include "tests/sim/rows.h"

#include <sqlite3.h>
#include <stdint.h>

#define CATALOG_COLUMNS_MAX 96

struct instance;
struct profile;
struct session_engine;
struct text;

/* One point in time, on both clocks of the simulated machine. */
struct moment {
	int64_t mono_us;
	int64_t utc_us;
};

struct view_request {
	struct instance *instance; /* locked */
	struct moment now;
	int32_t session_id;   /* of the asker */
	const char *database; /* of the asker, or the one named in a three-part name */
	const struct cell *arguments;
	const char *
		error; /* set by a fill function that refuses; static text "number severity text" */
};

struct view {
	const char *name;
	const char *columns;   /* "name type [not null], ..." as documented; nvarchar(0) is
				  nvarchar(max) */
	const char *arguments; /* of a table-valued function, same form, or NULL */
	bool is_per_database;
	void (*fill)(struct view_request *request, struct rows *rows);
};

/* The parts of the catalog, each in a file of its own. */
const struct view *views_of_counters(size_t *count);
const struct view *views_of_activity(size_t *count);
const struct view *views_of_server(size_t *count);
const struct view *views_of_metadata(size_t *count);
const struct view *views_of_pages(size_t *count);
const struct view *views_of_contention(size_t *count);

/* The view of that name (without schema), or NULL. Pure. */
const struct view *catalog_find_view(const char *name, size_t size);

/*
 * The declared type of a column: of that view, or with view NULL of the first view that has such a
 * column; a counted string, NULL when there is none. Pure.
 */
const char *catalog_column_type(const struct view *view, const char *column, size_t column_size,
				size_t *type_size, bool *is_nullable);

/* The view behind another, the first with NULL; NULL behind the last. Pure. */
const struct view *catalog_next_view(const struct view *previous);

/* Where a column stands in the rows of a view, -1 when it has none of that name. Pure. */
int catalog_column_position(const struct view *view, const char *column);

/*
 * Writes a view as CREATE TABLE, with the columns and types this version has; column_of tells where
 * each is among all_count columns. Returns how many there are, arguments apart.
 */
size_t catalog_declare(const struct view *view, const struct profile *profile,
		       struct text *declaration, int column_of[CATALOG_COLUMNS_MAX],
		       size_t *all_count);

/* Makes all views visible to a connection; false when SQLite refuses. */
bool catalog_register(sqlite3 *database, struct session_engine *engine);
