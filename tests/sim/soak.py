#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Many inserting sessions for a while, read and joined by clients: usage soak.py SIMULATOR DATA [SECONDS].

A minute by default; half an hour, under either sanitizer, is what a release wants:

    tests/sim/soak.py build-asan/tests/sim/sqlserver-sim tests/sim/data 1800

Fails when a statement fails, a counter goes back, the parked sessions are not the milliseconds per
second, the simulator grows or does not end cleanly.
"""

import os
import struct
import sys
import threading
import time

import tds
from simulator import Simulator

BINARY, DATA = sys.argv[1:3]
SECONDS = float(sys.argv[3]) if len(sys.argv) > 3 else 60.0
SESSIONS = 64
READERS = 3
INSERTERS = 2
STATEMENTS_A_CONNECTION = 100
PAUSE_S = 0.02  # between two statements of a client: the tests beside this one want processors too
GROWTH_KB = 6 * 1024
DONE_ERROR = 0x2

READ = [
    "SELECT * FROM sys.dm_os_wait_stats",
    "SELECT * FROM sys.dm_os_latch_stats",
    "SELECT * FROM sys.dm_os_spinlock_stats",
    "SELECT * FROM sys.dm_exec_requests",
    "SELECT * FROM sys.dm_os_waiting_tasks",
    "SELECT * FROM sys.dm_exec_sessions",
    "SELECT * FROM sys.dm_os_schedulers",
    "SELECT * FROM sys.dm_exec_session_wait_stats",
    "SELECT * FROM sys.dm_db_index_operational_stats(NULL, NULL, NULL, NULL)",
    "SELECT r.session_id, t.text FROM sys.dm_exec_requests AS r "
    "CROSS APPLY sys.dm_exec_sql_text(r.sql_handle) AS t",
]
INSERT = ["INSERT INTO Sales.dbo.Orders (CustomerId, Amount) VALUES (7, 19)"]
PARKED = (
    "SELECT COUNT(DISTINCT waiting_task_address) AS n FROM sys.dm_os_waiting_tasks "
    "WHERE wait_type IN ('PAGELATCH_EX', 'BTREE_INSERT_FLOW_CONTROL')"
)


def connect(simulator):
    client = tds.Client(simulator.host, simulator.port)
    client.log_in()
    return client


def run(client, sql):
    client.batch(sql)
    body = client.receive()
    if tds.last_done(body)[0] & DONE_ERROR:
        raise RuntimeError(f"'{sql}' failed")
    return body


def number(body):
    """The only value of the only row, an int that may be null."""
    at = body.rindex(b"\xd1\x04")
    return struct.unpack("<i", body[at + 2 : at + 6])[0]


class Visitor(threading.Thread):
    """Runs statements over and over, on a new connection now and then."""

    def __init__(self, simulator, statements, stop):
        super().__init__()
        self.simulator = simulator
        self.statements = statements
        self.stop = stop
        self.count = 0
        self.error = None

    def run(self):
        try:
            while not self.stop.is_set():
                client = connect(self.simulator)
                for i in range(STATEMENTS_A_CONNECTION):
                    if not self.stop.is_set():
                        run(client, self.statements[i % len(self.statements)])
                        self.count += 1
                        self.stop.wait(PAUSE_S)
                client.close()
        except Exception as error:  # pylint: disable=broad-except  # reported by the main thread
            self.error = error


def resident_kb(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        for line in file:
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
    raise RuntimeError("no VmRSS")


def wait_ms(simulator):
    """Milliseconds of the two waits that stand for one another."""
    total = 0
    for name in ("PAGELATCH_EX", "BTREE_INSERT_FLOW_CONTROL"):
        words = dict(word.split("=") for word in simulator.control(f"get waits {name}").split()[2:])
        total += int(words["wait_time_ms"])
    return total


def watch(simulator, visitors):
    """Samples until the time is over; returns the problems found."""
    client = connect(simulator)
    start = time.monotonic()
    first_ms = last_ms = wait_ms(simulator)
    parked = []
    sizes = []
    option = "off"
    while time.monotonic() - start < SECONDS:
        time.sleep(0.25)
        parked.append(number(run(client, PARKED)))
        sizes.append(resident_kb(simulator.process.pid))
        now_ms = wait_ms(simulator)
        if now_ms < last_ms:
            return [f"wait time went back from {last_ms} to {now_ms} ms"]
        last_ms = now_ms
        if len(parked) % 20 == 0:
            option = "on" if option == "off" else "off"
            simulator.control(f"option {option}")
        broken = [visitor.error for visitor in visitors if visitor.error]
        if broken:
            return [f"a client failed: {broken[0]}"]
    elapsed_s = time.monotonic() - start
    client.close()
    return judge(sizes, parked, (last_ms - first_ms) / elapsed_s / 1000, simulator.control("show"))


def judge(sizes, parked, per_second, shown):
    quarter = max(sizes[: max(1, len(sizes) // 4)])
    mean = sum(parked) / len(parked)
    behind_ms = int(shown.split("behind_ms=")[1].split()[0])
    print(f"resident {quarter} KB after a quarter, {sizes[-1]} KB at the end")
    print(f"parked {mean:.1f} sessions on average, {per_second:.1f} by the milliseconds per second")
    print(f"behind its clock {behind_ms} ms")
    problems = []
    if sizes[-1] > quarter + GROWTH_KB:
        problems.append(f"grew from {quarter} to {sizes[-1]} KB")
    # A model that falls behind waits less per second of the real clock.
    if behind_ms == 0 and abs(mean - per_second) > 4:
        problems.append(f"{mean:.1f} sessions parked, but {per_second:.1f} by the wait time")
    if mean < SESSIONS / 2:
        problems.append(f"only {mean:.1f} of {SESSIONS} sessions parked")
    return problems


def main():
    # Freed memory that a sanitizer keeps back for a while is no growth.
    os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=8"
    stop = threading.Event()
    with Simulator(BINARY, DATA, "--workload", f"insert {SESSIONS}") as simulator:
        visitors = [Visitor(simulator, READ, stop) for _ in range(READERS)]
        visitors += [Visitor(simulator, INSERT, stop) for _ in range(INSERTERS)]
        for visitor in visitors:
            visitor.start()
        try:
            problems = watch(simulator, visitors)
        finally:
            stop.set()
            for visitor in visitors:
                visitor.join()
        print("statements of clients:", [visitor.count for visitor in visitors])
        problems += [f"a client failed: {visitor.error}" for visitor in visitors if visitor.error]
        status = simulator.stop()
        if status != 0:
            problems.append(f"ended with status {status}")
    for problem in problems:
        print("error:", problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
