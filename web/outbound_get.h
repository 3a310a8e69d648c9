/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks an HTTP server for one document with libcurl: how the command line talks to a running
 * latchd. Blocks; any thread.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/error.h"
#include "daemon/base/strbuf.h"

/*
 * Appends the document at url (http or https) to body. More than 16 MiB are refused.
 *
 * Units:   timeout_ms in milliseconds, for all of it.
 * Errors:  ERROR_UNREACHABLE, ERROR_TIMEOUT; ERROR_SERVER with the HTTP status as code when that is
 * not 200.
 * Threads: any; blocks.
 */
MUST_CHECK bool outbound_get(const char *url, int64_t timeout_ms, struct strbuf *body,
			     struct error *err);
