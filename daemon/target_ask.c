/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a target asks in one round trip, and what by itself. Runs in the target's thread.
 */
#include "daemon/deadline.h"
#include "daemon/target_state.h"

/* One round trip. *now moves on by what it took. */
static bool ask(struct target *target, unsigned due, struct instant *now, struct error *err)
{
	struct collected collected = {0};

	deadline_begin(target->options.slot, now->mono_ms + target->config.query_timeout_ms);
	bool is_done =
		session_collect(target->session, &target->live.server,
				due | target_cost_due(target, now->mono_ms), &collected, err);
	if (deadline_end(target->options.slot))
		is_done = error_set(err, ERROR_TIMEOUT, 0, "no whole answer within %lld ms",
				    (long long)target->config.query_timeout_ms);
	int64_t took_ms = is_done ? collected.duration_ms : target->config.query_timeout_ms;
	if (stop_is_requested(target->stop)) {
		is_done = true;
	} else if (is_done) {
		target_take_in(target, &collected, due, *now);
	} else {
		target_note_failure(target, due, err, *now);
	}
	collected_done(&collected);
	now->mono_ms += took_ms;
	now->utc_ms += took_ms;
	return is_done;
}

/* One view by itself. False when nothing more can be asked in this turn. */
static bool ask_alone(struct target *target, unsigned view, struct instant *now, struct error *err)
{
	if (ask(target, view, now, err)) {
		target->alone &= ~view;
		target->hung &= ~view;
		return true;
	}
	if (err->kind == ERROR_TIMEOUT)
		target->hung |= view;
	return false;
}

static bool has_several(unsigned views)
{
	return (views & (views - 1)) != 0;
}

/*
 * The views in doubt, those that hung last. One that hangs while others answer is no reason to call
 * the server down: it fails, and the connection is made anew.
 */
static bool ask_doubtful(struct target *target, unsigned due, struct instant *now,
			 struct error *err)
{
	unsigned order[] = {due & ~target->hung, due & target->hung};

	for (int round = 0; round < 2; round++)
		for (int i = 0; i < COLLECTOR_COUNT; i++) {
			unsigned view = order[round] & 1u << i;
			if (!view || stop_is_requested(target->stop))
				continue;
			if (ask_alone(target, view, now, err))
				continue;
			if (target->live.state != TARGET_UP)
				return false;
			if (!session_is_alive(target->session)) {
				session_close(target->session);
				target->session = NULL;
				return true; /* the rest is still due */
			}
		}
	return true;
}

/*
 * What is due goes in one round trip. When that hangs, which view it was is not known, for what
 * came before it is still in the server's buffer: each is then asked by itself until it has
 * answered.
 */
bool target_poll(struct target *target, struct instant now, struct error *err)
{
	unsigned due = schedule_due(&target->schedule, now.mono_ms);
	unsigned doubtful = due & target->alone;
	unsigned together = due & ~doubtful;

	if (together && !ask(target, together, &now, err)) {
		if (err->kind == ERROR_TIMEOUT && has_several(together))
			target->alone |= together;
		return err->kind == ERROR_PROTOCOL && session_is_alive(target->session);
	}
	return ask_doubtful(target, doubtful, &now, err);
}
