/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table that wait_types.py makes of data/wait_types.csv: constants, sorted by name (strcmp).
 * For wait_type.c; any thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct wait_type {
	const char *name;
	const char *category;
	bool is_benign;
};

extern const struct wait_type wait_types[];
extern const size_t wait_type_count;
