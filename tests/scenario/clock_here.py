#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The UTC clock of the machine that runs latchd is set while it runs: no time is covered twice, no rate moves."""
import os
import struct
import sys
import time

from harness import check, main, until

WANDER_MS = 250  # of a label, by the answers' way: a quarter of an interval; what is covered twice is a whole one
RATE = 51900


class Shift:
    """Sets the clock of one program (tests/support/clock_shift.c)."""

    def __init__(self, directory):
        self.path = directory / "clock"
        self.set(0)

    def set(self, seconds):
        if not self.path.exists():
            self.path.write_bytes(bytes(8))
        with open(self.path, "r+b") as file:
            file.write(struct.pack("=q", int(seconds * 1e6)))

    def env(self, zone):
        # The runtime of a sanitizer wants to be the first library, which the shim is.
        options = os.environ.get("ASAN_OPTIONS", "")
        return {"LD_PRELOAD": os.environ["CLOCK_SHIFT"], "CLOCK_SHIFT_FILE": str(self.path), "TZ": zone,
                "ASAN_OPTIONS": f"{options}:verify_asan_link_order=0".lstrip(":")}


def spans(latchd, family):
    """What is covered: (begin, end, rate), in order of time."""
    name = {"waits": "PAGELATCH_EX", "latches": "BUFFER"}[family]
    now = time.time()
    window = f"start={now - 10800:.0f}&end={now + 10800:.0f}"
    answer = latchd.get(f"/api/v1/targets/prod/{family}?step=raw&{window}&name={name}&benign=true")
    rates = answer["series"][0]["ms_per_sec"] if answer["series"] else [None] * len(answer["t"])
    return sorted((t - length, t, rate) for t, length, rate in zip(answer["t"], answer["interval_ms"], rates)
                  if rate is not None)


def check_apart(latchd):
    for family in ("waits", "latches"):
        seen = spans(latchd, family)
        for (_, end, _), (begin, _, _) in zip(seen, seen[1:]):
            check(begin > end - WANDER_MS, f"{family}: {end - begin} ms are covered twice: {seen}")
    for begin, end, rate in spans(latchd, "waits"):
        check(abs(rate - RATE) < RATE / 4, f"{rate} ms/s from {begin} to {end}")


def set_and_watch(new, zone, seconds):
    """Polls on the old clock, then on the new; returns latchd and how far the clock was off where it was told."""
    if not os.environ.get("CLOCK_SHIFT"):
        sys.exit(77)
    holder = new()
    shift = Shift(holder.directory)
    latchd = holder.start(env=shift.env(zone))
    holder.wait_until_up()
    until("four polls", 20, lambda: len(spans(latchd, "waits")) >= 4)
    before = spans(latchd, "waits")[-1][1]
    shift.set(seconds)
    until("the clock is told", 20, lambda: latchd.events("clock"))
    time.sleep(4)
    (event,) = latchd.events("clock")
    return latchd, event, before


def forward_by_an_hour(new, _):
    latchd, event, before = set_and_watch(new, "Europe/Berlin", 3600)
    check_apart(latchd)
    check(abs(event["t_end"] - event["t"] - 3600_000) < 500, f"{event}")
    check("forward by 3600" in event["text"], event["text"])
    known = [end for _, end, _ in spans(latchd, "waits")]
    check(any(end > before + 3_600_000 for end in known), f"goes on an hour later: {known}")
    check(not any(before + 60_000 < end < before + 3_500_000 for end in known), f"nothing in between: {known}")
    kinds = {event["kind"] for event in latchd.events()}
    check(kinds == {"clock"}, f"and nothing else is told: {kinds}")
    check(latchd.target()["stale"] is False, "it is not stale")


def back_by_an_hour(new, _):
    latchd, event, before = set_and_watch(new, "America/New_York", -3600)
    check_apart(latchd)
    check("back by 3600" in event["text"], event["text"])
    known = [end for _, end, _ in spans(latchd, "waits")]
    check(any(end < before - 3_500_000 for end in known), f"goes on an hour before: {known}")
    check(latchd.target()["stale"] is False, "it is not stale")


def back_by_three_seconds(new, _):
    """The new labels pass where the old ones ended; what they cover again is kept once."""
    latchd, event, before = set_and_watch(new, "Asia/Kolkata", -3)
    until("the labels have passed", 20, lambda: spans(latchd, "waits")[-1][1] > before + 3_000)
    check_apart(latchd)
    check("back by 3.0" in event["text"], event["text"])


if __name__ == "__main__":
    main(forward_by_an_hour, back_by_an_hour, back_by_three_seconds, at_once=3)
