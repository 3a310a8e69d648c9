/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The SQLite file: opening, checking that it is ours, schema steps. storage/ is the only folder
 * that includes sqlite3.h.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "collectors/delta.h"
#include "daemon/base/error.h"

struct store;

struct store_options {
	const char *path;
	bool is_synchronous_full; /* else NORMAL: the last commits may be lost at power failure,
				     nothing corrupts */
};

/*
 * Opens or creates the store for writing and brings its schema up to date. A damaged file is moved
 * aside (PATH.damaged-UTC) and a fresh one begun; *was_damaged says so.
 *
 * Owns:    the caller closes, or gives it to the writer.
 * Errors:  ERROR_INVALID another program's file; ERROR_UNSUPPORTED a newer schema; ERROR_CONFLICT
 * another latchd has it; ERROR_IO, ERROR_FULL. Threads: main.
 */
MUST_CHECK struct store *store_open(const struct store_options *options, bool *was_damaged,
				    struct error *err);

/* Closes it; NULL is fine. Owns: store. Threads: the owner. */
void store_close(struct store *store);
DEFINE_CLEANUP(struct store *, store_close);

/* Finds or makes the id of a target name (ids are never reused). Errors: ERROR_IO, ERROR_FULL.
 * Threads: the owner. */
MUST_CHECK bool store_intern_target(struct store *store, const char *name, int64_t *id,
				    struct error *err);

/*
 * Reads when the last stored delta of a target's view ended; 0 when there is none.
 *
 * Units:   UTC ms.
 * Errors:  ERROR_IO.
 * Threads: the owner.
 */
MUST_CHECK bool store_load_last_end(struct store *store, int64_t target_id, enum family family,
				    int64_t *end_utc_ms, struct error *err);

/*
 * Reads the baseline that was kept of a target's view; *baseline is NULL when there is none or it
 * can not be read (then the next sample is a baseline).
 *
 * Owns:    the caller frees *baseline.
 * Errors:  ERROR_IO.
 * Threads: the owner.
 */
MUST_CHECK bool store_load_baseline(struct store *store, int64_t target_id, enum family family,
				    struct baseline **baseline, struct error *err);
