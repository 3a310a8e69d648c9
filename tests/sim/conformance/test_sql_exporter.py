#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Go driver, through Debian's prometheus-sql-exporter."""

import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request

import matrix

WISHES = {matrix.CLEAR: "disable", matrix.LOGIN_ONLY: "false", matrix.WHOLE: "true"}

CONFIGURATION = """jobs:
- name: latchd
  interval: '1s'
  connections:
  - 'sqlserver://latchd:latchd@{host}:{port}?encrypt={encryption}&TrustServerCertificate=true&packet+size={packet_size}'
  queries:
  - name: waits
    help: Wait time
    labels: [wait_type]
    values: [wait_time_ms]
    query: |
      SELECT wait_type, CAST(wait_time_ms AS float) AS wait_time_ms
      FROM sys.dm_os_wait_stats -- as a DBA writes it
      WHERE wait_type LIKE 'PAGELATCH%'
  - name: packet_size
    help: Of the connection
    values: [net_packet_size]
    query: SELECT CAST(net_packet_size AS float) AS net_packet_size FROM sys.dm_exec_connections WHERE session_id = @@SPID
  - name: nothing
    help: Fails, and is to hurt nobody
    values: [x]
    query: SELECT x FROM sys.nothing
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class SqlExporterTest(matrix.MatrixTest):
    def scrape(self, port):
        deadline = time.monotonic() + 30
        text = ""
        while time.monotonic() < deadline:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
                    text = answer.read().decode()
            except (urllib.error.URLError, ConnectionError):
                pass
            waits = [line for line in text.splitlines() if line.startswith("sql_waits{")]
            sizes = [line.split()[-1] for line in text.splitlines() if line.startswith("sql_packet_size{")]
            if waits and sizes:
                return waits, sizes
            time.sleep(0.2)
        self.fail(f"no metrics: {text}")

    def check(self, simulator, encryption, packet_size):
        configuration = self.write(
            "sql_exporter.yml",
            CONFIGURATION.format(
                host=simulator.host, port=simulator.port, encryption=WISHES[encryption], packet_size=packet_size
            ),
        )
        port = free_port()
        process = subprocess.Popen(
            [
                "prometheus-sql-exporter",
                *("-config.file", configuration, "-web.listen-address", f"127.0.0.1:{port}"),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            rows, sizes = self.scrape(port)
        finally:
            process.kill()
            process.wait()
        self.assertGreaterEqual(len(rows), 6)
        self.assertEqual(sizes, [str(matrix.granted_size(packet_size, encryption == matrix.WHOLE))])
        self.assertTrue(any('wait_type="PAGELATCH_EX"' in row for row in rows), rows)

    def test_waits_become_metrics(self):
        self.matrix(self.check)


if __name__ == "__main__":
    if not shutil.which("prometheus-sql-exporter"):
        matrix.skip("prometheus-sql-exporter is not installed")
    matrix.main()
