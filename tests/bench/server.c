/* SPDX-License-Identifier: Apache-2.0 */
/* Runs in a benchmark. Moving names are spread evenly over the alphabet. */
#include "tests/bench/server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* So fast that every name moves between two polls, which follow each other in a few ms. */
enum { RATE_PER_S = 20000, EVENTS_PER_S = 10000 };

struct view {
	const char *name;
	const char *sql;
	size_t name_count;
	size_t moving_count;
};

#define WAITS_SQL                                                                                  \
	"SELECT w.wait_type, w.waiting_tasks_count, w.wait_time_ms, w.signal_wait_time_ms, "       \
	"w.max_wait_time_ms FROM sys.dm_os_wait_stats AS w;"
#define LATCHES_SQL                                                                                \
	"SELECT l.latch_class, l.waiting_requests_count, l.wait_time_ms, l.max_wait_time_ms "      \
	"FROM sys.dm_os_latch_stats AS l;"
#define SPINLOCKS_SQL                                                                              \
	"SELECT s.name, s.collisions, s.spins, s.sleep_time, CONVERT(bigint, s.backoffs) "         \
	"FROM sys.dm_os_spinlock_stats AS s;"

const char *const server_views_sql = WAITS_SQL LATCHES_SQL SPINLOCKS_SQL;

static const struct view views[] = {
	{"waits", WAITS_SQL, SERVER_WAITS, SERVER_WAITS_MOVING},
	{"latches", LATCHES_SQL, SERVER_LATCHES, SERVER_LATCHES_MOVING},
	{"spinlocks", SPINLOCKS_SQL, SERVER_SPINLOCKS, SERVER_SPINLOCKS_MOVING},
};

static void complete(struct simulator *simulator, struct bare *bare, const struct view *view)
{
	for (size_t i = bare_poll(bare, view->sql); i < view->name_count; i++)
		simulator_control(simulator, "add %s UNDOCUMENTED_OF_%s_%04zu", view->name,
				  view->name, i);
}

/* Those that move of themselves (heartbeats, background work) are among the moving ones. */
static void set_going(struct simulator *simulator, struct bare *bare, const struct view *view)
{
	const size_t name_count = bare_poll(bare, view->sql);
	const struct bare_row *rows = bare_rows(bare);
	for (size_t i = 0; i < view->moving_count; i++)
		simulator_control(simulator, "rate %s \"%s\" %d %d", view->name,
				  rows[i * name_count / view->moving_count].name, RATE_PER_S,
				  EVENTS_PER_S);
}

void server_fill(struct simulator *simulator, struct bare *bare)
{
	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		complete(simulator, bare, &views[i]);
		set_going(simulator, bare, &views[i]);
	}
}
