/* SPDX-License-Identifier: Apache-2.0 */
/* Talks to systemd. Runs in main. */
#include "daemon/supervisor.h"

#include <systemd/sd-daemon.h>

/* That nobody listens is the usual case, and nothing depends on it: results are ignored. */
void supervisor_ready(const char *status)
{
	(void)sd_notifyf(0, "READY=1\nSTATUS=%s", status);
}

void supervisor_status(const char *status)
{
	(void)sd_notifyf(0, "STATUS=%s", status);
}

void supervisor_alive(void)
{
	(void)sd_notify(0, "WATCHDOG=1");
}

void supervisor_stopping(void)
{
	(void)sd_notify(0, "STOPPING=1\nSTATUS=stopping");
}

int64_t supervisor_alive_interval_ms(void)
{
	uint64_t allowed_us = 0;

	if (sd_watchdog_enabled(0, &allowed_us) <= 0)
		return 0;
	return (int64_t)(allowed_us / 2000);
}
