/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Posts one message to a webhook with libcurl. Called by the sender thread, which keeps the message
 * in the outbox until this returned true.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/error.h"

struct webhook;

/* Makes a connection for one URL (http or https). Owns: the caller frees; copies url. Errors:
 * ERROR_INVALID. Threads: the sender. */
MUST_CHECK struct webhook *webhook_new(const char *url, int64_t timeout_ms, struct error *err);

/* Frees it; NULL is fine. Owns: webhook. Threads: the sender. */
void webhook_free(struct webhook *webhook);

/*
 * Posts body as application/json with the delivery id in the header Idempotency-Key.
 *
 * Errors:  ERROR_TIMEOUT, ERROR_UNREACHABLE; ERROR_SERVER with the HTTP status as code (below 500
 * other than 408 and 429: do not retry). Threads: the sender; blocks up to the timeout.
 */
MUST_CHECK bool webhook_post(struct webhook *webhook, const char *body, int64_t delivery_id,
			     struct error *err);
