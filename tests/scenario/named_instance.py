#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""HOST\\INSTANCE through the SQL Server Browser, and what is said when it does not help (B063); IPv6."""
from harness import Latchd, check, main, until


def start(s, host, port=None):
    """latchd with a host as the configuration spells it; port None leaves the key out."""
    browser = s.simulator.process.stdout.readline().decode().split()[-1] if port is None else None
    old = f"host: 127.0.0.1, port: {s.simulator.port}"
    new = f"host: '{host}'" + (f", browser_port: {browser.rsplit(':', 1)[1]}" if browser else f", port: {port}")
    config = s.config()
    check(old in config, "the harness writes the target as known here")
    s.latchd = Latchd(s.directory, config.replace(old, new))
    return s.latchd


def error_of(latchd):
    return (latchd.target()["last_error"] or {"text": ""})["text"]


def says(latchd, *words):
    until(f"{words} in the error", 40, lambda: all(word in error_of(latchd) for word in words))


def an_instance_is_found_and_found_again(scenario, _):
    s = scenario(options=("--browser", "127.0.0.1:0", "--instance", "SALES"))
    latchd = start(s, "127.0.0.1\\sales")
    s.wait_until_up()
    check(latchd.target()["port"] == s.simulator.port, f"the port is shown: {latchd.target()['port']}")
    asked = s.simulator.control("browser requests")
    s.simulator.control("kill all")
    until("down is told", 20, lambda: latchd.events("down"))
    s.wait_until_up()
    check(s.simulator.control("browser requests") == asked, "a connection that broke does not ask: the port is known")
    s.simulator.control("browser port 1")
    s.simulator.control("refuse on")
    says(latchd, "refused", "(instance 'sales')")
    s.simulator.control("refuse off")
    says(latchd, "refused", "127.0.0.1:1 ")
    s.simulator.control("browser silent")
    says(latchd, "SQL Server Browser on '127.0.0.1' did not answer within 1000 ms; give the port")
    s.simulator.control("browser garbage")
    says(latchd, "SQL Server Browser on '127.0.0.1'", "no answer")
    s.simulator.control("browser answer")
    s.simulator.control(f"browser port {s.simulator.port}")
    s.wait_until_up(60)


def an_unknown_instance_is_told_with_those_there_are(scenario, _):
    s = scenario(options=("--browser", "127.0.0.1:0", "--instance", "SALES"))
    latchd = start(s, "127.0.0.1\\SALE")
    says(latchd, "'127.0.0.1' has no instance 'SALE'; it knows: SALES")
    check(latchd.target()["state"] == "down" and latchd.is_healthy(), "down, and healthy")


def a_port_wins_over_the_browser(scenario, _):
    s = scenario(options=("--browser", "127.0.0.1:0", "--instance", "SALES"))
    start(s, "tcp:127.0.0.1\\OTHER", s.simulator.port)
    s.wait_until_up()
    check(s.simulator.control("browser requests") == "ok 0", "nobody asked the browser")


def an_instance_is_polled_over_ipv6(scenario, _):
    s = scenario(listen="[::1]:0", options=("--browser", "[::1]:0", "--instance", "SALES"))
    latchd = start(s, "[::1]\\SALES")
    s.wait_until_up()
    until("polls", 20, lambda: latchd.target()["collectors"][0]["polls"] > 2)


def a_port_is_polled_over_ipv6(scenario, _):
    s = scenario(listen="[::1]:0")
    latchd = start(s, "::1", s.simulator.port)
    s.wait_until_up()
    until("polls", 20, lambda: latchd.target()["collectors"][0]["polls"] > 2)
    s.simulator.control("refuse on")
    says(latchd, f"connection refused by [::1]:{s.simulator.port}")


if __name__ == "__main__":
    main(
        an_instance_is_found_and_found_again,
        an_unknown_instance_is_told_with_those_there_are,
        a_port_wins_over_the_browser,
        an_instance_is_polled_over_ipv6,
        a_port_is_polled_over_ipv6,
        at_once=3,
    )
