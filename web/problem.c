/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes application/problem+json. `type` is about:blank: the status says the kind, `errors` says
 * the rest. Runs in the web threads.
 */
#include "web/problem.h"

#include <stdarg.h>
#include <stdio.h>

#include "daemon/base/json.h"

static const struct {
	int status;
	const char *title;
} titles[] = {
	{400, "Bad Request"},		{404, "Not Found"},
	{405, "Method Not Allowed"},	{413, "Content Too Large"},
	{421, "Misdirected Request"},	{422, "Unprocessable Content"},
	{500, "Internal Server Error"}, {503, "Service Unavailable"},
};

static const char *status_title(int status)
{
	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
		if (titles[i].status == status)
			return titles[i].title;
	return "Error";
}

void problem_add(struct problem *problem, int status, const char *param, const char *value,
		 const char *hint_fmt, ...)
{
	if (status > problem->status)
		problem->status = status;
	if (problem->error_count == PROBLEM_ERRORS_MAX)
		return;
	struct problem_error *const error = &problem->errors[problem->error_count++];
	snprintf(error->param, sizeof(error->param), "%s", param);
	snprintf(error->value, sizeof(error->value), "%s", value ? value : "");
	va_list arguments;
	va_start(arguments, hint_fmt);
	vsnprintf(error->hint, sizeof(error->hint), hint_fmt, arguments);
	va_end(arguments);
}

static void write_error(struct json *json, const struct problem_error *error)
{
	json_open_object(json);
	json_member_text(json, "param", error->param);
	json_member_text(json, "value", error->value);
	json_member_text(json, "hint", error->hint);
	json_close_object(json);
}

void problem_respond(const struct problem *problem, struct response *response)
{
	strbuf_reset(&response->body);
	response->status = problem->status;
	response->content_type = "application/problem+json";
	struct json json = json_begin(&response->body);
	json_open_object(&json);
	json_member_text(&json, "type", "about:blank");
	json_member_text(&json, "title", status_title(problem->status));
	json_member_int(&json, "status", problem->status);
	const struct problem_error *const first = &problem->errors[0];
	char detail[sizeof(problem->detail)];
	snprintf(detail, sizeof(detail), "%s", problem->detail);
	if (!*detail && problem->error_count > 0)
		snprintf(detail, sizeof(detail), "parameter '%s': %s", first->param, first->hint);
	json_member_text(&json, "detail", detail);
	json_key(&json, "errors");
	json_open_array(&json);
	for (int i = 0; i < problem->error_count; i++)
		write_error(&json, &problem->errors[i]);
	json_close_array(&json);
	json_close_object(&json);
}

void problem_respond_with(struct response *response, int status, const char *detail_fmt, ...)
{
	struct problem problem = {.status = status};
	va_list arguments;
	va_start(arguments, detail_fmt);
	vsnprintf(problem.detail, sizeof(problem.detail), detail_fmt, arguments);
	va_end(arguments);
	problem_respond(&problem, response);
}

void problem_respond_error(struct response *response, const struct error *err)
{
	problem_respond_with(response, 503, "the store cannot answer: %s", err->text);
}
