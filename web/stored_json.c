/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads stored JSON objects with jansson and hands them on to the writer. Runs in the web threads.
 */
#include "web/stored_json.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/alloc.h"

static json_t *load_object(const char *text)
{
	json_t *const value = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	if (json_is_object(value))
		return value;
	json_decref(value);
	return NULL;
}

void stored_json_add(struct json *json, const char *text)
{
	json_t *const object = load_object(text);
	json_add_raw(json, object ? text : "{}");
	json_decref(object);
}

static bool is_listed(const char *const *names, const char *name)
{
	for (; *names; names++)
		if (strcmp(*names, name) == 0)
			return true;
	return false;
}

void stored_json_add_members(struct json *json, const char *text, const char *const *reserved)
{
	json_t *const object = load_object(text);
	for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at)) {
		const char *const key = json_object_iter_key(at);
		if (is_listed(reserved, key))
			continue;
		CLEANUP(freep)
		char *value =
			json_dumps(json_object_iter_value(at), JSON_ENCODE_ANY | JSON_COMPACT);
		json_key(json, key);
		json_add_raw(json, value ? value : "null");
	}
	json_decref(object);
}
