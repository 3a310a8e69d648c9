/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The versions of the server that can be simulated, and everything in which they differ: one row
 * per version, one row per view, column or counter that not all of them have. Pure throughout.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* A profile is one bit, so that a set of them is a word. */
enum {
	PROFILE_2012 = 1 << 0,
	PROFILE_2014 = 1 << 1,
	PROFILE_2016 = 1 << 2,
	PROFILE_2017 = 1 << 3,
	PROFILE_2019 = 1 << 4,
	PROFILE_2022 = 1 << 5,
	PROFILE_2025 = 1 << 6,
	PROFILE_AZURE = 1 << 7, /* Azure SQL Database */
	PROFILE_MI = 1 << 8,	/* Managed Instance */

	PROFILE_CLOUD = PROFILE_AZURE | PROFILE_MI,
	PROFILE_SINCE_2022 = PROFILE_2022 | PROFILE_2025 | PROFILE_CLOUD,
	PROFILE_SINCE_2019 = PROFILE_2019 | PROFILE_SINCE_2022,
	PROFILE_SINCE_2017 = PROFILE_2017 | PROFILE_SINCE_2019,
	PROFILE_SINCE_2016 = PROFILE_2016 | PROFILE_SINCE_2017,
	PROFILE_SINCE_2014 = PROFILE_2014 | PROFILE_SINCE_2016,
	PROFILE_ALL = PROFILE_2012 | PROFILE_SINCE_2014,
};

struct profile {
	const char *name; /* of --profile */
	unsigned bit;
	const char *product; /* as in @@VERSION */
	const char *version; /* ProductVersion; the cloud says 12.0.2000.8 whatever it is */
	const char *level;
	const char *update_level; /* NULL = none */
	const char *edition;
	int engine_edition;
	bool has_major_property; /* ProductMajorVersion is NULL on old builds */
	int compatibility_level;
	size_t wait_count; /* rows of the views */
	size_t spinlock_count;
	const char *service_objective; /* of Azure SQL Database; NULL else */
	bool is_small_tier;	       /* what is the server's takes the server's rights there */
};

/* NULL when there is none of that name. */
const struct profile *profile_find(const char *name);

bool profile_has_view(const struct profile *profile, const char *view);

/*
 * False when this version does not have the column. Sets *type where its type differs from that of
 * the other versions; leaves it alone otherwise.
 */
bool profile_has_column(const struct profile *profile, const char *view, const char *column,
			size_t column_size, const char **type);

/* False when the wait type came with a later version. */
bool profile_has_wait(const struct profile *profile, const char *wait_type);
