/* SPDX-License-Identifier: Apache-2.0 */
/* So many logins in so many seconds and no more. Pure. */
#include "tests/sim/login_limit.h"

#include <stdio.h>
#include <string.h>

enum { SECONDS_MOST = 86400 };

bool login_limit_parse(struct login_limit *limit, const char *text)
{
	int count = 0;
	double seconds = 1;
	int used = 0;
	if (strcmp(text, "off") == 0) {
		*limit = (struct login_limit){0};
		return true;
	}
	if (sscanf(text, "%9d%n %lf%n", &count, &used, &seconds, &used) < 1 || text[used] != '\0' ||
	    count < 1 || !(seconds > 0 && seconds <= SECONDS_MOST))
		return false;
	*limit = (struct login_limit){.login_count = count, .window_ms = (int64_t)(seconds * 1000)};
	return true;
}

bool login_limit_admit(struct login_limit *limit, int64_t now_mono_ms)
{
	if (limit->login_count == 0)
		return true;
	if (now_mono_ms - limit->began_mono_ms >= limit->window_ms) {
		limit->began_mono_ms = now_mono_ms;
		limit->used_count = 0;
	}
	if (limit->used_count == limit->login_count)
		return false;
	limit->used_count++;
	return true;
}
