#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""npm prometheus-mssql-exporter: it knows no port but 1433, so it and a simulator get a network of
their own. The program starts itself again inside that network.

It always asks for whole encryption, and goes on without where the server has none; a server that
lets the client decide therefore encrypts everything. It has no setting for the packet size:
mssql_exporter_options.js hands one to its tedious. FreeTDS's bsqldb asks what came of both."""

import os
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request

import matrix
from freetds_conf import conf

HERE = os.path.dirname(os.path.abspath(__file__))
OPTIONS = os.path.join(HERE, "mssql_exporter_options.js")
EXPORTER = os.path.join(HERE, "node_modules", "prometheus-mssql-exporter")
INSIDE = "LATCHD_IN_NAMESPACE"
PORT = 4000


class MssqlExporterTest(matrix.MatrixTest):
    def scrape(self, process):
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            self.assertIsNone(process.poll(), "the exporter ended")
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{PORT}/metrics", timeout=5) as answer:
                    text = answer.read().decode()
            except (urllib.error.URLError, ConnectionError):
                text = ""
            if "\nUP 1" in text and "\nmssql_connections " in text and "\nmssql_connections 0" not in text:
                return text
            time.sleep(0.2)
        self.fail(f"no connections are shown: {text}")

    def start_exporter(self, packet_size):
        return subprocess.Popen(
            ["node", "--require", OPTIONS, "index.js"],
            cwd=EXPORTER,
            env={
                **os.environ,
                "NODE_NO_WARNINGS": "1",
                "SERVER": "127.0.0.1",
                "USERNAME": "latchd",
                "PASSWORD": "latchd",
                "EXPOSE": str(PORT),
                "EXPORTER_PACKET_SIZE": str(packet_size),
            },
            stdout=subprocess.DEVNULL,
        )

    def connection(self, simulator, encryption):
        """Whether everything is encrypted, and the packet size, as the server sees the exporter."""
        sql = (
            "SELECT c.encrypt_option, c.net_packet_size FROM sys.dm_exec_connections AS c"
            " JOIN sys.dm_exec_sessions AS s ON s.session_id = c.session_id WHERE s.program_name = 'Tedious'"
        )
        environment = {**os.environ, "FREETDSCONF": self.write("freetds.conf", conf(simulator, encryption))}
        command = ["bsqldb", "-S", "sim", "-U", "latchd", "-P", "latchd", "-q"]
        result = subprocess.run(
            command, input=sql, env=environment, capture_output=True, text=True, timeout=60, check=True
        )
        return result.stdout.split()

    def check(self, simulator, encryption, packet_size):
        process = self.start_exporter(packet_size)
        try:
            self.scrape(process)
            is_whole = encryption != matrix.CLEAR
            size = matrix.granted_size(packet_size, is_whole)
            shown = self.connection(simulator, encryption)
            self.assertEqual(shown, ["TRUE" if is_whole else "FALSE", str(size)])
        finally:
            process.kill()
            process.wait()

    def test_connections_are_counted(self):
        self.matrix(self.check, options=("--listen", "127.0.0.1:1433"))


def namespace_run():
    """Runs this program in a new network namespace and returns its exit status, or 77."""
    name = f"latchd-{os.getpid()}"
    if subprocess.run(["ip", "netns", "add", name], capture_output=True, check=False).returncode != 0:
        matrix.skip("network namespaces are not allowed")
    inside = ["ip", "netns", "exec", name]
    try:
        subprocess.run([*inside, "ip", "link", "set", "lo", "up"], check=True)
        command = [*inside, sys.executable, *sys.argv]
        return subprocess.run(command, env={**os.environ, INSIDE: "1"}, check=False).returncode
    finally:
        subprocess.run(["ip", "netns", "delete", name], check=False)


if __name__ == "__main__":
    if not all(shutil.which(program) for program in ("node", "ip", "bsqldb")):
        matrix.skip("node, iproute2 or freetds-bin is not installed")
    if not os.path.isdir(EXPORTER):
        matrix.skip("conformance/install has not been run")
    if INSIDE not in os.environ:
        sys.exit(namespace_run())
    matrix.main()
