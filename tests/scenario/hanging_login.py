#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A server that refuses, is silent, denies or dies: latchd stays up, says why, and recovers by itself."""
from harness import Latchd, check, main, until


def is_down(latchd, *words):
    target = latchd.target()
    text = (target["last_error"] or {}).get("text", "")
    return target["state"] != "up" and all(word in text for word in words) and target


def recovers_from(s, begin, end, *words):
    s.simulator.control(begin)
    until(f"down with a reason after '{begin}'", 30, lambda: is_down(s.latchd, *words))
    check(s.latchd.is_healthy(), "healthy all the while")
    s.simulator.control(end)
    until(f"up again after '{end}'", 60, lambda: s.latchd.target()["state"] == "up")
    check(s.latchd.target()["last_error"] is None, "the error ends with the next success")


def refusing_server(scenario, _):
    s = scenario()
    s.start()
    s.wait_until_up()
    recovers_from(s, "refuse on", "refuse off", "refused")


def silent_server(scenario, _):
    s = scenario()
    s.start()
    s.wait_until_up()
    recovers_from(s, "silent query on", "silent query off")


def server_that_dies_in_mid_row(scenario, _):
    s = scenario()
    s.start()
    s.wait_until_up()
    recovers_from(s, "die-mid-row 20 always", "die-mid-row off")


def dripping_server(scenario, _):
    s = scenario()
    s.start()
    s.wait_until_up()
    recovers_from(s, "drip on", "drip off")


def wrong_password_is_denied_until_it_is_right(scenario, _):
    s = scenario()
    (s.directory / "password").write_text("wrong\n", encoding="utf-8")
    latchd = s.start()
    target = until("denied", 30, lambda: (t := latchd.target()) and t["state"] == "denied" and t)
    check("latchd" in target["last_error"]["text"], f"the login is named: {target['last_error']}")
    check("wrong" not in target["last_error"]["text"] and "wrong" not in latchd.read_log(), "the password is not")
    (s.directory / "password").write_text("latchd\n", encoding="utf-8")
    until("up with the right password", 90, lambda: latchd.target()["state"] == "up")


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
    main(
        refusing_server,
        silent_server,
        server_that_dies_in_mid_row,
        dripping_server,
        wrong_password_is_denied_until_it_is_right,
        stops_within_five_seconds_while_a_login_hangs,
    )
