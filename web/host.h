/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Guards against DNS rebinding: a page in a browser may make its own name point at 127.0.0.1, but
 * the name still stands in the Host header. Pure; any thread.
 */
#pragma once

#include <stdbool.h>

#include "web/context.h"

/* True when the request was sent to a loopback name or to a listen address. Pure. */
bool host_is_allowed(const struct web_context *context, const struct request *request);
