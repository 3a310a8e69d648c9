#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""B131: a password of odd characters logs in, and stands nowhere but in its own file, also when it is refused."""
import json
import pathlib

from harness import check, main, until

PASSWORD = "s3cr;et'{}\"=%&\\\u00e4 #x"
PATHS = ("/api/v1/status", "/api/v1/targets", "/api/v1/targets/prod/events?start=-1h", "/api/v1/alerts")


def a_password_stands_in_its_file_alone(scenario, _):
    s = scenario(logins=[f"latchd:{PASSWORD}"])
    s.set_password(PASSWORD)
    latchd = s.start()
    s.wait_until_up()
    look(s, latchd)
    s.simulator.control("fail 18456")
    s.simulator.control("kill all")
    until("refused", 20, lambda: latchd.target()["state"] == "denied")
    look(s, latchd)


def look(s, latchd):
    needle = PASSWORD.encode()
    process = pathlib.Path("/proc") / str(latchd.process.pid)
    texts = {"arguments": (process / "cmdline").read_bytes(), "environment": (process / "environ").read_bytes()}
    texts |= {path: json.dumps(latchd.get(path), ensure_ascii=False).encode() for path in PATHS}
    texts |= {file.name: file.read_bytes() for file in s.directory.iterdir() if file.is_file() and file.name != "password"}
    for where, text in texts.items():
        for form in (needle, PASSWORD.encode("utf-16-le"), json.dumps(PASSWORD, ensure_ascii=False)[1:-1].encode()):
            check(form not in text, f"the password stands in {where}")
    check("latchd.db" in texts and "latchd.log" in texts, f"looked at {sorted(texts)}")


if __name__ == "__main__":
    main(a_password_stands_in_its_file_alone)
