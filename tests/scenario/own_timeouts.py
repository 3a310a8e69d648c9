#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""B041: each target keeps its own time limit, though the library has one for all that it would rather use."""
from harness import Latchd, check, main, until

PATIENT = '  - {{name: patient, host: 127.0.0.1, port: {port}, timeouts: {{login: 2s, query: 30s}}}}\n'


def one_waits_where_the_other_gives_up(scenario, _):
    s = scenario(workload="baseline")
    config = s.config() + PATIENT.format(port=s.simulator.port)
    s.latchd = latchd = Latchd(s.directory, config)
    until("both up", 20, lambda: all(t["state"] == "up" for t in latchd.get("/api/v1/targets")["targets"]))
    s.simulator.control("delay 4 dm_os_wait_stats")
    error = until("2 s are too long for the one", 30, lambda: (t := latchd.target())["state"] != "up" and t["last_error"])
    check(error["kind"] == "timeout", f"error {error}")
    until("the other has waited", 30, lambda: patient(latchd)["collectors"][0]["last_duration_ms"] >= 4000)
    check(patient(latchd)["state"] == "up" and not patient(latchd)["last_error"], f"patient: {patient(latchd)}")


def patient(latchd):
    return latchd.get("/api/v1/targets/patient")


if __name__ == "__main__":
    main(one_waits_where_the_other_gives_up)
