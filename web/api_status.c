/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How latchd itself does: version, uptime, the store, the queue, memory, CPU. Reads /proc/self.
 * Runs in the web threads.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "storage/live.h"
#include "storage/writer.h"
#include "web/answer.h"
#include "web/api.h"

static int64_t resident_bytes(void)
{
	long long total = 0;
	long long resident = 0;
	FILE *const file = fopen("/proc/self/statm", "re");
	if (!file)
		return 0;
	const int read_count = fscanf(file, "%lld %lld", &total, &resident);
	(void)fclose(file); /* only read from */
	return read_count == 2 ? resident * sysconf(_SC_PAGESIZE) : 0;
}

static int64_t timeval_ms(const struct timeval *time)
{
	return (int64_t)time->tv_sec * 1000 + time->tv_usec / 1000;
}

static void add_process(struct json *json)
{
	struct rusage usage = {0};
	(void)getrusage(RUSAGE_SELF, &usage); /* cannot fail for oneself */
	const int64_t now_bytes = resident_bytes();
	const int64_t max_bytes =
		(int64_t)usage.ru_maxrss * 1024; /* the kernel's may lag a little */
	json_key(json, "process");
	json_open_object(json);
	answer_member_int(json, "resident_bytes", now_bytes);
	json_member_int(json, "resident_max_bytes", max_bytes > now_bytes ? max_bytes : now_bytes);
	json_member_int(json, "cpu_user_ms", timeval_ms(&usage.ru_utime));
	json_member_int(json, "cpu_system_ms", timeval_ms(&usage.ru_stime));
	json_close_object(json);
}

static void add_store(struct json *json, const struct web_options *options,
		      const struct writer_status *status)
{
	json_key(json, "store");
	json_open_object(json);
	json_member_text(json, "path", options->store_path);
	json_member_int(json, "size_bytes", status->store_bytes);
	json_member_int(json, "wal_bytes", status->wal_bytes);
	json_member_int(json, "commits", status->commit_count);
	json_member_int(json, "commit_failures", status->failure_count);
	json_member_int(json, "last_commit", live_commit(options->live));
	json_member_bool(json, "failing", status->is_failing);
	answer_member_text(json, "last_error", status->last_error);
	json_close_object(json);
	json_key(json, "queue");
	json_open_object(json);
	json_member_int(json, "length", status->queue_length);
	json_member_int(json, "capacity", status->queue_capacity);
	json_close_object(json);
}

static void add_targets(struct json *json, struct live *live, int64_t now_mono_ms)
{
	int64_t counts[TARGET_DENIED + 1] = {0};
	int64_t stale_count = 0;
	const size_t target_count = live_target_count(live);
	for (size_t i = 0; i < target_count; i++) {
		struct live_target target;
		live_get_target(live, i, &target);
		counts[target.state]++;
		stale_count += answer_target_age(&target, now_mono_ms).is_stale;
	}
	json_key(json, "targets");
	json_open_object(json);
	json_member_int(json, "total", (int64_t)target_count);
	for (int state = TARGET_CONNECTING; state <= TARGET_DENIED; state++)
		json_member_int(json, target_state_name((enum target_state)state), counts[state]);
	json_member_int(json, "stale", stale_count);
	json_close_object(json);
}

void api_status(const struct web_context *context, const struct request *request,
		struct response *response)
{
	const struct web_options *const options = &context->options;
	struct writer_status status = {0};
	writer_status(options->writer, &status);
	struct json json = json_begin(&response->body);
	json_open_object(&json);
	json_member_text(&json, "version", LATCHD_VERSION);
	json_member_int(&json, "started_utc_ms", options->started_utc_ms);
	json_member_int(&json, "uptime_ms", request->now.utc_ms - options->started_utc_ms);
	json_member_bool(&json, "ready", !options->is_ready || options->is_ready(options->context));
	json_key(&json, "config");
	json_open_object(&json);
	json_member_text(&json, "state",
			 options->config_state ? options->config_state(options->context)
					       : "loaded");
	json_close_object(&json);
	add_targets(&json, options->live, request->now.mono_ms);
	add_store(&json, options, &status);
	add_process(&json);
	json_close_object(&json);
}
