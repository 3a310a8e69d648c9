#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""B001: waits that were cleared before latchd came are not taken for as old as the server."""
import time

from harness import check, main


def an_earlier_clear_is_dated_at_the_first_look(scenario, _):
    s = scenario(workload="baseline")
    s.simulator.control("clear waits")
    cleared_ms = time.time() * 1000
    time.sleep(16)  # some cycles of the background waits
    latchd = s.start()
    s.wait_until_up()
    since = latchd.target()["counters_since_utc_ms"]
    check(abs(since["waits"] - cleared_ms) < 8000, f"{(since['waits'] - cleared_ms) / 1000} s off")
    days = (cleared_ms - since["latches"]) / 86400000
    check(2.9 < days < 3.1, f"latches were not cleared, the server is up for three days: {days}")


if __name__ == "__main__":
    main(an_earlier_clear_is_dated_at_the_first_look)
