/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks the SQL Server Browser of a host which TCP port an instance has (MC-SQLR): one bounded
 * exchange over UDP of our own, because FreeTDS's takes 16 s of silence. Called by the thread that
 * logs in. Knows neither sessions nor the configuration.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/error.h"

struct browser_options {
	const char *host;
	const char *instance;
	int port;	    /* UDP; 1434 everywhere but in tests and behind odd firewalls */
	int64_t timeout_ms; /* of the exchange; name resolution is not bounded */
};

/*
 * Learns the port of an instance. All addresses of the host are asked at once; the first that knows
 * it counts. A browser does not answer for an instance it has not, so that after half the time it
 * is asked for all it has.
 *
 * Errors:  ERROR_UNREACHABLE no such host, or nobody listens there; ERROR_TIMEOUT no answer;
 *          ERROR_NOT_FOUND no such instance, with those it has, or it does not speak TCP;
 *          ERROR_PROTOCOL what came is no answer.
 * Threads: any; blocks; reads the clock.
 */
MUST_CHECK bool browser_ask(const struct browser_options *options, int *port, struct error *err);

/*
 * Finds an instance in one answer, which may list several; names are compared without case. host is
 * for the texts of errors.
 *
 * Errors:  ERROR_PROTOCOL, ERROR_NOT_FOUND as above; *port is then unchanged.
 * Threads: any.
 */
MUST_CHECK bool browser_read_answer(const uint8_t *bytes, size_t size, const char *host,
				    const char *instance, int *port, struct error *err);
