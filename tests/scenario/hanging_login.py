#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A login that hangs does not keep latchd from stopping: B140."""
from harness import Latchd, check, main, until


def stops_within_five_seconds_while_a_login_hangs(scenario, _):
    s = scenario()
    s.simulator.control("silent login on")
    config = s.config().replace("login: 2s", "login: 60s")
    s.latchd = latchd = Latchd(s.directory, config)
    until("connecting", 10, lambda: latchd.target()["state"] == "connecting")
    status, seconds = latchd.stop()
    check(status == 0, f"status {status}\n{latchd.read_log()}")
    check(seconds < 5, f"stopped after {seconds:.1f} s")


if __name__ == "__main__":
    main(stops_within_five_seconds_while_a_login_hangs)
