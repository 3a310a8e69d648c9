/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a range that was read: as columns, as rows, as CSV. The three carry the same numbers in
 * the same decimals. Pure but for the text it fills; any thread.
 */
#pragma once

#include "daemon/base/json.h"
#include "web/range.h"

enum { RATE_DECIMALS = 3 };

/* Writes "total" of a row: exact integers. Threads: the owner. */
void series_add_total(struct json *json, enum family family,
		      const int64_t total[FAMILY_COUNTERS_MAX]);

/* Writes "category" and "benign" of a wait; nothing for the other families. Threads: the owner. */
void series_add_kind(struct json *json, enum family family, const char *name);

/* Writes the members t, covered (for raw: interval_ms, quality, clipped too) and series. Threads:
 * the owner. */
void series_add_columns(struct json *json, const struct range *range);

/* Writes the member rows: one object per point and name. Threads: the owner. */
void series_add_rows(struct json *json, const struct range *range);

/* Writes CSV with a head line; an unknown value is an empty field. Threads: the owner. */
void series_write_csv(struct strbuf *out, const struct range *range);

/* Adds "resolutions": what an answer was read from, the finest first. Threads: the owner. */
void series_add_resolutions(struct json *json, const struct resolution_plan *plan);
