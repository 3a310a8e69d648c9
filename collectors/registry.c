/* SPDX-License-Identifier: Apache-2.0 */
/* The table of collectors. Any thread; nothing changes. */
#include "collectors/collect.h"

#define GRANT_STATE "GRANT VIEW SERVER STATE TO latchd; -- 2022: VIEW SERVER PERFORMANCE STATE"

static const struct collector_info collectors[COLLECTOR_COUNT] = {
	[COLLECTOR_WAITS] = {"waits", "collectors/sql/waits.sql", GRANT_STATE},
	[COLLECTOR_LATCHES] = {"latches", "collectors/sql/latches.sql", GRANT_STATE},
	[COLLECTOR_SPINLOCKS] = {"spinlocks", "collectors/sql/spinlocks.sql", GRANT_STATE},
	[COLLECTOR_WAITING_TASKS] = {"waiting_tasks", "collectors/sql/waiting_tasks.sql",
				     GRANT_STATE},
};

const struct collector_info *collector_info(enum collector collector)
{
	return &collectors[collector];
}
