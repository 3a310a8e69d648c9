/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which Host headers name this server: localhost, loopback addresses, the listen addresses. Runs in
 * the web threads.
 */
#include "web/host.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Copies HOST of "HOST", "HOST:PORT", "[V6]" or "[V6]:PORT". */
static bool split_host(const char *header, char *host, size_t capacity)
{
	const bool is_bracketed = *header == '[';
	const char *const begin = header + is_bracketed;
	const size_t size = strcspn(begin, is_bracketed ? "]" : ":");
	const char *rest = begin + size;
	if (is_bracketed && *rest++ != ']')
		return false;
	if (size == 0 || size >= capacity)
		return false;
	if (*rest == ':' && strspn(rest + 1, "0123456789") != strlen(rest + 1))
		return false;
	if (*rest && *rest != ':')
		return false;
	snprintf(host, capacity, "%.*s", (int)size, begin);
	return true;
}

static bool is_address(const char *host, bool *is_loopback)
{
	struct in_addr v4;
	struct in6_addr v6;
	if (inet_pton(AF_INET, host, &v4) == 1) {
		*is_loopback = ntohl(v4.s_addr) >> 24 == 127;
		return true;
	}
	*is_loopback = inet_pton(AF_INET6, host, &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
	return *is_loopback || inet_pton(AF_INET6, host, &v6) == 1;
}

bool host_is_allowed(const struct web_context *context, const struct request *request)
{
	char host[HOST_SIZE];
	/* Browsers always send Host, and cannot reach a unix socket. */
	if (request->is_unix_socket || !request->host)
		return true;
	if (!split_host(request->host, host, sizeof(host)))
		return false;
	bool is_loopback = false;
	const bool is_literal = is_address(host, &is_loopback);
	if (is_loopback || strcasecmp(host, "localhost") == 0)
		return true;
	for (int i = 0; i < context->host_count; i++)
		if (strcasecmp(host, context->hosts[i]) == 0)
			return true;
	return is_literal && context->listens_everywhere;
}
