#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints what a poll costs latchd and what it costs Debian's prometheus-sql-exporter: peer.py [ROUNDS [POLLS]].

The same three statements on the same simulator, once a second and one scrape each, in turn. CPU time is that of all
threads as the kernel counts it (schedstat), memory what is resident at the end of a round. Never fails on a figure.
"""
import contextlib
import csv
import os
import pathlib
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "scenario"))
from harness import Failure, Latchd, Simulator, until  # noqa: E402 -- found by the line before

# Names of a view, how many there are, how many of them move; as in server.h.
VIEWS = {"waits": ("wait_types", 1300, 200), "latches": ("latch_classes", 180, 25), "spinlocks": ("spinlocks", 400, 100)}

LATCHD = """\
web: {{listen: "127.0.0.1:0"}}
storage: {{path: "{directory}/latchd.db"}}
defaults:
  login: {{user: latchd, password: {{file: "{directory}/password"}}}}
  tls: {{mode: off}}
  intervals: {{waits: 1s, latches: 1s, spinlocks: 1s, waiting_tasks: off}}
targets:
  - {{name: prod, host: 127.0.0.1, port: {port}}}
"""

EXPORTER = """\
jobs:
- name: latchd
  interval: '1s'
  connections: ['sqlserver://latchd:latchd@127.0.0.1:{port}?encrypt=disable']
  queries:
  - name: waits
    help: Totals of each wait type
    labels: [wait_type]
    values: [waiting_tasks_count, wait_time_ms, signal_wait_time_ms, max_wait_time_ms]
    query: SELECT w.wait_type, CAST(w.waiting_tasks_count AS float) AS waiting_tasks_count,
      CAST(w.wait_time_ms AS float) AS wait_time_ms, CAST(w.signal_wait_time_ms AS float) AS signal_wait_time_ms,
      CAST(w.max_wait_time_ms AS float) AS max_wait_time_ms FROM sys.dm_os_wait_stats AS w
  - name: latches
    help: Totals of each latch class
    labels: [latch_class]
    values: [waiting_requests_count, wait_time_ms, max_wait_time_ms]
    query: SELECT l.latch_class, CAST(l.waiting_requests_count AS float) AS waiting_requests_count,
      CAST(l.wait_time_ms AS float) AS wait_time_ms, CAST(l.max_wait_time_ms AS float) AS max_wait_time_ms
      FROM sys.dm_os_latch_stats AS l
  - name: spinlocks
    help: Totals of each spinlock
    labels: [name]
    values: [collisions, spins, sleep_time, backoffs]
    query: SELECT s.name, CAST(s.collisions AS float) AS collisions, CAST(s.spins AS float) AS spins,
      CAST(s.sleep_time AS float) AS sleep_time, CAST(s.backoffs AS float) AS backoffs
      FROM sys.dm_os_spinlock_stats AS s
"""


def fill(simulator, view):
    """Brings a view to its number of names and sets a share of them going."""
    table, name_count, moving_count = VIEWS[view]
    with open(pathlib.Path(os.environ["SIM_DATA"]) / f"{table}.csv", encoding="utf-8") as file:
        known = [row[0] for row in csv.reader(file)][1:]
    names = []
    for name in known:
        with contextlib.suppress(Failure):
            simulator.control(f'get {view} "{name}"')
            names.append(name)
    for i in range(len(names), name_count):
        simulator.control(f"add {view} UNDOCUMENTED_{i:04d}")
    for i in range(moving_count):
        simulator.control(f'rate {view} "{names[i * len(names) // moving_count]}" 20000 10000')


def cpu_ns(pid):
    return sum(int((task / "schedstat").read_text().split()[0]) for task in pathlib.Path(f"/proc/{pid}/task").iterdir())


def resident_kib(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


class Client:
    """A program that polls about once a second; polls() counts them."""

    def measure(self, poll_count):
        """CPU per poll in ms and memory in MiB over about so many polls, with one scrape each."""
        polls, cpu, begin = self.polls(), cpu_ns(self.pid), time.monotonic()
        for i in range(poll_count):
            time.sleep(max(0.0, begin + i + 1 - time.monotonic()))
            self.scrape()
        cpu_ms = (cpu_ns(self.pid) - cpu) / 1e6
        return cpu_ms / max(1, self.polls() - polls), resident_kib(self.pid) / 1024


class Latch(Client):
    name = "latchd"

    def __init__(self, directory, simulator, stack):
        (directory / "password").write_text("latchd\n", encoding="utf-8")
        self.latchd = Latchd(directory, LATCHD.format(directory=directory, port=simulator.port))
        stack.callback(self.latchd.stop)
        self.pid = self.latchd.process.pid
        until("latchd polls", 20, lambda: self.polls() > 2)

    def polls(self):
        return self.latchd.target()["collectors"][0]["polls"]

    def scrape(self):
        """All names of the last interval, as the exporter's answer has them."""
        for view in VIEWS:
            self.latchd.get(f"/api/v1/targets/prod/{view}?step=raw&start=-1500ms&top=1000&benign=true")


class Exporter(Client):
    name = "prometheus-sql-exporter"

    def __init__(self, directory, simulator, stack):
        configuration = directory / "exporter.yml"
        configuration.write_text(EXPORTER.format(port=simulator.port), encoding="utf-8")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}/metrics"
        log = stack.enter_context(open(directory / "exporter.log", "wb"))
        command = ["prometheus-sql-exporter", "-config.file", str(configuration), "-web.listen-address", f"127.0.0.1:{port}"]
        process = subprocess.Popen(command, stdout=log, stderr=log)
        stack.callback(process.wait)
        stack.callback(process.send_signal, signal.SIGKILL)
        self.pid, self.poll_count, self.last = process.pid, 0, None
        until("the exporter polls", 30, lambda: self.scrape() >= 1880)

    def scrape(self):
        """How many names the answer has. A poll shows in what has moved since the scrape before."""
        try:
            with urllib.request.urlopen(self.url, timeout=10) as answer:
                lines = answer.read().decode().splitlines()
        except OSError:
            return 0
        moved = [line for line in lines if line.startswith("sql_waits{") and "waiting_tasks_count" in line]
        self.poll_count += moved != self.last
        self.last = moved
        columns = ("waiting_tasks_count", "waiting_requests_count", "collisions")
        return sum(line.startswith("sql_") and any(f'"{column}"' in line for column in columns) for line in lines)

    def polls(self):
        return self.poll_count


def print_line(what, values, digits):
    print(f"{what:<44} {statistics.median(values):9.{digits}f} ({min(values):.{digits}f} to {max(values):.{digits}f})")


def compare(round_count, poll_count, stack):
    directory = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="latchd-bench-")))
    simulator = Simulator(directory, workload="idle")
    stack.callback(simulator.stop)
    for view in VIEWS:
        fill(simulator, view)
    ours, theirs = Latch(directory, simulator, stack), Exporter(directory, simulator, stack)
    rounds = [(*ours.measure(poll_count), *theirs.measure(poll_count)) for _ in range(round_count)]
    print(f"{round_count} rounds of {poll_count} polls a second apart; medians, and the spread of rounds")
    for i, client in enumerate((ours, theirs)):
        print_line(f"{client.name}, CPU per poll, ms", [values[2 * i] for values in rounds], 3)
        print_line(f"{client.name}, resident, MiB", [values[2 * i + 1] for values in rounds], 1)
    print_line("CPU, exporter / latchd (budget 30)", [values[2] / values[0] for values in rounds], 1)
    print_line("memory, exporter / latchd (budget 3)", [values[3] / values[1] for values in rounds], 1)


def main():
    if not shutil.which("prometheus-sql-exporter"):
        print("prometheus-sql-exporter is not installed: packaging/install-dependencies --test")
        return 77
    arguments = [int(word) for word in sys.argv[1:]] + [5, 20][len(sys.argv) - 1 :]
    with contextlib.ExitStack() as stack:
        compare(*arguments[:2], stack)
    return 0


if __name__ == "__main__":
    sys.exit(main())
