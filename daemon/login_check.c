/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The logins of `latchd config check --connect`, and what each of them may see. Each runs in a
 * thread of its own; main keeps their deadlines meanwhile, as it does for the daemon's.
 */
#include "daemon/login_check.h"

#include <stdlib.h>

#include "collectors/probe.h"
#include "daemon/base/alloc.h"
#include "daemon/base/clock.h"
#include "daemon/deadline.h"
#include "daemon/file.h"
#include "daemon/login.h"
#include "daemon/thread.h"

enum { TICK_MS = 50, HANG_MS = 20 * 1000 };

struct attempt {
	struct config_target target; /* a copy, for a thread that is left behind */
	struct login_route route;
	struct deadline_slot *slot;
	struct thread *thread;
	struct server server;
	struct probe probe;
	struct error error;
};

static void attempt_body(void *context)
{
	struct attempt *attempt = context;
	struct epoch epoch = {0};

	CLEANUP(session_closep)
	struct session *session =
		login_open(&attempt->target, &attempt->route, attempt->slot, clock_now().mono_ms,
			   &attempt->server, &epoch, &attempt->error);
	if (!session)
		return;
	deadline_begin(attempt->slot, clock_now().mono_ms + attempt->target.query_timeout_ms);
	if (!probe_run(session, &attempt->server, &attempt->probe, &attempt->error))
		attempt->probe.is_done = false;
	if (deadline_end(attempt->slot))
		(void)error_set(&attempt->error, ERROR_TIMEOUT, 0, "logged in, but no answer");
}

/* False when it hangs where no deadline reaches it, such as in the resolver. */
static bool attempt_wait(struct attempt *attempt, struct deadline *deadline)
{
	int64_t limit_mono_ms = clock_now().mono_ms + attempt->target.login_timeout_ms +
				attempt->target.query_timeout_ms + HANG_MS;

	for (;;) {
		int64_t now_mono_ms = clock_now().mono_ms;
		deadline_tick(deadline, now_mono_ms);
		if (!attempt->thread || thread_join_until(attempt->thread, now_mono_ms + TICK_MS))
			return true;
		if (now_mono_ms > limit_mono_ms)
			return false;
	}
}

/* A line for each part: what works, what does not and what cures it. */
static void print_rights(FILE *file, const struct attempt *attempt)
{
	const struct probe *probe = &attempt->probe;

	for (int i = 0; probe->is_done && i < PROBE_COUNT; i++) {
		CLEANUP(strbuf_done) struct strbuf cure = STRBUF_INIT;
		probe_cure(probe, i, &attempt->server, &cure);
		fprintf(file, "  %-14s %-12s %s\n", probe_info(i)->name,
			probe_state_name(probe->parts[i].state),
			cure.size > 0 ? strbuf_text(&cure) : probe->parts[i].text);
	}
}

static void print_attempt(FILE *file, const struct attempt *attempt, bool has_ended)
{
	const char *name = attempt->target.name;

	if (!has_ended)
		fprintf(file, "'%s': hangs in the login, perhaps in resolving the name\n", name);
	else if (attempt->error.kind != ERROR_NONE)
		fprintf(file, "'%s': %s\n", name, attempt->error.text);
	else
		fprintf(file, "'%s': logged in, SQL Server %s\n", name, attempt->server.version);
	print_rights(file, attempt);
}

/* What hangs keeps what it may look at: attempts, slots and library are then left as they are. */
static void attempt_all(const struct config *config, const struct login_route *routes,
			struct deadline *deadline, FILE *file, struct login_check *result)
{
	struct attempt *attempts = xcalloc(config->target_count, sizeof(*attempts));

	for (size_t i = 0; i < config->target_count; i++) {
		attempts[i].target = config_target_copy(&config->targets[i]);
		attempts[i].route = routes[i];
		attempts[i].slot = deadline_slot(deadline, i);
		attempts[i].thread =
			thread_start("check", attempt_body, &attempts[i], &attempts[i].error);
	}
	for (size_t i = 0; i < config->target_count; i++) {
		bool has_ended = attempt_wait(&attempts[i], deadline);
		print_attempt(file, &attempts[i], has_ended);
		result->failed_count += !has_ended || attempts[i].error.kind != ERROR_NONE;
		result->is_left_behind |= !has_ended;
	}
	if (result->is_left_behind)
		return;
	for (size_t i = 0; i < config->target_count; i++)
		config_target_done(&attempts[i].target);
	free(attempts);
}

bool login_check_all(const struct config *config, FILE *file, struct login_check *result,
		     struct error *err)
{
	struct held_file held = HELD_FILE_NONE;

	*result = (struct login_check){0};
	CLEANUP(freep)
	struct login_route *routes = xcalloc(config->target_count, sizeof(*routes));
	if (!login_library_start(config, routes, &held, err)) {
		file_release(&held);
		return false;
	}
	struct deadline *deadline = deadline_new(config->target_count);
	attempt_all(config, routes, deadline, file, result);
	if (!result->is_left_behind) {
		session_library_stop();
		deadline_free(deadline);
		file_release(&held);
	}
	return true;
}
