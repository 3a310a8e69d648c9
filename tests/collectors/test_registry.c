/* SPDX-License-Identifier: Apache-2.0 */
/* Every collector has a row that is whole, and every statement is a file that says what it is. */
#include <stdio.h>
#include <string.h>

#include "collectors/collect.h"
#include "collectors/embedded.h"
#include "tests/support.h"

static void every_collector_has_a_statement_that_begins_with_its_name(void **state)
{
	(void)state;
	for (int i = 0; i < COLLECTOR_COUNT; i++) {
		const struct collector_info *info = collector_info((enum collector)i);
		assert_non_null(info->name);
		const struct embedded *file = embedded_find(embedded_collectors, info->statement);
		assert_non_null(file);
		char marker[100];
		(void)snprintf(marker, sizeof(marker), "\nSELECT N'%s' AS latchd_view;\n",
			       info->name);
		assert_non_null(strstr(file->data, marker));
	}
}

static void the_head_of_every_statement_says_purpose_rights_cost_and_versions(void **state)
{
	(void)state;
	static const char *const words[] = {"Purpose:", "Rights:", "Cost:", "Versions:"};
	int count = 0;
	for (const struct embedded *file = embedded_collectors; file->path; file++) {
		if (!strstr(file->path, ".sql"))
			continue;
		count++;
		for (size_t i = 0; i < 4; i++)
			if (!strstr(file->data, words[i]))
				fail_msg("%s has no %s", file->path, words[i]);
	}
	assert_true(count >= 11);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_collector_has_a_statement_that_begins_with_its_name),
		cmocka_unit_test(the_head_of_every_statement_says_purpose_rights_cost_and_versions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
