/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes JSON as it goes: exact 64-bit integers, fixed-point decimals, escaped strings, commas by
 * itself. Reading JSON is jansson's work, elsewhere. Used by one thread at a time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/strbuf.h"

enum { JSON_DEPTH_MAX = 32 };

struct json {
	struct strbuf *out; /* borrowed */
	int depth;
	bool has_value[JSON_DEPTH_MAX]; /* something stands before, at this depth: a comma is due */
	bool is_after_key;
};

/* Begins a document in out. Owns: out is borrowed for as long as the writer is used. Threads: the
 * owner. */
struct json json_begin(struct strbuf *out);

/* Opens or closes an object or array; what is opened must be closed. Threads: the owner. */
void json_open_object(struct json *json);
void json_close_object(struct json *json);
void json_open_array(struct json *json);
void json_close_array(struct json *json);

/* Writes a member's name; one value must follow. Threads: the owner. */
void json_key(struct json *json, const char *key);

/* Writes one value (named add: jansson exports json_null). A NULL text is null; bytes that are not
 * UTF-8 become U+FFFD. Threads: the owner. */
void json_add_null(struct json *json);
void json_add_bool(struct json *json, bool value);
void json_add_int(struct json *json, int64_t value);
void json_add_text(struct json *json, const char *text);

/* Writes value rounded to decimals (0..9) places, trailing zeros cut; NaN and infinity become null.
 * Threads: the owner. */
void json_add_decimal(struct json *json, double value, int decimals);

/* Writes text that is one JSON value already, as it stands. Threads: the owner. */
void json_add_raw(struct json *json, const char *text);

/* Writes key and value in one call. Threads: the owner. */
void json_member_null(struct json *json, const char *key);
void json_member_bool(struct json *json, const char *key, bool value);
void json_member_int(struct json *json, const char *key, int64_t value);
void json_member_text(struct json *json, const char *key, const char *text);
void json_member_decimal(struct json *json, const char *key, double value, int decimals);
