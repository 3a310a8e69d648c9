/* SPDX-License-Identifier: Apache-2.0 */
/* Procedure calls in the layout of MS-TDS 2.2.6.6. Pure. */
#include "tests/sim/call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
	BY_NUMBER = 0xFFFF,
	NEXT_CALL = 0xFF,
	NEXT_CALL_WITHOUT_RUN = 0xFE,
	PARAMETER_LIMIT = 2100, /* the server's own */
};

static const struct {
	enum procedure procedure;
	const char *name;
} procedures[] = {
	{PROCEDURE_EXECUTESQL, "sp_executesql"}, {PROCEDURE_PREPARE, "sp_prepare"},
	{PROCEDURE_EXECUTE, "sp_execute"},	 {PROCEDURE_PREPEXEC, "sp_prepexec"},
	{PROCEDURE_UNPREPARE, "sp_unprepare"},
};

/* "[sys].[sp_executesql]" and the like: what stands behind the last dot counts. */
static enum procedure procedure_by_name(const char *name)
{
	const char *dot = strrchr(name, '.');
	const char *word = dot ? dot + 1 : name;
	word += strspn(word, "[");
	size_t size = strcspn(word, "];");
	for (size_t i = 0; i < sizeof(procedures) / sizeof(procedures[0]); i++) {
		if (strlen(procedures[i].name) == size &&
		    strncasecmp(procedures[i].name, word, size) == 0)
			return procedures[i].procedure;
	}
	return PROCEDURE_UNKNOWN;
}

static enum procedure procedure_by_number(uint16_t number)
{
	for (size_t i = 0; i < sizeof(procedures) / sizeof(procedures[0]); i++) {
		if (procedures[i].procedure == (enum procedure)number)
			return procedures[i].procedure;
	}
	return PROCEDURE_UNKNOWN;
}

static void read_procedure(struct cursor *cursor, struct call *call)
{
	uint16_t unit_count = cursor_u16(cursor);
	if (unit_count == BY_NUMBER) {
		uint16_t number = cursor_u16(cursor);
		snprintf(call->name, sizeof(call->name), "#%u", number);
		call->procedure = procedure_by_number(number);
	} else {
		cursor_text(cursor, unit_count, call->name, sizeof(call->name));
		call->procedure = procedure_by_name(call->name);
	}
	(void)cursor_u16(cursor); /* WITH RECOMPILE and "no metadata" change nothing here */
}

static void call_grow(struct call *call)
{
	size_t count = call->parameter_count + 1;
	call->parameters = realloc(call->parameters, count * sizeof(*call->parameters));
	call->storages = realloc(call->storages, count * sizeof(*call->storages));
	if (!call->parameters || !call->storages)
		abort();
	call->storages[call->parameter_count] = (struct buffer){0};
	call->parameter_count = count;
}

void call_done(struct call *call)
{
	for (size_t i = 0; i < call->parameter_count; i++)
		buffer_done(&call->storages[i]);
	free(call->storages);
	free(call->parameters);
	*call = (struct call){0};
}

static bool is_at_next_call(const struct cursor *cursor)
{
	return cursor->at[0] == NEXT_CALL || cursor->at[0] == NEXT_CALL_WITHOUT_RUN;
}

bool call_read(struct cursor *cursor, struct call *call)
{
	*call = (struct call){.is_last = true};
	read_procedure(cursor, call);
	while (!cursor->is_broken && cursor->left_bytes > 0 && !is_at_next_call(cursor) &&
	       call->parameter_count < PARAMETER_LIMIT) {
		uint8_t tds_type = 0;
		call_grow(call);
		size_t last = call->parameter_count - 1;
		if (parameter_read(cursor, &call->parameters[last], &call->storages[last],
				   &tds_type) == PARAMETER_UNKNOWN_TYPE) {
			call->unknown_type = tds_type;
			return true;
		}
	}
	if (!cursor->is_broken && cursor->left_bytes > 0) {
		(void)cursor_u8(cursor); /* the mark */
		call->is_last = cursor->left_bytes == 0;
	}
	return !cursor->is_broken;
}
