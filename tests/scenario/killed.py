#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Clear, restart, failover and our own death never look like a spike or a drop."""
import signal
import sqlite3
import time

from harness import check, main, until

PEAK = 1.5 * 51900  # above this a rate would be a spike: the workload is steady


def raw(latchd, family="waits", name="PAGELATCH_EX"):
    return latchd.series(family, name, "step=raw&start=-10m")


def check_calm(answer, field="ms_per_sec", peak=PEAK):
    for series in answer["series"]:
        for value in series[field]:
            check(value is None or 0 <= value <= peak, f"{series['name']}: {value} is negative or a spike")


def enough(latchd, count, **which):
    return until(f"{count} intervals", 40, lambda: (a := raw(latchd, **which)) and len(a["t"]) >= count and a)


def clear_of_waits_leaves_latches_and_spinlocks_alone(scenario, _):
    s = scenario()
    latchd = s.start()
    s.wait_until_up()
    enough(latchd, 4)
    s.simulator.control("clear waits")
    event = until("a clear event", 10, lambda: latchd.events("clear"))[0]
    check(event["family"] == "waits", f"event {event}")
    before = len(raw(latchd)["t"])
    answer = enough(latchd, before + 3)
    check_calm(answer)
    check("after_clear" in answer["quality"], f"quality {answer['quality']}")
    for family in ("latches", "spinlocks"):
        other = latchd.get(f"/api/v1/targets/prod/{family}?step=raw&start=-10m")
        check(set(other["quality"]) <= {"baseline", "exact"}, f"{family}: {other['quality']}")
    check(len(latchd.events("clear")) == 1, "one clear, one event")


def restart_counts_the_value_since_start(scenario, _):
    s = scenario()
    latchd = s.start()
    s.wait_until_up()
    enough(latchd, 4)
    s.simulator.control("restart")
    until("a restart event", 20, lambda: latchd.events("restart"))
    answer = until("an interval after the restart", 20,
                   lambda: (a := raw(latchd)) and "after_restart" in a["quality"] and a)
    check_calm(answer)
    at = answer["quality"].index("after_restart")
    check(answer["series"][0]["ms_per_sec"][at] is not None, "the value since the start counts")
    check(not latchd.events("clear"), "a restart is no clear")


def another_server_behind_the_name_is_a_failover(scenario, _):
    s = scenario()
    latchd = s.start()
    s.wait_until_up()
    enough(latchd, 3)
    s.simulator.control("identity SIM02 NODE02")
    until("a failover event", 20, lambda: latchd.events("failover"))
    enough(latchd, 6)
    check_calm(raw(latchd))
    check(latchd.target()["server_name"] == "SIM02", f"server {latchd.target()['server_name']}")


def killed_daemon_continues_with_a_gap(scenario, _):
    s = scenario()
    latchd = s.start()
    s.wait_until_up()
    first = enough(latchd, 5)
    latchd.stop(signal.SIGKILL)
    store = sqlite3.connect(s.directory / "latchd.db")
    check(store.execute("PRAGMA integrity_check").fetchone() == ("ok",), "the store is whole")
    store.close()
    time.sleep(6)  # the downtime itself is what this scenario is about
    latchd = s.start()
    answer = until("an interval over the downtime", 20,
                   lambda: (a := raw(latchd)) and "after_gap" in a["quality"] and a)
    check(set(first["t"]) <= set(answer["t"]), "committed intervals are all there")
    at = answer["quality"].index("after_gap")
    check(answer["interval_ms"][at] >= 5500, f"the interval spans the downtime: {answer['interval_ms'][at]}")
    value = answer["series"][0]["ms_per_sec"][at]
    check(abs(value - 51900) < 0.05 * 51900, f"its rate is the true one: {value}")
    check(not latchd.events("clear") and not latchd.events("restart"), "no false reset")
    check(latchd.events("gap"), "the gap is told")


if __name__ == "__main__":
    main(
        clear_of_waits_leaves_latches_and_spinlocks_alone,
        restart_counts_the_value_since_start,
        another_server_behind_the_name_is_a_failover,
        killed_daemon_continues_with_a_gap,
    )
