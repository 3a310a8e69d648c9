/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls. Prepared statements are kept as texts under a handle: executing one is the same as calling
 * sp_executesql with its text. Session thread.
 */
#include "tests/sim/procedure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/sim/instance.h"

enum { TEXT_SIZE = 640, PREPARED_LIMIT = 1000, ERROR_SEVERITY = 16 };

struct prepared {
	int32_t handle;
	struct buffer sql;
	struct buffer declarations;
};

static void prepared_done(struct prepared *prepared)
{
	buffer_done(&prepared->sql);
	buffer_done(&prepared->declarations);
}

void procedures_clear(struct procedures *procedures)
{
	for (size_t i = 0; i < procedures->prepared_count; i++)
		prepared_done(&procedures->prepared[i]);
	procedures->prepared_count = 0;
}

void procedures_done(struct procedures *procedures)
{
	procedures_clear(procedures);
	free(procedures->prepared);
	procedures->prepared = NULL;
}

static bool fail(struct procedures *procedures, int32_t number, const char *text)
{
	struct sql_message message = {
		.number = number, .state = 1, .severity = ERROR_SEVERITY, .text = text, .line = 1};
	answer_add_message(procedures->answer, &message);
	answer_add_return(procedures->answer, NULL, 0);
	return true;
}

static bool fail_handle(struct procedures *procedures, int64_t handle)
{
	char text[TEXT_SIZE];
	snprintf(text, sizeof(text), "Could not find prepared statement with handle %lld.",
		 (long long)handle);
	return fail(procedures, 8179, text);
}

/* The text of a parameter; empty when it is null or no text. */
static struct buffer text_of(const struct call *call, size_t position)
{
	struct buffer text = {0};
	if (position < call->parameter_count && !call->parameters[position].value.is_null)
		text = call->storages[position];
	return text;
}

static bool run(struct procedures *procedures, const struct buffer *sql,
		const struct buffer *declarations, struct call *call, size_t first)
{
	struct result_sink sink = answer_sink(procedures->answer);
	size_t given = call->parameter_count < first ? call->parameter_count : first;
	struct sql_call wanted = {
		.sql = sql->size == 0 ? "" : (const char *)sql->bytes,
		.sql_size = sql->size,
		.declarations = declarations->size == 0 ? "" : (const char *)declarations->bytes,
		.declarations_size = declarations->size,
		.parameters = call->parameters + given,
		.parameter_count = call->parameter_count - given,
	};
	return session_engine_call(procedures->engine, &wanted, &sink);
}

static bool run_executesql(struct procedures *procedures, struct call *call)
{
	struct buffer sql = text_of(call, 0);
	struct buffer declarations = text_of(call, 1);
	if (call->parameter_count == 0)
		return fail(procedures, 201,
			    "Procedure or function 'sp_executesql' expects parameter "
			    "'@statement', which was not supplied.");
	if (!run(procedures, &sql, &declarations, call, 2))
		return false;
	answer_add_return(procedures->answer, call->parameters, call->parameter_count);
	return true;
}

static struct prepared *prepared_find(struct procedures *procedures, const struct call *call)
{
	for (size_t i = 0; call->parameter_count > 0 && i < procedures->prepared_count; i++) {
		if (procedures->prepared[i].handle == call->parameters[0].value.integer)
			return &procedures->prepared[i];
	}
	return NULL;
}

/* Parameters: handle (output), declarations, text. */
static struct prepared *prepare(struct procedures *procedures, const struct call *call)
{
	struct buffer declarations = text_of(call, 1);
	struct buffer sql = text_of(call, 2);
	struct sql_parameter *handle = &call->parameters[0];
	if (!procedures->prepared)
		procedures->prepared = calloc(PREPARED_LIMIT, sizeof(*procedures->prepared));
	if (!procedures->prepared)
		abort();
	struct prepared *prepared = &procedures->prepared[procedures->prepared_count++];
	*prepared = (struct prepared){.handle = ++procedures->last_handle};
	buffer_add(&prepared->sql, sql.bytes, sql.size);
	buffer_add(&prepared->declarations, declarations.bytes, declarations.size);
	buffer_terminate(&prepared->sql);
	buffer_terminate(&prepared->declarations);
	handle->type = SQL_INT;
	handle->is_output = true;
	handle->value = (struct sql_value){.integer = prepared->handle};
	return prepared;
}

static bool run_prepare(struct procedures *procedures, struct call *call, bool executes_too)
{
	if (call->parameter_count < 3)
		return fail(procedures, 201,
			    "Procedure or function 'sp_prepare' expects parameter "
			    "'@handle', which was not supplied.");
	if (procedures->prepared_count == PREPARED_LIMIT)
		return fail(procedures, 701,
			    "There is insufficient system memory in resource pool "
			    "'default' to run this query.");
	struct prepared *prepared = prepare(procedures, call);
	if (executes_too && !run(procedures, &prepared->sql, &prepared->declarations, call, 3))
		return false;
	answer_add_return(procedures->answer, call->parameters, call->parameter_count);
	return true;
}

static bool run_execute(struct procedures *procedures, struct call *call)
{
	struct prepared *prepared = prepared_find(procedures, call);
	if (!prepared)
		return fail_handle(procedures, call->parameter_count > 0
						       ? call->parameters[0].value.integer
						       : 0);
	if (!run(procedures, &prepared->sql, &prepared->declarations, call, 1))
		return false;
	answer_add_return(procedures->answer, call->parameters, call->parameter_count);
	return true;
}

static bool run_unprepare(struct procedures *procedures, const struct call *call)
{
	struct prepared *prepared = prepared_find(procedures, call);
	if (!prepared)
		return fail_handle(procedures, call->parameter_count > 0
						       ? call->parameters[0].value.integer
						       : 0);
	prepared_done(prepared);
	*prepared = procedures->prepared[--procedures->prepared_count];
	answer_add_return(procedures->answer, NULL, 0);
	return true;
}

static bool fail_unknown(struct procedures *procedures, const struct call *call)
{
	char text[TEXT_SIZE];
	snprintf(text, sizeof(text), "Could not find stored procedure '%s'.", call->name);
	return fail(procedures, 2812, text);
}

static bool fail_type(struct procedures *procedures, const struct call *call)
{
	char text[TEXT_SIZE];
	snprintf(
		text, sizeof(text),
		"The incoming tabular data stream (TDS) remote procedure call (RPC) protocol stream "
		"is incorrect. Parameter %zu (\"%s\"): Data type 0x%02X is unknown.",
		call->parameter_count, call->parameters[call->parameter_count - 1].name,
		call->unknown_type);
	return fail(procedures, 8009, text);
}

bool procedures_run(struct procedures *procedures, struct call *call)
{
	if (call->unknown_type != 0)
		return fail_type(procedures, call);
	switch (call->procedure) {
	case PROCEDURE_EXECUTESQL:
		return run_executesql(procedures, call);
	case PROCEDURE_PREPARE:
		return run_prepare(procedures, call, false);
	case PROCEDURE_PREPEXEC:
		return run_prepare(procedures, call, true);
	case PROCEDURE_EXECUTE:
		return run_execute(procedures, call);
	case PROCEDURE_UNPREPARE:
		return run_unprepare(procedures, call);
	case PROCEDURE_UNKNOWN:
		break;
	}
	return fail_unknown(procedures, call);
}
