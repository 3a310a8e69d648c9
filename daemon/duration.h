/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Durations and sizes as people write them in the configuration: a whole number and a unit, "10s",
 * "14d", "20GiB". A bare number is refused, for nobody knows what it was meant to be. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/cleanup.h"
#include "daemon/base/error.h"

/*
 * Reads a duration with one of the units ms s m h d w y (a year is 365 days).
 *
 * Units:   the result is in milliseconds.
 * Errors:  ERROR_INVALID, the text ending in a guess where there is one.
 * Threads: any.
 */
MUST_CHECK bool duration_parse(const char *text, int64_t *ms, struct error *err);

/*
 * Reads a size with one of the units B KiB MiB GiB TiB.
 *
 * Units:   the result is in bytes.
 * Errors:  ERROR_INVALID, the text ending in a guess where there is one.
 * Threads: any.
 */
MUST_CHECK bool size_parse(const char *text, int64_t *bytes, struct error *err);
