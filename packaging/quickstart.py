#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The second half of packaging/quickstart: runs the built programs in a directory of their own and
prints what latchd sees. Nothing is left behind, whatever ends it."""
import argparse
import contextlib
import getpass
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

CONFIG = """\
web: {{listen: "{listen}"}}
storage: {{path: "{directory}/latchd.db"}}
defaults:
  login: {{user: {user}, password: {{file: "{directory}/password"}}}}
  tls: {tls}
  intervals: {{waits: 5s, latches: 5s, spinlocks: 5s, waiting_tasks: 1s}}
targets:
  - {{name: {name}, host: {host}, port: {port}}}
rules:
  - alert: PageLatchExHigh
    when: wait("PAGELATCH_EX") + wait("BTREE_INSERT_FLOW_CONTROL") > 1000ms/s
    clear: 500ms/s
    for: 15s
    severity: warning
"""


def quoted(text):
    """A YAML scalar that means exactly text: JSON strings are YAML."""
    return json.dumps(text)


class Ended(Exception):
    """A program of ours ended by itself."""


class Program:
    def __init__(self, name, command, log):
        self.name, self.log = name, log
        with open(log, "wb") as stderr:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, start_new_session=True)
        line = self.process.stdout.readline().decode()
        if not line.startswith("listening on "):
            raise Ended(f"{name} did not start:\n{log.read_text(encoding='utf-8', errors='replace')}")
        self.address = line.split()[-1]

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class View:
    """What latchd says of one target."""

    def __init__(self, address, target):
        self.address, self.target = address, target

    def get(self, path):
        with urllib.request.urlopen(self.address + path, timeout=10) as answer:
            return json.load(answer)

    def read(self):
        here = "/api/v1/targets/" + urllib.parse.quote(self.target, safe="")
        self.state = self.get(here)
        self.waits = self.get(here + "/waits/top?start=-30s&top=5")
        self.hotspots = self.get(here + "/hotspots?start=-10m")["hotspots"]
        self.alerts = self.get("/api/v1/alerts")["alerts"]
        return self

    def is_seen(self):
        """The workload's truth: PAGELATCH_EX leads, the hot page is named down to its index, the alert fires."""
        rows = self.wait_rows()
        return (
            bool(rows) and rows[0]["name"] == "PAGELATCH_EX" and (rows[0]["ms_per_sec"] or 0) > 1000
            and any(s["kind"] == "last_page_insert" and s["index"] for s in self.hotspots)
            and any(a["state"] == "firing" for a in self.alerts)
        )

    def wait_rows(self):
        return [row for row in self.waits["rows"] if row["name"] != "(other)"]

    def print(self):
        print("\n".join([*self.server_lines(), *self.wait_lines(), *self.hotspot_lines(), *self.alert_lines(), ""]))

    def server_lines(self):
        state, error = self.state, self.state["last_error"]
        yield f"{time.strftime('%H:%M:%S')}  {state['name']}  {state['state']}"
        if state["server_name"]:
            yield f"  server    {state['server_name']}, {state['version']}, {state['edition']}, {state['schedulers']} schedulers"
        if error:
            yield f"  error     {error['text']}"

    def wait_lines(self):
        yield "  waits     ms/s over the last 30 s (1000 ms/s = one session waiting at any moment)"
        rows = [row for row in self.wait_rows() if row["ms_per_sec"]]
        for row in rows:
            yield f"            {row['ms_per_sec']:>12,.0f}  {row['share'] * 100:5.1f} %  {row['name']}"
        if not rows:
            yield "            none yet"

    def hotspot_lines(self):
        for spot in self.hotspots:
            where = ".".join(x for x in (spot["database"], spot["object"]) if x) or f"database {spot['database_id']}"
            yield f"  hotspot   {spot['kind']}, {spot['state']}, {spot['confidence']}"
            yield f"            table {where}, index {spot['index'] or '-'}, page {spot['page']['resource']}"
            yield f"            {spot['waiters']['avg']:.1f} sessions wait on it at any moment, {spot['ms_per_sec']:,.0f} ms/s"
            finding = spot["finding"]
            if finding and finding["summary"]:
                yield f"            {finding['summary']}"
            if finding and finding["statement"]:
                yield f"            {finding['statement']}"
        if not self.hotspots:
            yield "  hotspot   none"

    def alert_lines(self):
        for alert in self.alerts:
            value = "unknown" if alert["value"] is None else f"{alert['value']:,.0f} {alert['unit']}"
            yield f"  alert     {alert['rule']}  {alert['state']}  {value} (threshold {alert['threshold']:,.0f})"


def arguments():
    parser = argparse.ArgumentParser(prog="packaging/quickstart")
    parser.add_argument("--build", required=True, type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--source", required=True, type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--once", type=int, metavar="SECONDS", help="end after that long, with a summary and an honest status")
    parser.add_argument("--listen", default="127.0.0.1:9743", help="HOST:PORT to serve on (default %(default)s)")
    parser.add_argument("--server", metavar="HOST[,PORT]", help="a real server instead of the simulator")
    parser.add_argument("--user", metavar="NAME", help="its login; the password is asked for")
    parser.add_argument("--tls", default="require", choices=["require", "request", "off"],
                        help="encryption of the connection (default %(default)s); off sends the password readable")
    parser.add_argument("--ca", default="system", help="system, none (do not verify) or a PEM file")
    options = parser.parse_args()
    if bool(options.server) != bool(options.user):
        parser.error("--server and --user go together")
    return options


def start_simulator(options, directory, stack):
    command = [
        str(options.build / "tests/sim/sqlserver-sim"), "--listen", "127.0.0.1:0", "--control", str(directory / "control"),
        "--data", str(options.source / "tests/sim/data"), "--workload", "last-page", "--server-name", "SIMULATOR",
    ]
    simulator = Program("the simulator", command, directory / "simulator.log")
    stack.callback(simulator.stop)
    return simulator.address.rsplit(":", 1)[1]


def start_latchd(options, directory, stack):
    if options.server:
        host, _, port = options.server.partition(",")
        where = {"name": quoted(host), "host": quoted(host), "port": port or "1433", "user": quoted(options.user),
                 "tls": f"{{mode: {options.tls}, ca: {quoted(options.ca)}}}"}
        password = getpass.getpass(f"password of {options.user} on {options.server}: ")
    else:
        where = {"name": "demo", "host": "127.0.0.1", "port": start_simulator(options, directory, stack),
                 "user": "latchd", "tls": "{mode: off}"}
        password = "latchd"
    listen = "127.0.0.1:0" if options.once else options.listen
    with open(os.open(directory / "password", os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="utf-8") as file:
        file.write(password + "\n")
    config = directory / "latchd.yaml"
    config.write_text(CONFIG.format(directory=directory, listen=listen, **where), encoding="utf-8")
    command = [str(options.build / "daemon/latchd"), "run", "--config", str(config), "--print-address"]
    latchd = Program("latchd", command, directory / "latchd.log")
    stack.callback(latchd.stop)
    return latchd, View(latchd.address, where["name"].strip('"'))


def watch(options, latchd, view):
    """Prints a summary now and then; with --once, at the end. Returns the exit status."""
    print(f"latchd serves {latchd.address}" + ("" if options.once else "   (Ctrl-C ends it)") + "\n", flush=True)
    end = time.monotonic() + options.once if options.once else None
    while end is None or time.monotonic() < end:
        time.sleep(min(10, max(0, end - time.monotonic())) if end else 10)
        if latchd.process.poll() is not None:
            raise Ended("latchd ended:\n" + latchd.log.read_text(encoding="utf-8", errors="replace"))
        if end is None:
            view.read().print()
            sys.stdout.flush()
    view.read().print()
    if options.server:
        is_good = view.state["state"] == "up"
        print("latchd watches the server." if is_good else "latchd does not see the server.")
    else:
        is_good = view.is_seen()
        print("latchd saw it all." if is_good else "latchd did not see what it should have seen.")
    return 0 if is_good else 1


def main():
    options = arguments()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with contextlib.ExitStack() as stack:
        directory = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="latchd-quickstart-")))
        try:
            return watch(options, *start_latchd(options, directory, stack))
        except KeyboardInterrupt:
            print()
            return 1 if options.once else 0
        except (Ended, urllib.error.URLError, OSError) as reason:
            print(f"quickstart: {reason}", file=sys.stderr)
            return 1


if __name__ == "__main__":
    sys.exit(main())
