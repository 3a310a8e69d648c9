/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What watching a target costs: its server by that server's own account, the network, and latchd.
 * Each connection counts from zero, so what closed ones had is kept. Runs in the target's thread.
 */
#include "daemon/base/clock.h"
#include "daemon/target_state.h"

enum {
	READ_EVERY_MS = 10 * 1000,
	WINDOW_MS = 60 * 1000, /* a rate is over one to two of these */
};

unsigned target_cost_due(struct target *target, int64_t now_mono_ms)
{
	if (now_mono_ms < target->cost_due_mono_ms)
		return 0;
	target->cost_due_mono_ms = now_mono_ms + READ_EVERY_MS;
	return COLLECT_COST;
}

/* Both are sums, of which the server's time may be unknown. */
static int64_t add_known(int64_t left, int64_t right)
{
	if (left < 0 || right < 0)
		return left > right ? left : right;
	return left + right;
}

static struct live_cost summed(const struct target *target)
{
	struct live_cost cost = target->cost_closed;

	if (target->session) {
		const struct session_traffic traffic = session_traffic(target->session);
		cost.round_trip_count += traffic.round_trip_count;
		cost.row_count += traffic.row_count;
		cost.received_bytes += traffic.received_bytes;
	}
	cost.server_cpu_ms = add_known(cost.server_cpu_ms, target->session_cpu_ms);
	return cost;
}

void target_cost_sum(struct target *target, int64_t now_mono_ms)
{
	struct live_cost *cost = &target->live.cost;

	*cost = summed(target);
	cost->mono_ms = now_mono_ms;
	cost->own_cpu_us = clock_thread_cpu_us();
	if (target->cost_middle.mono_ms == 0)
		target->live.cost_from = target->cost_middle = *cost;
	/* What was unknown till now was spent before: the rate begins here. */
	if (target->live.cost_from.server_cpu_ms < 0)
		target->live.cost_from.server_cpu_ms = cost->server_cpu_ms;
	if (target->cost_middle.server_cpu_ms < 0)
		target->cost_middle.server_cpu_ms = cost->server_cpu_ms;
	if (now_mono_ms - target->cost_middle.mono_ms < WINDOW_MS)
		return;
	target->live.cost_from = target->cost_middle;
	target->cost_middle = *cost;
}

void target_cost_keep(struct target *target)
{
	target->cost_closed = summed(target);
	target->session_cpu_ms = -1;
	target->cost_due_mono_ms = 0;
}
