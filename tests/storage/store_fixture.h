/* SPDX-License-Identifier: Apache-2.0 */
/* A store of its own for a test: a folder, a writer, readers; gone when the test is. */
#pragma once

#include "storage/live.h"
#include "storage/query.h"
#include "storage/reader.h"
#include "storage/store.h"
#include "storage/writer.h"

enum { FIXTURE_QUEUE = 4 };

struct store_fixture {
	char folder[64];
	char path[96];
	int64_t target_id; /* of the target "prod-01" */
	struct live *live;
	struct writer *writer; /* NULL between fixture_close and fixture_open */
	struct reader_pool *pool;
	struct reader *reader;		   /* lent by fixture_read */
	int64_t keep_ms[RESOLUTION_COUNT]; /* for the next fixture_open */
	int64_t max_size_bytes;
};

/* What a walk has brought, in order. */
enum { SEEN_MAX = 16 };
struct seen {
	int64_t values[SEEN_MAX];
	size_t count;
};

/* Notes one more value; true, so that a walk's callback can end with it. */
bool seen_note(struct seen *seen, int64_t value);

/* The walk must have brought these and no others. */
void seen_expect(const struct seen *seen, const int64_t *values, size_t count);

/* Makes the folder only. */
void fixture_make(struct store_fixture *fixture);

/* Opens store, writer and two readers. */
void fixture_open(struct store_fixture *fixture);

/* Closes them in order; the files stay. */
void fixture_close(struct store_fixture *fixture);

/* Closes what is open and removes the folder. */
void fixture_remove(struct store_fixture *fixture);

/* fixture_make and fixture_open. */
void fixture_start(struct store_fixture *fixture);

/* Pushes a batch and waits for its commit, which must succeed. */
void fixture_commit(struct store_fixture *fixture, struct batch *batch);

/* Commits one delta. */
void fixture_commit_delta(struct store_fixture *fixture, struct delta *delta);

/* Commits a delta of the waits in which WRITELOG waited all the time. */
void fixture_commit_waits(struct store_fixture *fixture, int64_t end_utc_ms, int64_t interval_ms);

/* Lends a reader that sees all that was committed; the one lent before is returned. */
struct reader *fixture_read(struct store_fixture *fixture);

/* Number of stored deltas of the waits of the target, whatever their time. */
int64_t fixture_count_deltas(struct store_fixture *fixture);

/* A deadline that only a bug reaches. */
int64_t fixture_deadline(void);
