/* SPDX-License-Identifier: Apache-2.0 */
/* The store, the target and the requests of the tests of the handlers. */
#include "tests/web/web_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/alloc.h"
#include "storage/batch.h"
#include "storage/store.h"
#include "storage/writer.h"
#include "tests/support.h"
#include "web/route.h"

const int64_t fixture_now_utc_ms = INT64_C(1790000040000);

static int64_t deadline(void)
{
	return clock_now().mono_ms + 20000;
}

static void make_target(struct web_fixture *fixture, int64_t id)
{
	fixture->target = (struct live_target){
		.id = id,
		.name = "prod-01",
		.host = "sql01.example.net",
		.port = 1433,
		.state = TARGET_CONNECTING,
	};
	for (int i = 0; i < COLLECTOR_COUNT; i++)
		fixture->target.collectors[i].interval_ms = FIXTURE_INTERVAL_MS;
	fixture_show(fixture);
}

static void check(bool is_done, const struct error *err)
{
	if (!is_done)
		fail_msg("%s", err->text);
}

void fixture_start(struct web_fixture *fixture)
{
	*fixture = (struct web_fixture){.folder = "/tmp/latchd-web-XXXXXX"};
	struct error err = ERROR_INIT;
	bool was_damaged = false;
	int64_t id = 0;
	assert_non_null(mkdtemp(fixture->folder));
	snprintf(fixture->path, sizeof(fixture->path), "%s/latchd.db", fixture->folder);
	struct store *store =
		store_open(&(struct store_options){.path = fixture->path}, &was_damaged, &err);
	check(store != NULL, &err);
	check(store_intern_target(store, "prod-01", &id, &err), &err);
	fixture->live = live_new(1);
	make_target(fixture, id);
	struct writer_options options = {
		.store = store,
		.live = fixture->live,
		.queue_capacity = 8,
		.keep_ms = {INT64_MAX / 2, INT64_MAX / 2, INT64_MAX / 2},
	};
	fixture->writer = writer_start(&options, &err);
	check(fixture->writer != NULL, &err);
	fixture->readers = reader_pool_open(fixture->path, 2, &err);
	check(fixture->readers != NULL, &err);
	fixture->context.options = (struct web_options){
		.readers = fixture->readers,
		.live = fixture->live,
		.writer = fixture->writer,
		.store_path = fixture->path,
		.started_utc_ms = fixture_now_utc_ms - 100000,
	};
}

void fixture_stop(struct web_fixture *fixture)
{
	char command[128];
	reader_pool_close(fixture->readers);
	writer_stop(fixture->writer);
	live_free(fixture->live);
	snprintf(command, sizeof(command), "rm -rf %s", fixture->folder);
	assert_int_equal(system(command), 0);
}

void fixture_show(struct web_fixture *fixture)
{
	live_set_target(fixture->live, 0, &fixture->target);
}

struct delta *fixture_delta(enum family family, int64_t end_utc_ms, int64_t interval_ms,
			    const struct fixture_row *rows, size_t row_count)
{
	struct delta *const delta = xcalloc(1, sizeof(*delta));
	*delta = (struct delta){
		.family = family,
		.quality = QUALITY_EXACT,
		.has_rate = true,
		.end_utc_ms = end_utc_ms,
		.interval_ms = interval_ms,
		.elapsed_ms = interval_ms,
		.rows = xcalloc(row_count + 1, sizeof(*delta->rows)),
		.row_count = row_count,
	};
	for (size_t i = 0; i < row_count; i++) {
		delta->rows[i].name = rows[i].name;
		memcpy(delta->rows[i].counters, rows[i].counters, sizeof(rows[i].counters));
	}
	return delta;
}

void fixture_commit(struct web_fixture *fixture, struct batch *batch)
{
	struct error err = ERROR_INIT;
	check(writer_push_and_wait(fixture->writer, &batch, deadline(), &err), &err);
}

void fixture_commit_delta(struct web_fixture *fixture, struct delta *delta)
{
	struct batch *const batch = batch_new(fixture->target.id);
	batch->deltas[delta->family] = delta;
	fixture_commit(fixture, batch);
}

static void split_url(char *url, struct request *request)
{
	char *const query = strchr(url, '?');
	char *rest = NULL;
	request->path = url;
	if (!query)
		return;
	*query = '\0';
	for (char *pair = strtok_r(query + 1, "&", &rest); pair;
	     pair = strtok_r(NULL, "&", &rest)) {
		char *const equals = strchr(pair, '=');
		if (equals)
			*equals = '\0';
		request->params[request->param_count++] =
			(struct request_param){pair, equals ? equals + 1 : ""};
	}
}

void fixture_send(struct web_fixture *fixture, const char *method, const char *url,
		  struct response *response)
{
	CLEANUP(freep) char *copy = xstrdup(url);
	/* The monotonic clock is the real one: a reader is waited for by it, ages count from it. */
	struct request request = {
		.method = method,
		.host = "127.0.0.1:9743",
		.now = {clock_now().mono_ms, fixture_now_utc_ms},
	};
	split_url(copy, &request);
	*response = (struct response){0};
	route_dispatch(&fixture->context, &request, response);
}

json_t *fixture_get(struct web_fixture *fixture, const char *url, int status)
{
	struct response response;
	json_error_t error;
	fixture_send(fixture, "GET", url, &response);
	json_t *const root = json_loads(strbuf_text(&response.body), JSON_DECODE_ANY, &error);
	if (!root)
		fail_msg("%s: %s: %.200s", url, error.text, strbuf_text(&response.body));
	if (response.status != status)
		fail_msg("%s: got %d, want %d: %.300s", url, response.status, status,
			 strbuf_text(&response.body));
	response_done(&response);
	return root;
}

json_t *fixture_at(json_t *root, const char *path)
{
	json_t *at = root;
	char part[64];
	for (const char *rest = path; *rest;) {
		const size_t size = strcspn(rest, ".");
		snprintf(part, sizeof(part), "%.*s", (int)size, rest);
		at = json_is_array(at) ? json_array_get(at, (size_t)atoi(part))
				       : json_object_get(at, part);
		if (!at)
			fail_msg("'%s' is missing at '%s'", path, part);
		rest += size + (rest[size] == '.');
	}
	return at;
}

json_int_t fixture_int(json_t *root, const char *path)
{
	json_t *const value = fixture_at(root, path);
	if (!json_is_integer(value))
		fail_msg("'%s' is no integer", path);
	return json_integer_value(value);
}

const char *fixture_text(json_t *root, const char *path)
{
	json_t *const value = fixture_at(root, path);
	if (!json_is_string(value))
		fail_msg("'%s' is no text", path);
	return json_string_value(value);
}

json_t *fixture_named(json_t *array, const char *name)
{
	for (size_t i = 0; i < json_array_size(array); i++)
		if (strcmp(fixture_text(json_array_get(array, i), "name"), name) == 0)
			return json_array_get(array, i);
	return NULL;
}

void fixture_assert_members(json_t *object, const char *members)
{
	size_t count = 0;
	char name[64];
	for (const char *rest = members; *rest; count++) {
		const size_t size = strcspn(rest, " ");
		snprintf(name, sizeof(name), "%.*s", (int)size, rest);
		if (!json_object_get(object, name))
			fail_msg("member '%s' is missing", name);
		rest += size + (rest[size] == ' ');
	}
	if (count != json_object_size(object))
		fail_msg("%zu members, want %zu of '%s'", json_object_size(object), count, members);
}
