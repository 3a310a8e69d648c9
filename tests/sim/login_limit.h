/* SPDX-License-Identifier: Apache-2.0 */
/* So many logins in so many seconds and no more. Pure: the caller knows the time. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* All zeroes lets everybody in. */
struct login_limit {
	int32_t login_count; /* 0 = no limit */
	int64_t window_ms;
	int64_t began_mono_ms; /* of the window under way */
	int32_t used_count;    /* in it */
};

/* Reads "COUNT", "COUNT SECONDS" or "off"; one second without a number of them. */
bool login_limit_parse(struct login_limit *limit, const char *text);

/* Counts a login; false when it is one too many. */
bool login_limit_admit(struct login_limit *limit, int64_t now_mono_ms);
