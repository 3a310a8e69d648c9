#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A last-page hotspot from the server's counters to the pager: figures of the source article (64 sessions:
option off PAGELATCH_EX 51,900 ms/s; on 22,700 and BTREE_INSERT_FLOW_CONTROL 30,000 ms/s)."""
from harness import RULES, Webhook, check, main, until


def rate(latchd, name):
    """Mean of the raw rates of the last seconds, of what is covered."""
    answer = latchd.series("waits", name, "step=raw&start=-8s")
    check(answer["series"], f"no series {name}")
    known = [value for value in answer["series"][0]["ms_per_sec"] if value is not None]
    check(len(known) >= 3, f"{name}: only {len(known)} intervals known")
    return sum(known) / len(known)


def is_near(value, want):
    return abs(value - want) <= 0.05 * want


def hot_page_is_named_and_rates_are_true(scenario, _):
    s = scenario(workload="last-page")
    latchd = s.start()
    s.wait_until_up()

    def confirmed():
        spots = latchd.get("/api/v1/targets/prod/hotspots?start=-5m")["hotspots"]
        return [x for x in spots if x["kind"] == "last_page_insert" and x["confidence"] == "confirmed" and x["object"]]

    spot = until("a confirmed last_page_insert with a name", 40, confirmed)[0]
    check(spot["state"] == "active", f"state {spot['state']}")
    check((spot["database"], spot["object"], spot["index"]) == ("Sales", "dbo.Orders", "PK_Orders"), f"named {spot}")
    check(spot["page"]["resource"].startswith("5:1:"), f"page {spot['page']}")
    check(spot["optimize_for_sequential_key"] is False, "the option is off")
    check(45 <= spot["waiters"]["avg"] <= 60, f"waiters {spot['waiters']}, 51.9 of 64 are parked")
    until("ten intervals", 15, lambda: is_near(rate(latchd, "PAGELATCH_EX"), 51900))
    s.simulator.control("option on")

    def moved():
        return is_near(rate(latchd, "PAGELATCH_EX"), 22700) and is_near(rate(latchd, "BTREE_INSERT_FLOW_CONTROL"), 30000)

    until("both waits of the option", 30, moved)


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
    main(hot_page_is_named_and_rates_are_true, one_episode_is_told_once)
