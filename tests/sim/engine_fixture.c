/* SPDX-License-Identifier: Apache-2.0 */
/* An instance on a clock of its own, for tests. One thread; does not know the wire. */
#include "tests/sim/engine_fixture.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const type_names[] = {"tinyint",   "smallint", "int",      "bigint",
					 "bit",	      "real",	  "float",    "datetime",
					 "datetime2", "nvarchar", "varbinary"};

static int64_t fixture_mono_us(void *context)
{
	struct fixture *fixture = context;

	return atomic_fetch_add(&fixture->mono_us, fixture->step_us) + fixture->step_us;
}

static int64_t fixture_utc_us(void *context)
{
	return ((const struct fixture *)context)->utc_us;
}

struct fixture *fixture_open(const char *profile, const char *login)
{
	struct fixture *fixture = memory_new(1, sizeof(*fixture));
	struct instance_clock clock = {fixture_mono_us, fixture_utc_us, fixture};
	struct instance_options options = {
		.data_directory = getenv("SIM_DATA"),
		.server_name = "SQLSIM01",
		.workload = "idle",
		.clock = &clock,
		.profile = profile,
		.logins = &login,
		.login_count = login ? 1 : 0,
	};
	struct session_identity identity = {
		.session_id = 51,
		.login_name = "latchd",
		.program_name = "test",
		.host_name = "HOST",
		.database = "",
	};
	const char *reason = "";

	fixture->mono_us = INT64_C(1000000000000);
	fixture->utc_us = INT64_C(1714557600000000); /* 2024-05-01 10:00 */
	fixture->instance = instance_new(&options, &reason);
	if (!fixture->instance) {
		print_error("%s\n", reason);
		free(fixture);
		return NULL;
	}
	fixture->engine = session_engine_new(fixture->instance, &identity);
	return fixture;
}

int fixture_setup(void **state)
{
	*state = fixture_open(NULL, NULL);
	return *state ? 0 : 1;
}

int fixture_teardown(void **state)
{
	fixture_close(*state);
	return 0;
}

void fixture_close(struct fixture *fixture)
{
	session_engine_free(fixture->engine);
	instance_free(fixture->instance);
	text_done(&fixture->answer);
	free(fixture);
}

void fixture_advance(struct fixture *fixture, int64_t milliseconds)
{
	fixture->mono_us += milliseconds * 1000;
	fixture->utc_us += milliseconds * 1000;
}

static bool take_statement(void *context, const char *sql, size_t size_bytes, bool *is_answered)
{
	(void)context;
	(void)sql;
	*is_answered = false;
	return size_bytes > 0;
}

static bool is_wanted(void *context)
{
	return context != NULL;
}

static bool take_columns(void *context, const struct sql_column *columns, size_t column_count)
{
	struct text *answer = context;

	for (size_t i = 0; i < column_count; i++) {
		text_add_format(answer, "%s%s %s", i == 0 ? "" : "|", columns[i].name,
				type_names[columns[i].type]);
		if (columns[i].type >= SQL_NVARCHAR)
			text_add_format(answer, "(%d)", columns[i].length);
	}
	text_add(answer, "\n");
	return true;
}

static void add_value(struct text *answer, const struct sql_value *value)
{
	if (value->is_null)
		text_add(answer, "NULL");
	else if (value->bytes)
		text_add_bytes(answer, value->bytes, value->size_bytes);
	else if (value->number < (double)value->integer || value->number > (double)value->integer)
		text_add_format(answer, "%g", value->number);
	else
		text_add_format(answer, "%" PRId64, value->integer);
}

static bool take_row(void *context, const struct sql_value *values, size_t value_count)
{
	struct text *answer = context;

	for (size_t i = 0; i < value_count; i++) {
		text_add(answer, i == 0 ? "" : "|");
		add_value(answer, &values[i]);
	}
	text_add(answer, "\n");
	return true;
}

static bool take_done(void *context, bool has_count, uint64_t row_count, bool has_error)
{
	(void)context;
	(void)has_count;
	(void)row_count;
	(void)has_error;
	return true;
}

static bool take_message(void *context, const struct sql_message *message)
{
	text_add_format(context, "%c%d/%d %s\n", message->severity > 10 ? '!' : '?',
			message->number, message->severity, message->text);
	return true;
}

const char *fixture_run(struct fixture *fixture, const char *sql)
{
	struct result_sink sink = {
		.context = &fixture->answer,
		.statement = take_statement,
		.is_wanted = is_wanted,
		.columns = take_columns,
		.row = take_row,
		.done = take_done,
		.message = take_message,
	};

	text_clear(&fixture->answer);
	assert_true(session_engine_execute(fixture->engine, sql, strlen(sql), &sink));
	return text_string(&fixture->answer);
}

int64_t fixture_number(struct fixture *fixture, const char *sql)
{
	const char *answer = fixture_run(fixture, sql);
	const char *row = strchr(answer, '\n');
	char *end = NULL;

	assert_non_null(row);
	int64_t number = strtoll(row + 1, &end, 10);
	if (end == row + 1)
		fail_msg("'%s' answers no number: %s", sql, answer);
	return number;
}

void fixture_control(struct fixture *fixture, const char *line)
{
	char answer[1024] = "";

	assert_true(instance_control(fixture->instance, line, answer, sizeof(answer)));
	if (strncmp(answer, "ok", 2) != 0)
		fail_msg("'%s' answers '%s'", line, answer);
}
