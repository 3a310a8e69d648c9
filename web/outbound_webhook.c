/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Posts messages with libcurl over a connection that is kept between them. Runs in the sender
 * thread, which decides by the error whether to try again. Redirects are not followed: a message
 * goes where the configuration says. No proxy is taken from the environment.
 */
#include "web/outbound_webhook.h"

#include <curl/curl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/alloc.h"

struct webhook {
	CURL *curl;
	char *url;
	char curl_text[CURL_ERROR_SIZE];
};

/* What the receiver answers beside the status does not matter. */
static size_t drop_body(char *bytes, size_t size, size_t count, void *context)
{
	(void)bytes;
	(void)context;
	return size * count;
}

static bool url_is_http(const char *url)
{
	CURLU *const parts = curl_url();
	char *scheme = NULL;
	const bool is_http = parts && curl_url_set(parts, CURLUPART_URL, url, 0) == CURLUE_OK &&
			     curl_url_get(parts, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK &&
			     (strcmp(scheme, "http") == 0 || strcmp(scheme, "https") == 0);
	curl_free(scheme);
	curl_url_cleanup(parts);
	return is_http;
}

/* Sets what is the same for every message; false when this libcurl lacks something. */
static bool set_options(struct webhook *webhook, int64_t timeout_ms)
{
	CURL *const curl = webhook->curl;
	return curl_easy_setopt(curl, CURLOPT_URL, webhook->url) == CURLE_OK &&
	       curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
	       curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
	       curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L) == CURLE_OK &&
	       curl_easy_setopt(curl, CURLOPT_PROXY, "") == CURLE_OK &&
	       curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)timeout_ms) == CURLE_OK &&
	       curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)timeout_ms) == CURLE_OK &&
	       curl_easy_setopt(curl, CURLOPT_USERAGENT, "latchd/" LATCHD_VERSION) == CURLE_OK &&
	       curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, drop_body) == CURLE_OK &&
	       curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, webhook->curl_text) == CURLE_OK;
}

struct webhook *webhook_new(const char *url, int64_t timeout_ms, struct error *err)
{
	if (!url_is_http(url)) {
		error_set(err, ERROR_INVALID, 0, "'%s' is not an http or https URL", url);
		return NULL;
	}
	struct webhook *const webhook = xcalloc(1, sizeof(*webhook));
	webhook->url = xstrdup(url);
	webhook->curl = curl_easy_init();
	if (webhook->curl && set_options(webhook, timeout_ms))
		return webhook;
	error_set(err, ERROR_INVALID, 0, "libcurl cannot post to '%s'", url);
	webhook_free(webhook);
	return NULL;
}

void webhook_free(struct webhook *webhook)
{
	if (!webhook)
		return;
	curl_easy_cleanup(webhook->curl);
	free(webhook->url);
	free(webhook);
}

static bool judge(struct webhook *webhook, CURLcode code, struct error *err)
{
	if (code != CURLE_OK) {
		const char *const text =
			*webhook->curl_text ? webhook->curl_text : curl_easy_strerror(code);
		return error_set(
			err, code == CURLE_OPERATION_TIMEDOUT ? ERROR_TIMEOUT : ERROR_UNREACHABLE,
			(int)code, "webhook '%s': %s", webhook->url, text);
	}
	long status = 0;
	(void)curl_easy_getinfo(webhook->curl, CURLINFO_RESPONSE_CODE, &status); /* 0 then */
	if (status >= 200 && status < 300)
		return true;
	return error_set(err, ERROR_SERVER, (int)status, "webhook '%s' answered %ld", webhook->url,
			 status);
}

bool webhook_post(struct webhook *webhook, const char *body, int64_t delivery_id, struct error *err)
{
	char idempotency[64];
	snprintf(idempotency, sizeof(idempotency), "Idempotency-Key: %" PRId64, delivery_id);
	struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/json");
	/* Expect would cost a second against receivers that do not know it. */
	struct curl_slist *const rest =
		curl_slist_append(curl_slist_append(headers, "Expect:"), idempotency);
	*webhook->curl_text = '\0';
	CURLcode code = CURLE_OUT_OF_MEMORY;
	if (headers && rest) {
		(void)curl_easy_setopt(webhook->curl, CURLOPT_HTTPHEADER, headers); /* pointers */
		(void)curl_easy_setopt(webhook->curl, CURLOPT_POSTFIELDSIZE_LARGE,
				       (curl_off_t)strlen(body));
		(void)curl_easy_setopt(webhook->curl, CURLOPT_POSTFIELDS, body);
		code = curl_easy_perform(webhook->curl);
		(void)curl_easy_setopt(webhook->curl, CURLOPT_HTTPHEADER, NULL);
	}
	curl_slist_free_all(headers);
	return judge(webhook, code, err);
}
