/* SPDX-License-Identifier: Apache-2.0 */
/* Deltas, baselines and task samples made by hand, for tests of what comes after the collectors. */
#pragma once

#include "collectors/delta.h"
#include "collectors/task_sample.h"

/* An exact delta without rows. */
struct delta *delta_build(enum family family, int64_t end_utc_ms, int64_t interval_ms);

/* Adds a row; rows are to come in order of name. The name must live as long as the delta. */
void delta_build_row(struct delta *delta, const char *name, int64_t first, int64_t second,
		     int64_t third, int64_t fourth);

/* A baseline with one row of this name and value in every counter. */
struct baseline *baseline_build(enum family family, const char *name, int64_t value);

/* A task sample with count sessions that wait with PAGELATCH_EX for page 5:1:4016. */
struct task_sample *tasks_build(int64_t taken_utc_ms, int count);
