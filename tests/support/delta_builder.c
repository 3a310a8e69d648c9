/* SPDX-License-Identifier: Apache-2.0 */
/* Deltas, baselines and task samples made by hand; see the header. */
#include "tests/support/delta_builder.h"

#include <stdio.h>
#include <string.h>

#include "daemon/base/alloc.h"

struct delta *delta_build(enum family family, int64_t end_utc_ms, int64_t interval_ms)
{
	struct delta *delta = xcalloc(1, sizeof(*delta));
	*delta = (struct delta){.family = family,
				.quality = QUALITY_EXACT,
				.has_rate = true,
				.end_utc_ms = end_utc_ms,
				.interval_ms = interval_ms,
				.elapsed_ms = interval_ms};
	return delta;
}

void delta_build_row(struct delta *delta, const char *name, int64_t first, int64_t second,
		     int64_t third, int64_t fourth)
{
	delta->rows = xreallocarray(delta->rows, delta->row_count + 1, sizeof(*delta->rows));
	delta->rows[delta->row_count++] =
		(struct delta_row){.name = name, .counters = {first, second, third, fourth}};
}

struct baseline *baseline_build(enum family family, const char *name, int64_t value)
{
	const struct epoch epoch = {.server_name = "SQL01",
				    .node_name = "NODE1",
				    .process_id = 4711,
				    .start_ticks = 1000,
				    .ms_ticks = 5000000};
	const struct instant taken = {.mono_ms = 77, .utc_ms = 1700000000000};
	int64_t counters[FAMILY_COUNTERS_MAX] = {0};
	for (int i = 0; i < family_shape(family)->counter_count; i++)
		counters[i] = value;
	struct baseline *baseline = xcalloc(1, sizeof(*baseline));
	baseline->sample = sample_new(family, &epoch, taken);
	sample_add_row(baseline->sample, name, strlen(name), counters, value);
	struct error err = ERROR_INIT;
	if (!sample_seal(baseline->sample, &err))
		(void)fprintf(stderr, "baseline_build: %s\n", err.text);
	return baseline;
}

struct task_sample *tasks_build(int64_t taken_utc_ms, int count)
{
	const struct instant taken = {.mono_ms = 1, .utc_ms = taken_utc_ms};
	struct task_sample *sample = task_sample_new(taken, 16);
	for (int i = 0; i < count; i++) {
		struct task task = {.address = 0xffff0000u + (unsigned)i,
				    .session_id = 51 + i,
				    .database_id = 5,
				    .scheduler_id = -1,
				    .query_hash = 0xfedcba9876543210,
				    .is_insert = true,
				    .wait_type = "PAGELATCH_EX",
				    .wait_ms = 12};
		task.resource = (struct page_address){.kind = RESOURCE_PAGE,
						      .database_id = 5,
						      .file_id = 1,
						      .page_id = 4016,
						      .object_id = -1,
						      .hobt_id = -1,
						      .partition = -1,
						      .slot = -1};
		task_sample_add_waiting(sample, &task);
	}
	return sample;
}
