/* SPDX-License-Identifier: Apache-2.0 */
/* Numeric addresses, 127.0.0.1:1433 and [::1]:1433, to socket addresses and back. Pure. */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>

enum { ADDRESS_SIZE = INET6_ADDRSTRLEN + 9 };

struct address {
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	};
	socklen_t size;
};

/* False when text is no numeric HOST:PORT. */
bool address_parse(const char *text, struct address *address);

void address_write(const struct address *address, char text[ADDRESS_SIZE]);
