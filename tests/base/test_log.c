/* SPDX-License-Identifier: Apache-2.0 */
/* A log line is one line whatever is in it; what repeats is said rarely, and once more when it is
 * over. */
#include "daemon/base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support.h"

static int real_stderr;
static FILE *captured;

static void capture(void)
{
	captured = tmpfile();
	assert_non_null(captured);
	real_stderr = dup(STDERR_FILENO);
	assert_true(dup2(fileno(captured), STDERR_FILENO) >= 0);
}

/* What was logged since capture(), in a static buffer. */
static const char *release(void)
{
	static char text[4096];
	assert_true(dup2(real_stderr, STDERR_FILENO) >= 0);
	close(real_stderr);
	rewind(captured);
	text[fread(text, 1, sizeof(text) - 1, captured)] = '\0';
	fclose(captured);
	return text;
}

static void control_characters_cannot_break_a_line(void **state)
{
	(void)state;
	capture();
	log_info("name '%s'", "a\nerror: forged\x1b[31m");
	assert_string_equal(release(), "latchd: name 'a?error: forged?[31m'\n");
}

static void debug_is_silent_until_asked_for(void **state)
{
	(void)state;
	capture();
	log_debug("quiet");
	log_set_level(LOG_LEVEL_DEBUG);
	log_debug("loud");
	log_set_level(LOG_LEVEL_INFO);
	assert_string_equal(release(), "latchd: loud\n");
}

static void long_lines_are_cut_and_end(void **state)
{
	(void)state;
	char longer[3000];
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	capture();
	log_info("%s", longer);
	const char *text = release();
	assert_int_equal(strlen(text), 1023);
	assert_int_equal(text[1022], '\n');
}

static void complaint_is_said_once_then_rarely_then_ended(void **state)
{
	(void)state;
	struct complaint complaint = {0};
	capture();
	complaint_say(&complaint, 1000, "down");
	complaint_say(&complaint, 2000, "down");
	complaint_say(&complaint, 3000, "down");
	complaint_say(&complaint, 62000, "down");
	complaint_end(&complaint, "up");
	complaint_end(&complaint, "up");
	assert_string_equal(release(), "latchd: warning: down\n"
				       "latchd: warning: down (and 2 times before)\n"
				       "latchd: up\n");
}

int main(void)
{
	unsetenv("JOURNAL_STREAM");
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(control_characters_cannot_break_a_line),
		cmocka_unit_test(debug_is_silent_until_asked_for),
		cmocka_unit_test(long_lines_are_cut_and_end),
		cmocka_unit_test(complaint_is_said_once_then_rarely_then_ended),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
