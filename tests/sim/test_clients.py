#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""FreeTDS's own tools against the simulator: usage test_clients.py SIMULATOR DATA."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

from simulator import Simulator

BINARY, DATA = sys.argv[1:3]
WAITS = "SELECT wait_type, wait_time_ms FROM sys.dm_os_wait_stats"

CONF = """[sim]
host = {host}
port = {port}
tds version = 7.4
initial block size = {packet_size}
client charset = UTF-8
"""


class ClientsTest(unittest.TestCase):
    def setUp(self):
        self.simulator = Simulator(BINARY, DATA)
        self.folder = tempfile.TemporaryDirectory(prefix="latchd-clients-")
        self.configure(4096)

    def tearDown(self):
        self.assertEqual(self.simulator.stop(), 0)
        self.folder.cleanup()

    def configure(self, packet_size):
        self.conf = os.path.join(self.folder.name, "freetds.conf")
        with open(self.conf, "w", encoding="ascii") as file:
            file.write(
                CONF.format(host=self.simulator.host, port=self.simulator.port, packet_size=packet_size)
            )

    def run_client(self, command, text, timeout_s=30):
        return subprocess.run(
            command,
            input=text,
            env={**os.environ, "FREETDSCONF": self.conf, "TDSVER": "7.4"},
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )

    def tsql(self, sql, password="latchd", database=None):
        command = ["tsql", "-S", "sim", "-U", "latchd", "-P", password, "-o", "q"]
        if database:
            command += ["-D", database]
        return self.run_client(command, f"{sql}\ngo\nexit\n")

    def bsqldb(self, sql):
        return self.run_client(["bsqldb", "-S", "sim", "-U", "latchd", "-P", "latchd", "-q"], sql)

    def wait_rows(self, result):
        return [line for line in result.stdout.splitlines() if "PAGELATCH" in line]

    def test_tsql_selects_at_every_packet_size(self):
        for packet_size in (512, 4096, 32767):
            self.configure(packet_size)
            result = self.tsql(WAITS)
            self.assertGreaterEqual(len(self.wait_rows(result)), 6, result.stderr)

    def test_bsqldb_selects_at_every_packet_size(self):
        for packet_size in (512, 4096, 32767):
            self.configure(packet_size)
            result = self.bsqldb(WAITS)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertGreaterEqual(len(self.wait_rows(result)), 6, result.stderr)

    def test_views_of_every_part_answer_tsql(self):
        for view in ("dm_os_latch_stats", "dm_os_spinlock_stats", "dm_exec_requests", "databases"):
            result = self.tsql(f"SELECT * FROM sys.{view}")
            self.assertNotIn("Msg ", result.stderr)
            self.assertGreater(len(result.stdout), 40, result.stderr)

    def test_wrong_password_shows_18456(self):
        self.assertIn("Msg 18456 (severity 14, state 1)", self.tsql("SELECT 1", "wrong").stderr)

    def test_missing_database_shows_4060(self):
        self.assertIn("4060", self.tsql("SELECT 1", database="nowhere").stderr)

    def test_missing_view_shows_208_and_the_session_goes_on(self):
        result = self.tsql(f"SELECT * FROM sys.no_such_view\ngo\n{WAITS}")
        self.assertIn("Msg 208", result.stderr)
        self.assertGreaterEqual(len(self.wait_rows(result)), 6, result.stderr)

    def test_connection_dies_mid_row_once(self):
        self.simulator.control("die-mid-row 5")
        result = self.tsql(WAITS)
        self.assertIn("20017", result.stderr)
        self.assertGreaterEqual(len(self.wait_rows(self.tsql(WAITS))), 6)

    def test_reset_mid_row_ends_the_client(self):
        self.simulator.control("reset-mid-row 5 always")
        rows = [line for line in self.tsql(WAITS).stdout.splitlines() if "\t" in line]
        self.assertLessEqual(len(rows), 1 + 5)
        self.simulator.control("reset-mid-row off")
        self.assertGreaterEqual(len(self.wait_rows(self.tsql(WAITS))), 6)

    def test_refused_port_comes_back(self):
        self.simulator.control("refuse on")
        self.assertIn("20009", self.tsql("SELECT 1").stderr)
        self.simulator.control("refuse off")
        self.assertGreaterEqual(len(self.wait_rows(self.tsql(WAITS))), 6)

    def test_failing_statement_shows_its_number(self):
        self.simulator.control("fail 300 14 dm_os_wait_stats")
        self.assertIn("Msg 300 (severity 14", self.tsql(WAITS).stderr)

    def test_delayed_statement_still_answers(self):
        self.simulator.control("delay 0.5 dm_os_wait_stats")
        started = time.monotonic()
        result = self.tsql(WAITS)
        self.assertGreaterEqual(time.monotonic() - started, 0.5)
        self.assertGreaterEqual(len(self.wait_rows(result)), 6, result.stderr)

    def test_silent_server_is_given_up(self):
        self.simulator.control("silent query on")
        with self.assertRaises(subprocess.TimeoutExpired):
            self.run_client(
                ["tsql", "-S", "sim", "-U", "latchd", "-P", "latchd"], f"{WAITS}\ngo\n", timeout_s=1
            )

    def test_termination_with_an_open_session_is_quick(self):
        client = subprocess.Popen(
            ["tsql", "-S", "sim", "-U", "latchd", "-P", "latchd"],
            env={**os.environ, "FREETDSCONF": self.conf, "TDSVER": "7.4"},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 10
        while self.simulator.control("sessions") != "ok 1" and time.monotonic() < deadline:
            time.sleep(0.02)
        started = time.monotonic()
        self.simulator.process.terminate()
        self.assertEqual(self.simulator.process.wait(10), 0)
        self.assertLess(time.monotonic() - started, 3)
        client.communicate(timeout=10)


if __name__ == "__main__":
    if not shutil.which("tsql") or not shutil.which("bsqldb"):
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
