/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How people write where a server is: HOST, HOST,PORT, HOST\INSTANCE, HOST\INSTANCE,PORT, with
 * names and addresses of both kinds, with and without "tcp:". Pure; resolves nothing.
 */
#pragma once

#include "daemon/base/error.h"
#include "storage/live.h"

/* MC-SQLR: an instance has up to 32 bytes. */
enum { INSTANCE_SIZE = 33 };

struct host {
	char name[HOST_SIZE];	      /* without brackets, of an address of version 6 */
	char instance[INSTANCE_SIZE]; /* "" for none */
	int port;		      /* 0 when none was written */
};

/*
 * Reads one spelling. With a port the instance is only a label: the port wins.
 *
 * Errors:  ERROR_INVALID with what it was probably meant to be.
 * Threads: any.
 */
MUST_CHECK bool host_parse(const char *text, struct host *host, struct error *err);
