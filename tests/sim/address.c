/* SPDX-License-Identifier: Apache-2.0 */
/* Numeric addresses. Pure. */
#include "tests/sim/address.h"

#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The text of the host without brackets; false when it is too long. */
static bool host_of(const char *text, const char *colon, char host[INET6_ADDRSTRLEN])
{
	bool has_brackets = colon > text + 1 && text[0] == '[' && colon[-1] == ']';
	const char *begin = text + has_brackets;
	size_t size = (size_t)(colon - has_brackets - begin);
	if (size >= INET6_ADDRSTRLEN)
		return false;
	memcpy(host, begin, size);
	host[size] = '\0';
	return true;
}

bool address_parse(const char *text, struct address *address)
{
	char host[INET6_ADDRSTRLEN];
	char *end = NULL;
	const char *colon = strrchr(text, ':');
	if (!colon || !host_of(text, colon, host))
		return false;
	unsigned long port = strtoul(colon + 1, &end, 10);
	if (end == colon + 1 || *end != '\0' || port > UINT16_MAX)
		return false;
	*address = (struct address){.size = sizeof(address->v4)};
	address->v4.sin_family = AF_INET;
	address->v4.sin_port = htons((uint16_t)port);
	if (inet_pton(AF_INET, host, &address->v4.sin_addr) == 1)
		return true;
	*address = (struct address){.size = sizeof(address->v6)};
	address->v6.sin6_family = AF_INET6;
	address->v6.sin6_port = htons((uint16_t)port);
	return text[0] == '[' && inet_pton(AF_INET6, host, &address->v6.sin6_addr) == 1;
}

void address_write(const struct address *address, char text[ADDRESS_SIZE])
{
	char host[INET6_ADDRSTRLEN] = "";
	bool is_v6 = address->any.sa_family == AF_INET6;
	const void *binary = is_v6 ? (const void *)&address->v6.sin6_addr : &address->v4.sin_addr;
	inet_ntop(address->any.sa_family, binary, host, sizeof(host));
	snprintf(text, ADDRESS_SIZE, is_v6 ? "[%s]:%u" : "%s:%u", host,
		 ntohs(is_v6 ? address->v6.sin6_port : address->v4.sin_port));
}
