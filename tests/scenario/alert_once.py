#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One episode of contention reaches the pager once, also when the first delivery fails: B100."""
from harness import RULES, Webhook, check, main, until


def one_episode_is_told_once(scenario, stack):
    hook = Webhook(statuses=[500])
    stack.callback(hook.stop)
    s = scenario(workload="last-page")
    latchd = s.start(RULES.format(url=hook.url))
    until("a firing notice", 40, lambda: hook.statuses() == ["firing"])
    alerts = latchd.get("/api/v1/alerts")["alerts"]
    check([a["state"] for a in alerts] == ["firing"], f"alerts {alerts}")
    check(alerts[0]["value"] > 40000, f"value {alerts[0]['value']}")
    s.simulator.control("workload baseline")
    until("a resolved notice", 40, lambda: hook.statuses() == ["firing", "resolved"])
    until("inactive", 10, lambda: latchd.get("/api/v1/alerts")["alerts"][0]["state"] == "inactive")
    check(hook.ids[0] == hook.ids[1], "a retried delivery keeps its id")
    check(len(set(hook.ids)) == 2, f"two notices, two ids: {hook.ids}")
    status, seconds = latchd.stop()
    check(status == 0 and seconds < 5, f"stop: status {status} after {seconds:.1f} s")
    check(hook.statuses() == ["firing", "resolved"], f"told {hook.statuses()}")


if __name__ == "__main__":
    main(one_episode_is_told_once)
