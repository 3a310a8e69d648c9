/* SPDX-License-Identifier: Apache-2.0 */
/* The dashboard: files that were embedded at build. Runs in the web threads. */
#include "daemon/base/embedded.h"
#include "web/api.h"
#include "web/problem.h"

extern const struct embedded embedded_web[];

static void respond_file(struct response *response, const char *path, const char *content_type)
{
	const struct embedded *const file = embedded_find(embedded_web, path);
	if (!file) {
		problem_respond_with(response, 404, "'%s' was not built in", path);
		return;
	}
	response->content_type = content_type;
	response->is_cacheable = true;
	response_add_header(response, "Cache-Control", "no-cache");
	strbuf_add(&response->body, file->data, file->size);
}

void api_page(const struct web_context *context, const struct request *request,
	      struct response *response)
{
	(void)context; /* the same for everybody, as the files below */
	(void)request;
	respond_file(response, "web/assets/index.html", "text/html; charset=utf-8");
}

void api_asset_css(const struct web_context *context, const struct request *request,
		   struct response *response)
{
	(void)context;
	(void)request;
	respond_file(response, "web/assets/page.css", "text/css; charset=utf-8");
}

void api_asset_js(const struct web_context *context, const struct request *request,
		  struct response *response)
{
	(void)context;
	(void)request;
	respond_file(response, "web/assets/page.js", "text/javascript; charset=utf-8");
}

void api_asset_icon(const struct web_context *context, const struct request *request,
		    struct response *response)
{
	(void)context;
	(void)request;
	respond_file(response, "web/assets/icon.svg", "image/svg+xml");
}
