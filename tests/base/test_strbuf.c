/* SPDX-License-Identifier: Apache-2.0 */
/* A string that grows keeps every byte it was given. */
#include "daemon/base/strbuf.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support.h"

static void empty_buffer_reads_as_empty_string(void **state)
{
	(void)state;
	CLEANUP(strbuf_done) struct strbuf buf = STRBUF_INIT;
	assert_string_equal(strbuf_text(&buf), "");
	strbuf_add(&buf, NULL, 0);
	assert_string_equal(strbuf_text(&buf), "");
}

static void growing_keeps_what_was_there(void **state)
{
	(void)state;
	CLEANUP(strbuf_done) struct strbuf buf = STRBUF_INIT;
	for (int i = 0; i < 10000; i++)
		strbuf_addf(&buf, "%d,", i % 10);
	assert_int_equal(buf.size, 20000);
	for (size_t i = 0; i < 10000; i++)
		assert_int_equal(buf.data[2 * i], '0' + (char)(i % 10));
	assert_int_equal(buf.data[buf.size], '\0');
}

static void integers_print_as_printf_prints_them(void **state)
{
	(void)state;
	static const int64_t values[] = {0,	      1,
					 -1,	      9,
					 10,	      6157696645368,
					 -7056017787, INT64_MAX,
					 INT64_MIN,   1000000000000000000};
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		CLEANUP(strbuf_done) struct strbuf buf = STRBUF_INIT;
		char want[32];
		(void)snprintf(want, sizeof(want), "%" PRId64, values[i]);
		strbuf_add_int(&buf, values[i]);
		assert_string_equal(strbuf_text(&buf), want);
	}
}

static void reset_forgets_and_take_gives_away(void **state)
{
	(void)state;
	CLEANUP(strbuf_done) struct strbuf buf = STRBUF_INIT;
	strbuf_adds(&buf, "gone");
	strbuf_reset(&buf);
	strbuf_adds(&buf, "kept");
	char *text = strbuf_take(&buf);
	assert_string_equal(text, "kept");
	assert_int_equal(buf.size, 0);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_buffer_reads_as_empty_string),
		cmocka_unit_test(growing_keeps_what_was_there),
		cmocka_unit_test(integers_print_as_printf_prints_them),
		cmocka_unit_test(reset_forgets_and_take_gives_away),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
