/* SPDX-License-Identifier: Apache-2.0 */
/* What the streaming writer writes, an independent reader (jansson) must read back. */
#include "daemon/base/json.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "tests/support.h"

static void commas_and_nesting_come_by_themselves(void **state)
{
	(void)state;
	CLEANUP(strbuf_done) struct strbuf out = STRBUF_INIT;
	struct json json = json_begin(&out);
	json_open_object(&json);
	json_member_int(&json, "a", 1);
	json_key(&json, "b");
	json_open_array(&json);
	json_add_null(&json);
	json_add_bool(&json, true);
	json_open_object(&json);
	json_close_object(&json);
	json_close_array(&json);
	json_member_text(&json, "c", NULL);
	json_close_object(&json);
	assert_string_equal(strbuf_text(&out), "{\"a\":1,\"b\":[null,true,{}],\"c\":null}");
}

/* Text in, text out: what a reader finds after the writer escaped it. */
static const struct {
	const char *written;
	const char *read;
} texts[] = {
	{"plain", "plain"},
	{"", ""},
	{"quote \" backslash \\ slash /", "quote \" backslash \\ slash /"},
	{"\b\t\n\v\f\r\x01\x1f\x7f", "\b\t\n\v\f\r\x01\x1f\x7f"},
	{"gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x98\x80",
	 "gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x98\x80"},
	{"cut \xE2\x82", "cut \xEF\xBF\xBD\xEF\xBF\xBD"},
	{"overlong \xC0\xAF", "overlong \xEF\xBF\xBD\xEF\xBF\xBD"},
	{"surrogate \xED\xA0\x80", "surrogate \xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
	{"beyond \xF4\x90\x80\x80", "beyond \xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
};

static void any_bytes_become_valid_utf8(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		CLEANUP(strbuf_done) struct strbuf out = STRBUF_INIT;
		struct json json = json_begin(&out);
		json_add_text(&json, texts[i].written);
		json_t *read = json_loads(strbuf_text(&out), JSON_DECODE_ANY, NULL);
		assert_non_null(read);
		assert_string_equal(json_string_value(read), texts[i].read);
		json_decref(read);
	}
}

static const struct {
	double value;
	int decimals;
	const char *printed;
} decimals[] = {
	{0, 3, "0"},
	{51900, 3, "51900"},
	{51900.1234, 3, "51900.123"},
	{0.03, 3, "0.03"},
	{-0.5, 1, "-0.5"},
	{-0.0004, 3, "0"},
	{1.9996, 3, "2"},
	{99.5, 0, "100"},
	{1e20, 3, "1e+20"},
	{(double)NAN, 3, "null"},
	{(double)INFINITY, 3, "null"},
};

static void decimals_are_rounded_and_short(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(decimals) / sizeof(decimals[0]); i++) {
		CLEANUP(strbuf_done) struct strbuf out = STRBUF_INIT;
		struct json json = json_begin(&out);
		json_add_decimal(&json, decimals[i].value, decimals[i].decimals);
		assert_string_equal(strbuf_text(&out), decimals[i].printed);
	}
}

/* B121: also at the end of the range. */
static void integers_stay_exact_to_the_last_digit(void **state)
{
	(void)state;
	CLEANUP(strbuf_done) struct strbuf out = STRBUF_INIT;
	struct json json = json_begin(&out);
	json_open_array(&json);
	json_add_int(&json, INT64_MAX);
	json_add_int(&json, 6157696645368);
	json_close_array(&json);
	assert_string_equal(strbuf_text(&out), "[9223372036854775807,6157696645368]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commas_and_nesting_come_by_themselves),
		cmocka_unit_test(any_bytes_become_valid_utf8),
		cmocka_unit_test(decimals_are_rounded_and_short),
		cmocka_unit_test(integers_stay_exact_to_the_last_digit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
