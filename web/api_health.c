/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is latchd alive, is it ready? Neither asks how the servers do: a dead SQL Server never makes
 * latchd unready. Runs in the web threads.
 */
#include "web/api.h"
#include "web/problem.h"

static void respond_text(struct response *response, const char *text)
{
	response->content_type = "text/plain; charset=utf-8";
	strbuf_adds(&response->body, text);
}

void api_healthy(const struct web_context *context, const struct request *request,
		 struct response *response)
{
	(void)context; /* that it answers is the answer */
	(void)request;
	respond_text(response, "latchd is healthy\n");
}

void api_ready(const struct web_context *context, const struct request *request,
	       struct response *response)
{
	(void)request;
	const struct web_options *const options = &context->options;
	if (options->is_ready && !options->is_ready(options->context))
		problem_respond_with(response, 503,
				     "latchd is starting, or its store does not work");
	else
		respond_text(response, "latchd is ready\n");
}
