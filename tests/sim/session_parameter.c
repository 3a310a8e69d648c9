/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of a call become variables of the batch, and outputs come back. Session thread. */
#include "tests/sim/session_batch.h"

#include "tests/sim/instance.h"
#include "tests/sim/text.h"

#include <stdio.h>
#include <string.h>

static void set_text(struct cell *cell, enum cell_kind kind, const void *bytes, size_t size)
{
	cell->kind = kind;
	cell->bytes = memory_copy_string(size == 0 ? "" : bytes, size);
	cell->size = size;
}

static struct cell cell_of(const struct sql_parameter *parameter)
{
	const struct sql_value *value = &parameter->value;
	struct cell cell = {.kind = CELL_INTEGER, .integer = value->integer};
	char time[40];

	if (value->is_null)
		return (struct cell){0};
	switch (parameter->type) {
	case SQL_REAL:
	case SQL_FLOAT:
		return (struct cell){.kind = CELL_NUMBER, .number = value->number};
	case SQL_DATETIME:
		time_format(time_from_datetime(value->integer), false, time);
		set_text(&cell, CELL_TEXT, time, strlen(time));
		break;
	case SQL_DATETIME2:
		time_format(time_from_datetime2(value->integer), true, time);
		set_text(&cell, CELL_TEXT, time, strlen(time));
		break;
	case SQL_NVARCHAR:
		set_text(&cell, CELL_TEXT, value->bytes, value->size_bytes);
		break;
	case SQL_VARBINARY:
		set_text(&cell, CELL_BYTES, value->bytes, value->size_bytes);
		break;
	case SQL_TINYINT:
	case SQL_SMALLINT:
	case SQL_INT:
	case SQL_BIGINT:
	case SQL_BIT:
		break;
	}
	return cell;
}

static struct tsql_variable *find(const struct tsql_variables *variables,
				  const struct sql_parameter *parameter, size_t position)
{
	if (parameter->name[0] != '\0')
		return variables_find(variables, parameter->name, strlen(parameter->name));
	return position < variables->count ? &variables->items[position] : NULL;
}

static enum batch_status fail_parameter(struct batch *batch, int32_t number, const char *text)
{
	struct sql_message message = {
		.number = number, .state = 1, .severity = 16, .text = text, .line = 1};

	return batch_fail(batch, &message);
}

static enum batch_status set_parameters(struct batch *batch, const struct sql_call *call)
{
	char text[1024];

	for (size_t i = 0; i < call->parameter_count; i++) {
		const struct sql_parameter *parameter = &call->parameters[i];
		struct tsql_variable *variable = find(&batch->variables, parameter, i);
		if (!variable) {
			snprintf(text, sizeof(text),
				 "%s is not a parameter for procedure sp_executesql.",
				 parameter->name);
			return fail_parameter(batch, 8145, text);
		}
		cell_done(&variable->value);
		variable->value = cell_of(parameter);
	}
	if (call->parameter_count >= batch->variables.count)
		return BATCH_GOES_ON;
	snprintf(text, sizeof(text),
		 "The parameterized query '(%.*s)%.*s' expects the parameter '%s', which was not "
		 "supplied.",
		 (int)(call->declarations_size > 300 ? 300 : call->declarations_size),
		 call->declarations, (int)(call->sql_size > 300 ? 300 : call->sql_size), call->sql,
		 batch->variables.items[call->parameter_count].name);
	return fail_parameter(batch, 8178, text);
}

enum batch_status batch_take_parameters(struct batch *batch, const struct sql_call *call)
{
	struct token_list list;

	if (!call->declarations || call->declarations_size == 0)
		return call->parameter_count == 0 ? BATCH_GOES_ON : set_parameters(batch, call);
	token_list_init(&list, call->declarations, call->declarations_size);
	enum batch_status status =
		batch_declare(batch, &batch->variables, list.tokens, list.count, false);
	token_list_done(&list);
	return status == BATCH_GOES_ON ? set_parameters(batch, call) : status;
}

void batch_give_outputs(struct batch *batch, const struct sql_call *call)
{
	for (size_t i = 0; i < call->parameter_count; i++) {
		struct sql_parameter *parameter = &call->parameters[i];
		struct tsql_variable *variable = find(&batch->variables, parameter, i);
		char scratch[64];
		if (!parameter->is_output || !variable)
			continue;
		parameter->type = variable->type.type;
		parameter->length = variable->type.length;
		parameter->value = batch_value(&variable->value, parameter->type, scratch);
		if (parameter->value.bytes != scratch)
			continue;
		/* A number that became text: the variable keeps it, as the caller borrows it. */
		cell_done(&variable->value);
		set_text(&variable->value, CELL_TEXT, scratch, parameter->value.size_bytes);
		parameter->value.bytes = variable->value.bytes;
	}
}
