/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints what the contention model makes of the runs that are published, beside the published
 * figures. Virtual time only: nothing sleeps. One thread.
 */
#include "tests/sim/contention/contention.h"

#include "tests/sim/page_store.h"

#include <stdio.h>
#include <time.h>

#define RUN_US	   INT64_C(3000000)
#define WARM_UP_US INT64_C(500000)

/* Source: "Faster insert using OPTIMIZE_FOR_SEQUENTIAL_KEY" and its harness; 0 = not published. */
static const struct {
	int32_t sessions;
	int32_t schedulers;
	int64_t source_off; /* rows per second */
	int64_t source_on;
	double source_parked; /* on page latches, option off */
} runs[] = {
	{1, 64, 72000, 0, 0},		{8, 64, 43000, 43000, 0},
	{64, 64, 26936, 27627, 50.5},	{128, 64, 20151, 26170, 100.8},
	{256, 64, 16563, 25357, 159.4}, {64, 32, 20840, 24453, 51.9},
};

struct outcome {
	double rows_per_s;
	double latch_parked;
	double flow_parked;
	double events_per_s;
	double seconds;
};

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static struct outcome measure(int32_t sessions, int32_t schedulers, bool is_optimized)
{
	struct page_store pages = {.base_rows = 6000000};
	struct contention *contention = contention_new(&pages, 0);
	struct contention_order order = {
		.load = load_find("insert"),
		.session_count = sessions,
		.scheduler_count = schedulers,
		.file_count = 1,
		.scale = 1,
		.rows_per_commit = 100,
		.is_optimized = is_optimized,
	};

	(void)contention_start(contention, &order, 1001); /* There are no clients yet. */
	contention_advance(contention, WARM_UP_US);
	struct machine before = contention->stage.machine;
	int64_t rows = contention->stage.orders.insert_count;
	double start = seconds_now();
	contention_advance(contention, WARM_UP_US + RUN_US);
	const struct machine *after = &contention->stage.machine;
	const struct tally *waits = after->ledger.waits;
	const struct tally *earlier = before.ledger.waits;
	struct outcome outcome = {
		.rows_per_s = (double)(contention->stage.orders.insert_count - rows) * 1e6 / RUN_US,
		.latch_parked = (double)(waits[WAIT_PAGELATCH_EX].time_ns -
					 earlier[WAIT_PAGELATCH_EX].time_ns) /
				1e3 / RUN_US,
		.flow_parked = (double)(waits[WAIT_FLOW_CONTROL].time_ns -
					earlier[WAIT_FLOW_CONTROL].time_ns) /
			       1e3 / RUN_US,
		.events_per_s = (double)(after->event_count - before.event_count) * 1e6 / RUN_US,
		.seconds = seconds_now() - start,
	};
	contention_free(contention);
	return outcome;
}

static void print_figure(double value)
{
	if (value < 0.05)
		printf(" %9s", "-");
	else
		printf(" %9.1f", value);
}

int main(void)
{
	double busy = 0;

	printf("%8s %10s | %9s %9s %9s | %9s %9s %9s | %9s %9s %9s\n", "", "", "option", "off", "",
	       "option", "on", "", "parked", "", "");
	printf("%8s %10s | %9s %9s %9s | %9s %9s %9s | %9s %9s %9s\n", "sessions", "schedulers",
	       "rows/s", "source", "events/s", "rows/s", "source", "flow", "off", "source", "on");
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		struct outcome off = measure(runs[i].sessions, runs[i].schedulers, false);
		struct outcome on = measure(runs[i].sessions, runs[i].schedulers, true);
		printf("%8d %10d | %9.0f %9lld %9.0f | %9.0f", runs[i].sessions, runs[i].schedulers,
		       off.rows_per_s, (long long)runs[i].source_off, off.events_per_s,
		       on.rows_per_s);
		print_figure((double)runs[i].source_on);
		print_figure(on.flow_parked);
		printf(" |");
		print_figure(off.latch_parked);
		print_figure(runs[i].source_parked);
		print_figure(on.latch_parked);
		printf("\n");
		busy += off.seconds + on.seconds;
	}
	printf("simulated %.0f s in %.2f s\n", 2.0 * RUN_US / 1e6 * sizeof(runs) / sizeof(runs[0]),
	       busy);
	return 0;
}
