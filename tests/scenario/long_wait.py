#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""B061, B007: a wait of ten minutes is shown while it lasts, and is in no figure until it ends; then it is late."""
import os
import subprocess

from harness import check, main, until

HELD_S = 7
WAIT_MS = 601_119  # of the report
RESOURCE = "keylock hobtid=72057594044153856 dbid=5 id=lock1c40f2b80 mode=X associatedObjectId=72057594044153856"


def waiting(latchd, name):
    groups = latchd.get("/api/v1/targets/prod/tasks")["resources"]
    return next((group for group in groups if group["wait_type"] == name), None)


def held(latchd, name, family="waits"):
    """What the figures have of it: total and intervals."""
    answer = latchd.series(family, name)
    series = answer["series"][0]
    return series["total"], answer, series


def lock_wait_of_ten_minutes(new, _):
    holder = new(workload="idle")
    latchd = holder.start()
    holder.wait_until_up()
    until("three polls", 20, lambda: len(latchd.series("waits", "LCK_M_S")["t"]) >= 3)
    before = held(latchd, "LCK_M_S")[0]["wait_ms"]
    age = WAIT_MS / 1000 - HELD_S
    holder.simulator.control(f'hold LCK_M_S {HELD_S} age {age:.3f} by 60 for "{RESOURCE}"')
    holder.simulator.control(f'hold LCK_M_S {HELD_S} age 1 by 60 for "{RESOURCE}"')
    seen = until("it waits", 10, lambda: waiting(latchd, "LCK_M_S"))
    check(seen["longest_ms"] >= age * 1000, f"as long as it has waited: {seen}")
    check((seen["waiters"], seen["sessions"], seen["head_session_id"]) == (2, 2, 60), f"counted: {seen}")
    check(seen["resource"]["kind"] == "key_lock" and seen["resource"]["database_id"] == 5, f"named: {seen}")
    longer = until("it goes on", 10, lambda: (waiting(latchd, "LCK_M_S") or seen)["longest_ms"] > seen["longest_ms"])
    check(longer, "it grows")
    longest = latchd.target()["longest_wait"]
    check(longest["wait_type"] == "LCK_M_S" and longest["ms"] >= age * 1000, f"the target has it: {longest}")
    printed = subprocess.run([os.environ["LATCHD"], "status", "--url", latchd.address], capture_output=True, text=True,
                             timeout=30, check=False).stdout
    check("LCK_M_S 59" in printed or "LCK_M_S 60" in printed, f"latchd status has it: {printed}")
    total, _, _ = held(latchd, "LCK_M_S")
    check(total["wait_ms"] == before, f"nothing of it is in the figures: {total}")

    until("it has ended", 20, lambda: not waiting(latchd, "LCK_M_S"))
    booked = until("it is booked", 10, lambda: held(latchd, "LCK_M_S")[0]["wait_ms"] > before and held(latchd, "LCK_M_S"))
    total, answer, series = booked
    check(total["wait_ms"] - before == WAIT_MS + (HELD_S + 1) * 1000, f"whole, once: {total}")
    check(total["waits"] == 2, f"two waits: {total}")
    rates = [rate or 0 for rate in series["ms_per_sec"]]
    check(max(rates) > 300_000, f"in one interval: {rates}")
    at = answer["t"][rates.index(max(rates))]
    late = [mark for mark in answer["markers"] if mark["kind"] == "late" and mark["t"] < at <= mark["t_end"]]
    check(len(late) == 1, f"that interval is marked late: {at} {answer['markers']}")
    check(not latchd.events("clear") and not latchd.events("restart"), "and no reset")


def latch_class_that_is_refreshed(new, _):
    """The class of a latch has its time every five minutes: late twice, and never lost."""
    holder = new(workload="idle")
    latchd = holder.start()
    holder.wait_until_up()
    until("three polls", 20, lambda: len(latchd.series("latches", "LOG_MANAGER")["t"]) >= 3)
    holder.simulator.control('hold LATCH_EX 6 age 298 for "LOG_MANAGER (000001F1B8003400)"')
    seen = until("it waits", 10, lambda: waiting(latchd, "LATCH_EX"))
    check(seen["resource"]["latch_class"] == "LOG_MANAGER", f"by its class: {seen}")
    until("the class is refreshed", 10, lambda: held(latchd, "LOG_MANAGER", "latches")[0]["wait_ms"] == 300_000)
    check(held(latchd, "LATCH_EX")[0]["wait_ms"] == 0, "the wait itself is not booked yet")
    until("the rest comes at the end", 10, lambda: held(latchd, "LOG_MANAGER", "latches")[0]["wait_ms"] == 304_000)
    until("with the wait", 10, lambda: held(latchd, "LATCH_EX")[0]["wait_ms"] == 304_000)


def idle_wait_of_a_session(new, _):
    holder = new(workload="idle")
    latchd = holder.start()
    holder.wait_until_up()
    holder.simulator.control("hold WAITFOR 60 age 3600")
    seen = until("it waits", 10, lambda: waiting(latchd, "WAITFOR"))
    check(seen["benign"] is True, f"marked: {seen}")
    check(latchd.target()["longest_wait"] is None, "and nothing to worry about")


if __name__ == "__main__":
    main(lock_wait_of_ten_minutes, latch_class_that_is_refreshed, idle_wait_of_a_session, at_once=3)
