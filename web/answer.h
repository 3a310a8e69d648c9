/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What many answers share: finding the target a path names, borrowing a reader, age and staleness,
 * values that are null when unknown. Runs in the web threads.
 */
#pragma once

#include "collectors/family.h"
#include "daemon/base/json.h"
#include "storage/live.h"
#include "storage/reader.h"
#include "web/context.h"

/* How old what is known of a collector is. */
struct answer_age {
	bool is_known; /* polled at least once */
	int64_t age_ms;
	bool is_stale; /* over 2.5 times its interval, or never polled */
};

/*
 * Finds the target of the request's path and copies it out; else responds 404 with the known names.
 * Threads: any.
 */
MUST_CHECK bool answer_find_target(const struct web_context *context, const struct request *request,
				   struct live_target *target, struct response *response);

/*
 * Borrows a reader; else responds 503.
 *
 * Owns:    the caller returns it before the answer goes out.
 * Threads: any; may block up to READER_WAIT_MS.
 */
MUST_CHECK struct reader *answer_borrow_reader(const struct web_context *context,
					       const struct request *request,
					       struct response *response);

/* Age of a view of a target. Pure. */
struct answer_age answer_family_age(const struct live_target *target, enum family family,
				    int64_t now_mono_ms);

/* Age of a target: of its waits; of what is polled most often where waits are off. Pure. */
struct answer_age answer_target_age(const struct live_target *target, int64_t now_mono_ms);

/* Age of what a collector brought last. Pure. */
struct answer_age answer_collector_age(const struct live_target *target, enum collector collector,
				       int64_t now_mono_ms);

/* Writes "age_ms" and "stale". Threads: the owner. */
void answer_add_age(struct json *json, const struct answer_age *age);

/* Writes a member that is null when the value says unknown: "" or 0. Threads: the owner. */
void answer_member_text(struct json *json, const char *key, const char *text);
void answer_member_int(struct json *json, const char *key, int64_t value);
