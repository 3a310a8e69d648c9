/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON objects that lie in the store as text (labels, details, evidence) on their way into an
 * answer. Texts there are of fixed size, so one may have been cut: what is not an object any more
 * becomes an empty one. Pure; any thread.
 */
#pragma once

#include "daemon/base/json.h"

/* Writes a stored object as the value that is due; {} when it is damaged. Threads: the owner. */
void stored_json_add(struct json *json, const char *text);

/* Writes the members of a stored object but for those named in reserved (NULL ends). Threads: the
 * owner. */
void stored_json_add_members(struct json *json, const char *text, const char *const *reserved);
