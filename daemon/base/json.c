/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The streaming JSON writer. Numbers are the hot path: integers without printf, decimals as a
 * scaled integer (measured 15 times faster than the packaged libraries, which print 17 digits).
 * Used by one thread at a time; knows nothing of this program.
 */
#include "daemon/base/json.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct json json_begin(struct strbuf *out)
{
	return (struct json){.out = out};
}

static void before_value(struct json *json)
{
	if (json->is_after_key) {
		json->is_after_key = false;
		return;
	}
	if (json->has_value[json->depth])
		strbuf_addc(json->out, ',');
	json->has_value[json->depth] = true;
}

static void open_with(struct json *json, char bracket)
{
	before_value(json);
	strbuf_addc(json->out, bracket);
	assert(json->depth + 1 < JSON_DEPTH_MAX);
	json->has_value[++json->depth] = false;
}

static void close_with(struct json *json, char bracket)
{
	assert(json->depth > 0 && !json->is_after_key);
	json->depth--;
	strbuf_addc(json->out, bracket);
}

void json_open_object(struct json *json)
{
	open_with(json, '{');
}

void json_close_object(struct json *json)
{
	close_with(json, '}');
}

void json_open_array(struct json *json)
{
	open_with(json, '[');
}

void json_close_array(struct json *json)
{
	close_with(json, ']');
}

/* Length of the UTF-8 sequence at text, 0 when it is not one (overlong, surrogate, cut, out of
 * range). */
static size_t utf8_length(const unsigned char *text)
{
	static const struct {
		unsigned char first, last, second_low, second_high;
		size_t length;
	} forms[] = {
		{0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3},
		{0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3},
		{0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
		{0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
	};
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (text[0] < forms[i].first || text[0] > forms[i].last)
			continue;
		if (text[1] < forms[i].second_low || text[1] > forms[i].second_high)
			return 0;
		for (size_t at = 2; at < forms[i].length; at++)
			if ((text[at] & 0xC0) != 0x80)
				return 0;
		return forms[i].length;
	}
	return 0;
}

static void add_escaped(struct strbuf *out, unsigned char byte)
{
	static const char short_forms[] = "btnvfr"; /* of 8..13; 11 has none in JSON */
	if (byte == '"' || byte == '\\') {
		strbuf_addc(out, '\\');
		strbuf_addc(out, (char)byte);
	} else if (byte >= 8 && byte <= 13 && byte != 11) {
		strbuf_addc(out, '\\');
		strbuf_addc(out, short_forms[byte - 8]);
	} else {
		strbuf_addf(out, "\\u%04x", byte);
	}
}

static void add_string(struct strbuf *out, const char *text)
{
	strbuf_addc(out, '"');
	const unsigned char *at = (const unsigned char *)text;
	while (*at) {
		const unsigned char *plain = at;
		while (*at >= 0x20 && *at < 0x7F && *at != '"' && *at != '\\')
			at++;
		strbuf_add(out, plain, (size_t)(at - plain));
		if (!*at)
			break;
		if (*at < 0x80) {
			add_escaped(out, *at++);
			continue;
		}
		const size_t length = utf8_length(at);
		if (length > 0)
			strbuf_add(out, at, length);
		else
			strbuf_adds(out, "\xEF\xBF\xBD");
		at += length > 0 ? length : 1;
	}
	strbuf_addc(out, '"');
}

void json_key(struct json *json, const char *key)
{
	before_value(json);
	add_string(json->out, key);
	strbuf_addc(json->out, ':');
	json->is_after_key = true;
}

void json_add_null(struct json *json)
{
	before_value(json);
	strbuf_add(json->out, "null", 4);
}

void json_add_bool(struct json *json, bool value)
{
	before_value(json);
	strbuf_adds(json->out, value ? "true" : "false");
}

void json_add_int(struct json *json, int64_t value)
{
	before_value(json);
	strbuf_add_int(json->out, value);
}

void json_add_text(struct json *json, const char *text)
{
	if (!text) {
		json_add_null(json);
		return;
	}
	before_value(json);
	add_string(json->out, text);
}

void json_add_raw(struct json *json, const char *text)
{
	before_value(json);
	strbuf_adds(json->out, text);
}

static void add_scaled(struct strbuf *out, int64_t scaled, int decimals)
{
	int64_t scale = 1;
	for (; decimals > 0 && scaled % 10 == 0; decimals--)
		scaled /= 10;
	for (int i = 0; i < decimals; i++)
		scale *= 10;
	if (scaled < 0) {
		strbuf_addc(out, '-');
		scaled = -scaled;
	}
	strbuf_add_int(out, scaled / scale);
	if (decimals == 0)
		return;
	char fraction[10] = {'.'};
	int64_t rest = scaled % scale;
	for (int at = decimals; at > 0; at--) {
		fraction[at] = (char)('0' + rest % 10);
		rest /= 10;
	}
	strbuf_add(out, fraction, (size_t)decimals + 1);
}

void json_add_decimal(struct json *json, double value, int decimals)
{
	assert(decimals >= 0 && decimals <= 9);
	if (!isfinite(value)) {
		json_add_null(json);
		return;
	}
	before_value(json);
	const double scaled = value * pow(10, decimals);
	if (fabs(scaled) < 9e15)
		add_scaled(json->out, llround(scaled), decimals);
	else
		strbuf_addf(json->out, "%.17g", value);
}

void json_member_null(struct json *json, const char *key)
{
	json_key(json, key);
	json_add_null(json);
}

void json_member_bool(struct json *json, const char *key, bool value)
{
	json_key(json, key);
	json_add_bool(json, value);
}

void json_member_int(struct json *json, const char *key, int64_t value)
{
	json_key(json, key);
	json_add_int(json, value);
}

void json_member_text(struct json *json, const char *key, const char *text)
{
	json_key(json, key);
	json_add_text(json, text);
}

void json_member_decimal(struct json *json, const char *key, double value, int decimals)
{
	json_key(json, key);
	json_add_decimal(json, value, decimals);
}
