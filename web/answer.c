/* SPDX-License-Identifier: Apache-2.0 */
/* What many answers share. Runs in the web threads; reads the store through storage/ only. */
#include "web/answer.h"

#include <stdio.h>

#include "web/problem.h"

static void add_known_names(struct strbuf *names, struct live *live)
{
	enum { NAMES_SHOWN = 8 };
	const size_t count = live_target_count(live);
	for (size_t i = 0; i < count && i < NAMES_SHOWN; i++) {
		struct live_target target;
		live_get_target(live, i, &target);
		strbuf_addf(names, "%s'%s'", i > 0 ? ", " : "", target.name);
	}
	if (count > NAMES_SHOWN)
		strbuf_addf(names, " and %zu more", count - NAMES_SHOWN);
}

bool answer_find_target(const struct web_context *context, const struct request *request,
			struct live_target *target, struct response *response)
{
	if (live_find_target(context->options.live, request->target, target))
		return true;
	CLEANUP(strbuf_done) struct strbuf names = STRBUF_INIT;
	add_known_names(&names, context->options.live);
	struct problem problem = {0};
	snprintf(problem.detail, sizeof(problem.detail), "there is no target '%s'",
		 request->target);
	problem_add(&problem, 404, "target", request->target, "known targets: %s",
		    names.size > 0 ? strbuf_text(&names) : "none");
	problem_respond(&problem, response);
	return false;
}

struct reader *answer_borrow_reader(const struct web_context *context,
				    const struct request *request, struct response *response)
{
	struct error err = ERROR_INIT;
	struct reader *const reader = reader_borrow(context->options.readers,
						    request->now.mono_ms + READER_WAIT_MS, &err);
	if (!reader)
		problem_respond_error(response, &err);
	return reader;
}

static struct answer_age age_of(const struct live_collector *collector, int64_t now_mono_ms)
{
	if (collector->last_ok_utc_ms == 0)
		return (struct answer_age){.is_stale = true};
	const int64_t age_ms = now_mono_ms - collector->last_ok_mono_ms;
	return (struct answer_age){
		.is_known = true,
		.age_ms = age_ms > 0 ? age_ms : 0,
		/* age > 2.5 * interval, in whole numbers */
		.is_stale = age_ms * 2 > collector->interval_ms * 5,
	};
}

struct answer_age answer_family_age(const struct live_target *target, enum family family,
				    int64_t now_mono_ms)
{
	static const enum collector collectors[FAMILY_COUNT] = {
		[FAMILY_WAITS] = COLLECTOR_WAITS,
		[FAMILY_LATCHES] = COLLECTOR_LATCHES,
		[FAMILY_SPINLOCKS] = COLLECTOR_SPINLOCKS,
	};
	return age_of(&target->collectors[collectors[family]], now_mono_ms);
}

struct answer_age answer_target_age(const struct live_target *target, int64_t now_mono_ms)
{
	const struct live_collector *chosen = &target->collectors[COLLECTOR_WAITS];
	for (int i = 0; i < COLLECTOR_COUNT && chosen->interval_ms == 0; i++)
		chosen = &target->collectors[i];
	return age_of(chosen, now_mono_ms);
}

struct answer_age answer_collector_age(const struct live_target *target, enum collector collector,
				       int64_t now_mono_ms)
{
	return age_of(&target->collectors[collector], now_mono_ms);
}

void answer_add_age(struct json *json, const struct answer_age *age)
{
	json_key(json, "age_ms");
	if (age->is_known)
		json_add_int(json, age->age_ms);
	else
		json_add_null(json);
	json_member_bool(json, "stale", age->is_stale);
}

void answer_member_text(struct json *json, const char *key, const char *text)
{
	json_member_text(json, key, *text ? text : NULL);
}

void answer_member_int(struct json *json, const char *key, int64_t value)
{
	json_key(json, key);
	if (value != 0)
		json_add_int(json, value);
	else
		json_add_null(json);
}
