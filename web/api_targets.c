/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The targets: who each server is, how its collectors do, what watching it costs. From storage/live
 * alone. Runs in the web threads.
 */
#include "storage/live.h"
#include "web/answer.h"
#include "web/api.h"

static void add_error(struct json *json, const struct live_error *error)
{
	json_key(json, "last_error");
	if (!error->is_set) {
		json_add_null(json);
		return;
	}
	json_open_object(json);
	json_member_text(json, "kind", error_kind_name(error->kind));
	json_member_int(json, "code", error->code);
	json_member_text(json, "text", error->text);
	answer_member_int(json, "at_utc_ms", error->at_utc_ms);
	json_close_object(json);
}

/* What a hanging login shows of itself when nothing more is known. */
static struct live_error target_error(const struct live_target *target)
{
	if (target->last_error.is_set || !target->is_stuck)
		return target->last_error;
	return (struct live_error){
		.is_set = true,
		.kind = ERROR_TIMEOUT,
		.text = "stuck: the login hangs where no deadline reaches it",
		.at_utc_ms = target->last_poll_utc_ms,
	};
}

/* A server whose every required view refuses is as good as one that refuses the login. */
static enum target_state shown_state(const struct live_target *target)
{
	int required_count = 0;
	int denied_count = 0;
	for (int i = COLLECTOR_WAITS; i <= COLLECTOR_SPINLOCKS; i++) {
		const struct live_collector *const collector = &target->collectors[i];
		required_count += collector->interval_ms > 0;
		denied_count += collector->interval_ms > 0 && collector->state == COLLECTOR_DENIED;
	}
	if (target->state == TARGET_UP && required_count > 0 && denied_count == required_count)
		return TARGET_DENIED;
	return target->state;
}

static void add_server(struct json *json, const struct live_target *target)
{
	static const struct server unknown;
	const struct server *const server = target->has_server ? &target->server : &unknown;
	answer_member_text(json, "server_name", target->epoch.server_name);
	answer_member_text(json, "version", server->version);
	answer_member_int(json, "major", server->major);
	answer_member_text(json, "edition", server->edition);
	answer_member_int(json, "engine_edition", server->engine_edition);
	answer_member_text(json, "login", server->login);
	answer_member_text(json, "database", server->database);
	answer_member_int(json, "schedulers", server->scheduler_count);
	answer_member_int(json, "started_utc_ms", server->started_utc_ms);
	json_key(json, "counters_since_utc_ms");
	json_open_object(json);
	for (int family = 0; family < FAMILY_COUNT; family++)
		answer_member_int(json, family_shape((enum family)family)->name,
				  target->counters_since_utc_ms[family]);
	json_close_object(json);
}

static void add_labels(struct json *json, const struct live_target *target)
{
	json_key(json, "labels");
	json_open_object(json);
	for (int i = 0; i < target->label_count; i++)
		json_member_text(json, target->labels[i][0], target->labels[i][1]);
	json_close_object(json);
}

static void add_collector(struct json *json, const char *name,
			  const struct live_collector *collector)
{
	json_open_object(json);
	json_member_text(json, "name", name);
	json_member_int(json, "interval_ms", collector->interval_ms);
	if (collector->last_ok_utc_ms > 0) {
		json_member_int(json, "last_duration_ms", collector->last_duration_ms);
		json_member_int(json, "rows", collector->row_count);
	} else {
		json_member_null(json, "last_duration_ms");
		json_member_null(json, "rows");
	}
	json_member_int(json, "polls", collector->poll_count);
	json_member_int(json, "failures", collector->failure_count);
	json_member_int(json, "skipped", collector->skipped_count);
	json_member_text(json, "state", collector_state_name(collector->state));
	add_error(json, &collector->last_error);
	json_close_object(json);
}

static void add_collectors(struct json *json, const struct live_target *target)
{
	json_key(json, "collectors");
	json_open_array(json);
	for (int i = 0; i < COLLECTOR_COUNT; i++)
		if (target->collectors[i].interval_ms > 0)
			add_collector(json, collector_info((enum collector)i)->name,
				      &target->collectors[i]);
	json_close_array(json);
}

/* What the login may see, as it was found out after the login; null before the first. */
static void add_rights(struct json *json, const struct live_target *target)
{
	json_key(json, "rights");
	if (!target->probe.is_done) {
		json_add_null(json);
		return;
	}
	json_open_array(json);
	for (int i = 0; i < PROBE_COUNT; i++) {
		CLEANUP(strbuf_done) struct strbuf cure = STRBUF_INIT;
		probe_cure(&target->probe, i, &target->server, &cure);
		json_open_object(json);
		json_member_text(json, "name", probe_info(i)->name);
		json_member_text(json, "purpose", probe_info(i)->purpose);
		json_member_text(json, "state", probe_state_name(target->probe.parts[i].state));
		answer_member_text(json, "text", target->probe.parts[i].text);
		answer_member_text(json, "cure", strbuf_text(&cure));
		json_close_object(json);
	}
	json_close_array(json);
}

static void add_warnings(struct json *json, const struct live_target *target)
{
	const char *text = NULL;
	json_key(json, "warnings");
	json_open_array(json);
	for (int i = 0; target->has_server && (text = server_warning(&target->server, i)); i++)
		json_add_text(json, text);
	json_close_array(json);
}

static void add_rate(struct json *json, const char *key, int64_t gained, int64_t elapsed_ms,
		     bool is_known)
{
	if (is_known && elapsed_ms > 0)
		json_member_decimal(json, key, (double)gained * 1000 / (double)elapsed_ms, 3);
	else
		json_member_null(json, key);
}

static void add_known(struct json *json, const char *key, int64_t value, bool is_known)
{
	if (is_known)
		json_member_int(json, key, value);
	else
		json_member_null(json, key);
}

/* Rates over the last minute or two, totals since latchd began. */
static void add_cost(struct json *json, const struct live_target *target)
{
	const struct live_cost *const now = &target->cost;
	const struct live_cost *const from = &target->cost_from;
	const int64_t elapsed_ms = now->mono_ms - from->mono_ms;
	const bool has_cpu = now->server_cpu_ms >= 0;
	const bool has_bytes = now->received_bytes > 0;
	json_key(json, "cost");
	json_open_object(json);
	add_rate(json, "cpu_ms_per_s", now->server_cpu_ms - from->server_cpu_ms, elapsed_ms,
		 has_cpu);
	add_rate(json, "round_trips_per_s", now->round_trip_count - from->round_trip_count,
		 elapsed_ms, true);
	add_rate(json, "rows_per_s", now->row_count - from->row_count, elapsed_ms, true);
	add_rate(json, "bytes_per_s", now->received_bytes - from->received_bytes, elapsed_ms,
		 has_bytes);
	add_rate(json, "latchd_cpu_us_per_s", now->own_cpu_us - from->own_cpu_us, elapsed_ms, true);
	add_known(json, "cpu_ms", now->server_cpu_ms, has_cpu);
	json_member_int(json, "round_trips", now->round_trip_count);
	json_member_int(json, "rows", now->row_count);
	add_known(json, "bytes", now->received_bytes, has_bytes);
	json_member_int(json, "latchd_cpu_us", now->own_cpu_us);
	json_close_object(json);
}

static void add_longest_wait(struct json *json, const struct live_wait *wait)
{
	json_key(json, "longest_wait");
	if (!*wait->wait_type) {
		json_add_null(json);
		return;
	}
	json_open_object(json);
	json_member_text(json, "wait_type", wait->wait_type);
	json_member_int(json, "ms", wait->wait_ms);
	json_member_int(json, "session_id", wait->session_id);
	json_close_object(json);
}

static void add_target(struct json *json, const struct live_target *target,
		       const struct request *request)
{
	const struct answer_age age = answer_target_age(target, request->now.mono_ms);
	const struct live_error error = target_error(target);
	json_open_object(json);
	json_member_text(json, "name", target->name);
	json_member_text(json, "host", target->host);
	json_member_int(json, "port", target->port);
	json_member_text(json, "state", target_state_name(shown_state(target)));
	add_server(json, target);
	answer_member_int(json, "last_poll_utc_ms", target->last_poll_utc_ms);
	answer_add_age(json, &age);
	if (target->has_server && target->server.is_encrypted >= 0)
		json_member_bool(json, "encrypted", target->server.is_encrypted == 1);
	else
		json_member_null(json, "encrypted");
	add_error(json, &error);
	add_labels(json, target);
	add_collectors(json, target);
	add_longest_wait(json, &target->longest_wait);
	add_rights(json, target);
	add_warnings(json, target);
	add_cost(json, target);
	json_close_object(json);
}

void api_targets(const struct web_context *context, const struct request *request,
		 struct response *response)
{
	struct live *const live = context->options.live;
	struct json json = json_begin(&response->body);
	json_open_object(&json);
	json_key(&json, "targets");
	json_open_array(&json);
	for (size_t i = 0; i < live_target_count(live); i++) {
		struct live_target target;
		live_get_target(live, i, &target);
		add_target(&json, &target, request);
	}
	json_close_array(&json);
	json_close_object(&json);
}

void api_target(const struct web_context *context, const struct request *request,
		struct response *response)
{
	struct live_target target;
	if (!answer_find_target(context, request, &target, response))
		return;
	struct json json = json_begin(&response->body);
	add_target(&json, &target, request);
}
