/* SPDX-License-Identifier: Apache-2.0 */
/* Quotes names for T-SQL; where a name is in doubt there is no statement. Pure; any thread. */
#include "analysis/finding_statement.h"

#include <stdio.h>
#include <string.h>

enum { QUOTED_SIZE = OBJECT_NAME_SIZE * 2 + 3 };

struct quoted {
	char text[QUOTED_SIZE];
};

/* [name], with each closing bracket doubled. */
static struct quoted quote(const char *name, size_t length)
{
	struct quoted quoted = {.text = "["};
	size_t size = 1;
	for (size_t i = 0; i < length && size < QUOTED_SIZE - 3; i++) {
		quoted.text[size++] = name[i];
		if (name[i] == ']')
			quoted.text[size++] = ']';
	}
	quoted.text[size] = ']';
	return quoted;
}

/* A name that fills its field may have been cut; one with control characters is not for copying. */
static bool is_sure(const char *name, size_t field_size)
{
	const size_t length = strlen(name);
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)name[i] < ' ')
			return false;
	return length > 0 && length < field_size - 1;
}

/* The dot of "schema.table"; NULL when there is none or more than one: then who knows. */
static const char *only_dot(const char *object)
{
	const char *dot = strchr(object, '.');
	if (!dot || dot == object || dot[1] == '\0' || strchr(dot + 1, '.'))
		return NULL;
	return dot;
}

void finding_statement(const struct hotspot *hotspot, char *statement, size_t size)
{
	statement[0] = '\0';
	const char *dot = only_dot(hotspot->object);
	if (!dot || hotspot->index_id == 0 || !is_sure(hotspot->index, sizeof(hotspot->index)) ||
	    !is_sure(hotspot->database, sizeof(hotspot->database)) ||
	    !is_sure(hotspot->object, sizeof(hotspot->object)))
		return;
	const struct quoted index = quote(hotspot->index, strlen(hotspot->index));
	const struct quoted database = quote(hotspot->database, strlen(hotspot->database));
	const struct quoted schema = quote(hotspot->object, (size_t)(dot - hotspot->object));
	const struct quoted table = quote(dot + 1, strlen(dot + 1));
	const int length = snprintf(statement, size,
				    "SET LOCK_TIMEOUT 5000; ALTER INDEX %s ON %s.%s.%s SET "
				    "(OPTIMIZE_FOR_SEQUENTIAL_KEY = ON);",
				    index.text, database.text, schema.text, table.text);
	if (length < 0 || (size_t)length >= size)
		statement[0] = '\0';
}
