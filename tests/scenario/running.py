#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""latchd as an operator and systemd run it: checks, exit statuses, what it says while it starts, lives and ends."""
import contextlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import tempfile

from harness import Latchd, check, main, until

BROKEN = """\
web: {lisen: "127.0.0.1:0"}
defaults:
  login: {user: latchd, password: {file: /nowhere}}
targets:
  - {name: prod, host: 127.0.0.1, prt: 1433}
  - {name: prod, host: 127.0.0.1}
"""


def ask(*arguments):
    """One short run of latchd: its status, what it printed, what it complained of."""
    done = subprocess.run([os.environ["LATCHD"], *arguments], capture_output=True, text=True, timeout=30, check=False)
    return done.returncode, done.stdout, done.stderr


class Supervisor:
    """systemd's end of the notification socket."""

    def __init__(self, directory, stack):
        self.path = str(directory / "notify.sock")
        self.socket = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self.socket.bind(self.path)
        self.socket.settimeout(0.1)
        self.lines, self.pids = [], set()

    def read(self):
        """Takes in what has arrived; every line of every datagram so far, in order."""
        with contextlib.suppress(TimeoutError):
            while True:
                data, ancillary, _, _ = self.socket.recvmsg(4096, socket.CMSG_SPACE(12))
                self.lines += data.decode().splitlines()
                self.pids |= {int.from_bytes(body[:4], "little") for _, _, body in ancillary}
        return self.lines

    def has(self, beginning):
        return any(line.startswith(beginning) for line in self.read())


def config_check_says_everything_that_is_wrong(_, stack):
    """B136: a mistake ends with a status of its own and a line."""
    directory = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="latchd-scenario-")))
    path = directory / "broken.yaml"
    path.write_text(BROKEN, encoding="utf-8")
    status, printed, said = ask("config", "check", "--config", str(path))
    check(status == 78, f"status {status}")
    check(printed == "", f"nothing on stdout: {printed!r}")
    places = [line.removeprefix(f"{path}:").split(": ", 1)[0] for line in said.splitlines()]
    check(places == ["1:7", "5:35", "6:5"], f"line and column of each, in the file's order: {said}")
    check('did you mean "listen"?' in said and 'did you mean "port"?' in said, f"guesses: {said}")
    status, _, run_said = ask("run", "--config", str(path))
    check((status, run_said) == (78, said), f"run says the same: {status} {run_said}")


def statuses_are_those_of_sysexits(scenario, _):
    s = scenario()
    (s.directory / "good.yaml").write_text(s.config(), encoding="utf-8")
    check(ask("config", "check", "--config", str(s.directory / "good.yaml"))[0] == 0, "a good file: 0")
    check(ask("run", "--config", str(s.directory / "none.yaml"))[0] == 78, "no file: 78")
    check(ask("walk")[0] == 2 and ask()[0] == 2 and ask("run", "--fast")[0] == 2, "usage: 2")
    check(ask("status", "--url", "http://127.0.0.1:1")[0] == 69, "nobody there: 69")
    latchd = s.start()
    s.wait_until_up()
    status, printed, _ = ask("status", "--url", latchd.address)
    check(status == 0 and "prod" in printed and "up" in printed, f"status of a running one: {printed}")


def cost_tells_what_watching_costs(scenario, _):
    """B138: time, rows and bytes of our own statements, as the server and the network count them."""
    s = scenario()
    latchd = s.start()
    s.wait_until_up()
    until("a rate of everything", 40, lambda: all(
        (latchd.target()["cost"].get(key) or 0) > 0 for key in ("cpu_ms_per_s", "round_trips_per_s", "rows_per_s", "bytes_per_s")))
    status, printed, _ = ask("cost", "--url", latchd.address)
    lines = printed.splitlines()
    check(status == 0 and lines[1].startswith("prod") and lines[2].split()[:2] == ["in", "all"], f"a table: {printed}")
    check(all(len(line) <= 80 for line in lines), f"of 80 columns: {printed}")
    status, printed, _ = ask("cost", "--json", "--url", latchd.address)
    check(status == 0 and json.loads(printed)[0]["cost"]["rows"] > 0, f"as JSON: {printed}")
    check(ask("cost", "--url", "http://127.0.0.1:1")[0] == 69, "nobody there: 69")


def systemd_hears_of_ready_alive_and_stopping(scenario, stack):
    s = scenario()
    supervisor = Supervisor(s.directory, stack)
    os.environ.update(NOTIFY_SOCKET=supervisor.path, WATCHDOG_USEC="1000000")
    stack.callback(os.environ.pop, "NOTIFY_SOCKET")
    stack.callback(os.environ.pop, "WATCHDOG_USEC")
    latchd = s.start()
    check(supervisor.has("READY=1"), f"ready before the address is told: {supervisor.lines}")
    check(supervisor.has(f"STATUS=targets up: 0 of 1, {latchd.address}"), f"a status: {supervisor.lines}")
    until("three signs of life", 5, lambda: supervisor.read().count("WATCHDOG=1") >= 3)
    status, _ = latchd.stop()
    check(status == 0 and supervisor.has("STOPPING=1"), f"stopping: {status} {supervisor.lines}")
    check(supervisor.lines.index("READY=1") < supervisor.lines.index("STOPPING=1"), "in this order")
    check(supervisor.pids == {latchd.process.pid}, f"from main's process only: {supervisor.pids}")


def ready_comes_before_the_server(scenario, stack):
    """B134, B135: a server that comes long after latchd is no reason to fail; its state stands in the status."""
    s = scenario()
    supervisor = Supervisor(s.directory, stack)
    os.environ["NOTIFY_SOCKET"] = supervisor.path
    stack.callback(os.environ.pop, "NOTIFY_SOCKET")
    s.simulator.control("refuse on")
    latchd = s.start()
    until("ready", 5, lambda: supervisor.has("READY=1"))
    until("some attempts in vain", 20, lambda: latchd.target()["state"] == "down")
    check(not supervisor.has("STATUS=targets up: 1"), f"nothing is up: {supervisor.lines}")
    check(latchd.is_healthy() and latchd.process.poll() is None, "latchd waits")
    s.simulator.control("refuse off")
    s.wait_until_up(60)
    until("a status", 5, lambda: supervisor.has(f"STATUS=targets up: 1 of 1, {latchd.address}"))


def a_host_without_an_address_is_no_end(scenario, _):
    """B136: a name that nobody resolves is the target's trouble; the other target goes on."""
    s = scenario()
    config = s.config() + "  - {name: nowhere, host: no-such-host.invalid}\n"
    s.latchd = latchd = Latchd(s.directory, config)
    s.wait_until_up()
    until("the reason", 60, lambda: latchd.get("/api/v1/targets/nowhere")["state"] == "down")
    error = latchd.get("/api/v1/targets/nowhere")["last_error"]
    check("no-such-host.invalid" in str(error), f"one sentence with the name: {error}")
    check(latchd.is_healthy() and latchd.target()["state"] == "up", "the other one goes on")


def a_broken_file_at_reload_changes_nothing(scenario, stack):
    s = scenario()
    supervisor = Supervisor(s.directory, stack)
    os.environ["NOTIFY_SOCKET"] = supervisor.path
    stack.callback(os.environ.pop, "NOTIFY_SOCKET")
    latchd = s.start()
    s.wait_until_up()
    latchd.config_path.write_text(BROKEN, encoding="utf-8")
    latchd.process.send_signal(signal.SIGHUP)
    until("the reload is answered", 5, lambda: "is not valid, the old configuration goes on" in latchd.read_log())
    check(f"{latchd.config_path}:5:35: unknown key 'prt'" in latchd.read_log(), "with the place of each mistake")
    until("systemctl status shows it", 5, lambda: supervisor.has(
        f"STATUS=targets up: 1 of 1, {latchd.address}; the configuration file is not valid"))
    check(latchd.get("/api/v1/status")["config"]["state"] == "invalid", "the API shows it")
    polls = latchd.target()["collectors"][0]["polls"]
    until("polling goes on", 10, lambda: latchd.target()["collectors"][0]["polls"] > polls)
    check(latchd.target()["state"] == "up", "still up")


def a_store_has_one_latchd(scenario, _):
    s = scenario()
    latchd = s.start()
    s.wait_until_up()
    status, printed, said = ask("run", "--config", str(latchd.config_path), "--print-address")
    check(status == 1 and printed == "", f"refused: {status} {printed!r}")
    check(f"another latchd has the store '{s.directory}/latchd.db' open" in said.splitlines()[-1], f"one sentence: {said}")
    check(latchd.is_healthy(), "the first is not disturbed")


if __name__ == "__main__":
    main(
        config_check_says_everything_that_is_wrong,
        statuses_are_those_of_sysexits,
        cost_tells_what_watching_costs,
        systemd_hears_of_ready_alive_and_stopping,
        ready_comes_before_the_server,
        a_host_without_an_address_is_no_end,
        a_broken_file_at_reload_changes_nothing,
        a_store_has_one_latchd,
    )
