#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""latchd is killed: nothing committed is lost, and the time without it is one gap with the true rate."""
import signal
import sqlite3
import time

from harness import check, main, until


def raw(latchd):
    return latchd.series("waits", "PAGELATCH_EX", "step=raw&start=-10m")


def enough(latchd, count):
    return until(f"{count} intervals", 40, lambda: (a := raw(latchd)) and len(a["t"]) >= count and a)


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
    main(killed_daemon_continues_with_a_gap)
