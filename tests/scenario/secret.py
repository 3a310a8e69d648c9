#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A password is nowhere but where it must be: B131, B132.

latchd runs with passwords of every special character through good and failed logins, `config check`, `status`, a reload
and an alert; then every artefact of the run is searched for them. What may hold one: the password file itself, and the
memory of the process while a login lasts (libsybdb keeps its own copy until the login ended), which is why the process
leaves no core and cannot be attached to by others of its user: both are tried here.
"""
import contextlib
import json
import os
import pathlib
import resource
import signal
import subprocess
import urllib.error
import urllib.parse
import urllib.request

from harness import RULES, Webhook, check, main, until

GOOD = "Kan4rie \"q'\\b;{x}%s%41 gr\u00fc\u00df\u2713|$(x)`&<>#=,"
WRONG = "Fal5ch \"q'\\b;{x}%n%42 gr\u00f6\u00df\u2713|$(y)`&<>#=,"

PAGES = ["/", "/metrics", "/-/healthy", "/-/ready", "/api/v1/status", "/api/v1/targets", "/api/v1/targets/prod",
         "/api/v1/targets/prod/events?start=-1h", "/api/v1/targets/prod/waits?start=-1h&step=raw", "/api/v1/alerts",
         "/api/v1/targets/prod/hotspots?start=-1h", "/api/v1/nowhere"]


def spellings(password):
    """How a careless writer would put it down: as it is, its recognisable half, escaped, UTF-16, TDS's scramble, JSON."""
    half = password[:7].encode()
    utf16 = password.encode("utf-16-le")
    scrambled = bytes((byte << 4 & 0xF0 | byte >> 4) ^ 0xA5 for byte in utf16)
    escaped = json.dumps(password, ensure_ascii=False)[1:-1].encode()
    return [password.encode(), half, urllib.parse.quote(password).encode(), utf16[:14], scrambled[:14], escaped]


def find_in(what, data):
    for password in (GOOD, WRONG):
        for i, spelling in enumerate(spellings(password)):
            check(spelling not in data, f"{what} holds a password (spelling {i})")


def read_process(pid):
    """What others can see of a process. Not its memory: that is refused, as is a core."""
    folder = pathlib.Path(f"/proc/{pid}")
    for name in ("cmdline", "environ", "status", "maps", "comm"):
        with contextlib.suppress(OSError):
            find_in(f"/proc/PID/{name}", (folder / name).read_bytes())
    if os.getuid() != 0:
        return  # the process is not dumpable: its descriptors are root's to see
    for descriptor in (folder / "fd").iterdir():
        with contextlib.suppress(OSError):  # a descriptor may close while it is looked at
            target = os.readlink(descriptor)
            if descriptor.stat().st_mode & 0o170000 == 0o100000:
                data = descriptor.read_bytes()
                find_in(f"open file {target}", data)
                if "freetds.conf" in target:
                    yield data


def read_files(directory, wanted):
    """The password file is the one that may hold it."""
    files = {path.name: path for path in directory.rglob("*") if path.is_file() and path.name != "password"}
    for name, path in files.items():
        find_in(name, path.read_bytes())
    check(wanted <= files.keys(), f"looked at {sorted(files)}")


def fetch(address, page):
    try:
        with urllib.request.urlopen(address + page, timeout=10) as answer:
            return answer.read() + str(answer.headers).encode()
    except urllib.error.HTTPError as answer:
        return answer.read()


def run_verb(*arguments):
    done = subprocess.run([os.environ["LATCHD"], *arguments], capture_output=True, timeout=60, check=False)
    find_in(f"latchd {arguments[0]}", done.stdout + done.stderr)
    return done


def no_artefact_holds_a_password(scenario, stack):
    s = scenario(logins=(f"latchd:{GOOD}",))
    hook = Webhook()
    stack.callback(hook.stop)
    s.set_password(WRONG)
    latchd = s.start(RULES.format(url=hook.url))
    until("the wrong password is refused", 20, lambda: latchd.target()["state"] == "denied")
    find_in("the error", str(latchd.target()["last_error"]).encode())
    check(run_verb("config", "check", "--connect", "--config", str(latchd.config_path)).returncode == 69, "refused")
    s.set_password(GOOD)
    good = run_verb("config", "check", "--connect", "--config", str(latchd.config_path))
    check(good.returncode == 0, f"the right one gets in, whatever signs are in it: {good.stdout.decode()}")
    latchd.process.send_signal(signal.SIGHUP)
    until("up with the right password", 90, lambda: latchd.target()["state"] == "up")
    until("an alert is posted", 30, lambda: hook.bodies)
    run_verb("status", "--url", latchd.address)
    s.set_password(WRONG)
    s.simulator.control("kill all")
    until("refused after it was up", 60, lambda: latchd.target()["state"] == "denied")
    for page in PAGES:
        find_in(page, fetch(latchd.address, page))
    find_in("the webhook", str(hook.bodies).encode())
    configurations = list(read_process(latchd.process.pid))
    check(configurations or os.getuid() != 0, "the private FreeTDS configuration was looked at")
    read_files(s.directory, {"latchd.db", "latchd.db-wal", "latchd.log"})
    latchd.stop()
    read_files(s.directory, {"latchd.db", "latchd.log"})
    check(not list(s.directory.glob("core*")), "no core")


def the_process_leaves_no_core(scenario, _):
    s = scenario()
    limits = resource.getrlimit(resource.RLIMIT_CORE)
    with contextlib.suppress(ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (limits[1], limits[1]))
    latchd = s.start()
    s.wait_until_up()
    limit = pathlib.Path(f"/proc/{latchd.process.pid}/limits").read_text(encoding="ascii")
    # tests/daemon/test_secrecy.c tries the rest of it: not dumpable, so that nobody else attaches.
    line = next(line for line in limit.splitlines() if line.startswith("Max core file size"))
    check(line.split()[4:6] == ["0", "0"], f"whatever the shell allows: {line}")
    status, _ = latchd.stop(signal.SIGABRT)
    check(status == -signal.SIGABRT, f"it was aborted: {status}")
    check(not list(s.directory.glob("core*")) and not list(pathlib.Path.cwd().glob("core*")), "no core")


if __name__ == "__main__":
    main(no_artefact_holds_a_password, the_process_leaves_no_core)
