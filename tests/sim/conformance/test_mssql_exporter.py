#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""npm prometheus-mssql-exporter: it knows no port but 1433, so it and a simulator get a network of
their own. The program starts itself again inside that network."""

import os
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request

import matrix

HERE = os.path.dirname(os.path.abspath(__file__))
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

    def test_connections_are_counted(self):
        for encryption in (matrix.CLEAR, matrix.LOGIN_ONLY, matrix.WHOLE):
            with self.subTest(encryption=encryption):
                self.start(encryption, "valid", "--listen", "127.0.0.1:1433")
                process = subprocess.Popen(
                    ["node", "index.js"],
                    cwd=EXPORTER,
                    env={
                        **os.environ,
                        "NODE_NO_WARNINGS": "1",
                        "SERVER": "127.0.0.1",
                        "USERNAME": "latchd",
                        "PASSWORD": "latchd",
                        "EXPOSE": str(PORT),
                    },
                    stdout=subprocess.DEVNULL,
                )
                try:
                    self.scrape(process)
                finally:
                    process.kill()
                    process.wait()
                self.doCleanups()


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
    if not shutil.which("node") or not shutil.which("ip"):
        matrix.skip("node or iproute2 is not installed")
    if not os.path.isdir(EXPORTER):
        matrix.skip("conformance/install has not been run")
    if INSIDE not in os.environ:
        sys.exit(namespace_run())
    matrix.main()
