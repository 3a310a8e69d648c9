/* SPDX-License-Identifier: Apache-2.0 */
/* Asks for one document. No proxy is taken from the environment: latchd is near. Any thread. */
#include "web/outbound_get.h"

#include <curl/curl.h>

enum { BODY_SIZE_MAX = 16 << 20 };

static size_t take_body(char *bytes, size_t size, size_t count, void *context)
{
	struct strbuf *body = context;

	if (body->size + size * count > BODY_SIZE_MAX)
		return 0;
	strbuf_add(body, bytes, size * count);
	return size * count;
}

static void curl_cleanup(CURL **curl)
{
	curl_easy_cleanup(*curl);
}

bool outbound_get(const char *url, int64_t timeout_ms, struct strbuf *body, struct error *err)
{
	CLEANUP(curl_cleanup) CURL *curl = curl_easy_init();
	long status = 0;

	if (!curl || curl_easy_setopt(curl, CURLOPT_URL, url) != CURLE_OK ||
	    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L) != CURLE_OK ||
	    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https") != CURLE_OK ||
	    curl_easy_setopt(curl, CURLOPT_PROXY, "") != CURLE_OK ||
	    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)timeout_ms) != CURLE_OK ||
	    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body) != CURLE_OK ||
	    curl_easy_setopt(curl, CURLOPT_WRITEDATA, body) != CURLE_OK)
		return error_set(err, ERROR_IO, 0, "libcurl cannot ask '%s'", url);
	CURLcode code = curl_easy_perform(curl);
	if (code == CURLE_OPERATION_TIMEDOUT)
		return error_set(err, ERROR_TIMEOUT, 0, "no answer from '%s'", url);
	if (code != CURLE_OK)
		return error_set(err, ERROR_UNREACHABLE, (int)code, "'%s': %s", url,
				 curl_easy_strerror(code));
	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	if (status != 200)
		return error_set(err, ERROR_SERVER, (int)status, "'%s' answers %ld", url, status);
	return true;
}
