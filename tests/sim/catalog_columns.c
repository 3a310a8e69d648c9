/* SPDX-License-Identifier: Apache-2.0 */
/* The list of all views and what their column lists say. Pure; knows SQLite's grammar only. */
#include "tests/sim/catalog.h"

#include "tests/sim/profile.h"
#include "tests/sim/text.h"

#include <stdio.h>
#include <string.h>

typedef const struct view *(*view_part)(size_t *count);

static const view_part view_parts[] = {
	views_of_counters, views_of_activity, views_of_server,
	views_of_metadata, views_of_pages,    views_of_contention,
};

/* Finds the next "name type" piece of a column list; *list moves behind it. */
static bool next_column(const char **list, const char **start, size_t *size)
{
	int depth = 0;
	const char *at = *list;

	while (*at == ' ' || *at == ',')
		at++;
	if (*at == '\0')
		return false;
	*start = at;
	for (; *at != '\0' && (depth > 0 || *at != ','); at++)
		depth += (*at == '(') - (*at == ')');
	*size = (size_t)(at - *start);
	*list = at;
	return true;
}

static bool find_column(const struct view *view, const char *column, size_t column_size,
			const char **type, size_t *type_size, bool *is_nullable)
{
	const char *list = view->columns;
	const char *start;
	size_t size;

	while (next_column(&list, &start, &size)) {
		const char *blank = memchr(start, ' ', size);
		size_t name_size = blank ? (size_t)(blank - start) : size;
		char name[130];
		snprintf(name, sizeof(name), "%.*s", (int)name_size, start);
		if (!blank || !text_is_word(column, column_size, name))
			continue;
		const char *not_null = memmem(start, size, " not null", 9);
		*type = blank + 1;
		*type_size = (size_t)((not_null ? not_null : start + size) - *type);
		*is_nullable = !not_null;
		return true;
	}
	return false;
}

const struct view *catalog_find_view(const char *name, size_t size)
{
	for (size_t part = 0; part < sizeof(view_parts) / sizeof(view_parts[0]); part++) {
		size_t count;
		const struct view *views = view_parts[part](&count);
		for (size_t i = 0; i < count; i++)
			if (text_is_word(name, size, views[i].name))
				return &views[i];
	}
	return NULL;
}

const char *catalog_column_type(const struct view *view, const char *column, size_t column_size,
				size_t *type_size, bool *is_nullable)
{
	const char *type;

	if (view)
		return find_column(view, column, column_size, &type, type_size, is_nullable) ? type
											     : NULL;
	for (size_t part = 0; part < sizeof(view_parts) / sizeof(view_parts[0]); part++) {
		size_t count;
		const struct view *views = view_parts[part](&count);
		for (size_t i = 0; i < count; i++)
			if (find_column(&views[i], column, column_size, &type, type_size,
					is_nullable))
				return type;
	}
	return NULL;
}

static void declare_column(struct text *declaration, const char *name, size_t name_size,
			   const char *prefix, const char *type, size_t type_size)
{
	bool is_text = memmem(type, type_size, "char", 4) || memmem(type, type_size, "sysname", 7);

	text_add_format(declaration, "%s\"%.*s\" %s ", declaration->size > 15 ? ", " : "",
			(int)name_size, name, prefix);
	text_add_bytes(declaration, type, type_size);
	text_add(declaration, is_text ? " COLLATE tsql" : "");
}

/* Arguments are columns that no one sees. */
static void declare_arguments(struct text *declaration, const char *list)
{
	const char *start;
	size_t size;

	while (list && next_column(&list, &start, &size)) {
		size_t name_size = strcspn(start, " ");
		declare_column(declaration, start, name_size, "HIDDEN", start + name_size + 1,
			       size - name_size - 1);
	}
}

size_t catalog_declare(const struct view *view, const struct profile *profile,
		       struct text *declaration, int column_of[CATALOG_COLUMNS_MAX],
		       size_t *all_count)
{
	const char *list = view->columns;
	const char *start;
	size_t size;
	size_t count = 0;

	*all_count = 0;
	text_add(declaration, "CREATE TABLE x(");
	while (next_column(&list, &start, &size) && *all_count < CATALOG_COLUMNS_MAX) {
		size_t name_size = strcspn(start, " ");
		size_t type_size = size - name_size - 1;
		const char *type = start + name_size + 1;
		const char *other = NULL;
		int position = (int)(*all_count)++;
		if (!profile_has_column(profile, view->name, start, name_size, &other))
			continue;
		column_of[count++] = position;
		declare_column(declaration, start, name_size, "", other ? other : type,
			       other ? strlen(other) : type_size);
	}
	declare_arguments(declaration, view->arguments);
	if (view->is_per_database)
		declare_arguments(declaration, "database_name__ sysname");
	text_add(declaration, ")");
	return count;
}

int catalog_column_position(const struct view *view, const char *column)
{
	const char *list = view->columns;
	const char *start;
	size_t size;

	for (int position = 0; next_column(&list, &start, &size); position++)
		if (text_is_word(start, strcspn(start, " "), column))
			return position;
	return -1;
}

const struct view *catalog_next_view(const struct view *previous)
{
	bool is_next = !previous;

	for (size_t part = 0; part < sizeof(view_parts) / sizeof(view_parts[0]); part++) {
		size_t count;
		const struct view *views = view_parts[part](&count);
		for (size_t i = 0; i < count; i++) {
			if (is_next)
				return &views[i];
			is_next = &views[i] == previous;
		}
	}
	return NULL;
}
