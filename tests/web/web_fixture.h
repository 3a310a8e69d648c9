/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A real store with a writer and readers, one live target, and the way of a request through the
 * routes to parsed JSON: what the tests of the handlers stand on.
 */
#pragma once

#include <jansson.h>

#include "web/context.h"

enum { FIXTURE_INTERVAL_MS = 10000 };

extern const int64_t fixture_now_utc_ms; /* a multiple of a minute */

struct web_fixture {
	char folder[64];
	char path[96];
	struct live *live;
	struct writer *writer;
	struct reader_pool *readers;
	struct live_target target; /* "prod-01"; fixture_show copies it into live */
	struct web_context context;
};

/* One counted row of a delta that the test writes. */
struct fixture_row {
	const char *name;
	int64_t counters[FAMILY_COUNTERS_MAX];
};

void fixture_start(struct web_fixture *fixture);
void fixture_stop(struct web_fixture *fixture);

/* Makes live say what fixture->target says now. */
void fixture_show(struct web_fixture *fixture);

/* A delta with these rows, which must be in order of name; change it, then commit it. */
struct delta *fixture_delta(enum family family, int64_t end_utc_ms, int64_t interval_ms,
			    const struct fixture_row *rows, size_t row_count);

/* Commits a delta of the target and waits. */
void fixture_commit_delta(struct web_fixture *fixture, struct delta *delta);

/* Commits a batch and waits. */
void fixture_commit(struct web_fixture *fixture, struct batch *batch);

/* Sends "/path?query" through the routes; response is the caller's to end. */
void fixture_send(struct web_fixture *fixture, const char *method, const char *url,
		  struct response *response);

/* GET whose answer must have that status and be JSON; the caller ends it with json_decref. */
json_t *fixture_get(struct web_fixture *fixture, const char *url, int status);

/* Member of an object by a path such as "series.0.total.wait_ms"; fails when it is not there. */
json_t *fixture_at(json_t *root, const char *path);
json_int_t fixture_int(json_t *root, const char *path);
const char *fixture_text(json_t *root, const char *path);

/* Element of an array whose member "name" is that; NULL when there is none. */
json_t *fixture_named(json_t *array, const char *name);

/* Fails unless the object has exactly the members of the space-separated list. */
void fixture_assert_members(json_t *object, const char *members);
