#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""FreeTDS's tsql (the library's own level) and bsqldb (db-lib) against the simulator."""

import os
import shutil
import subprocess

import matrix
from freetds_conf import conf

WAITS = "SELECT wait_type, wait_time_ms FROM sys.dm_os_wait_stats"

class FreetdsTest(matrix.MatrixTest):
    def configure(self, simulator, encryption, packet_size=4096, authority=None):
        authority = authority and self.path(authority + ".pem")
        self.conf = self.write("freetds.conf", conf(simulator, encryption, packet_size, authority))

    def run_client(self, command, text):
        environment = {**os.environ, "FREETDSCONF": self.conf, "TDSVER": "7.4", "LC_ALL": "C.UTF-8"}
        return subprocess.run(
            command, input=text, env=environment, capture_output=True, text=True, timeout=60, check=False
        )

    def tsql(self, sql):
        return self.run_client(["tsql", "-S", "sim", "-U", "latchd", "-P", "latchd", "-o", "q"], f"{sql}\ngo\nexit\n")

    def bsqldb(self, sql):
        return self.run_client(["bsqldb", "-S", "sim", "-U", "latchd", "-P", "latchd", "-q"], sql)

    def expect_waits(self, result):
        rows = [line for line in result.stdout.splitlines() if "PAGELATCH" in line]
        self.assertGreaterEqual(len(rows), 6, result.stderr)

    def test_both_tools_select(self):
        def check(simulator, encryption, packet_size):
            self.configure(simulator, encryption, packet_size)
            self.expect_waits(self.tsql(WAITS))
            self.expect_waits(self.bsqldb(WAITS))

        self.matrix(check)

    def test_server_says_what_is_encrypted_and_the_packet_size(self):
        def check(simulator, encryption, packet_size):
            self.configure(simulator, encryption, packet_size)
            said = self.bsqldb(
                "SELECT encrypt_option, net_packet_size FROM sys.dm_exec_connections WHERE session_id = @@SPID"
            )
            is_whole = encryption == matrix.WHOLE
            size = matrix.granted_size(packet_size, is_whole)
            self.assertEqual(said.stdout.split(), ["TRUE" if is_whole else "FALSE", str(size)], said.stderr)

        self.matrix(check)

    def test_long_texts_nulls_and_errors(self):
        def check(simulator, encryption, packet_size):
            self.configure(simulator, encryption, packet_size)
            long = "\u00e4" * 3000
            result = self.tsql(f"SELECT CAST(N'{long}' AS nvarchar(max)) AS t, NULL AS n, 7 AS i")
            self.assertIn(long + "\tNULL\t7", result.stdout)
            result = self.tsql("SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, 8, NULL, NULL")
            self.assertIn("NULL\tNULL\tNULL\tNULL\tNULL\tNULL\tNULL\t8\tNULL\tNULL", result.stdout)
            self.assertIn("Msg 208", self.tsql("SELECT * FROM sys.nothing").stderr)

        self.matrix(check)

    def test_transactions_count(self):
        simulator = self.start(matrix.CLEAR)
        self.configure(simulator, matrix.CLEAR)
        result = self.tsql("BEGIN TRAN; BEGIN TRAN; SELECT @@TRANCOUNT; COMMIT; ROLLBACK; SELECT @@TRANCOUNT + 10")
        self.assertEqual([line for line in result.stdout.split() if line.isdigit()], ["2", "10"])

    def test_client_without_encryption_meets_a_server_that_requires_it(self):
        simulator = self.start(matrix.WHOLE)
        self.configure(simulator, matrix.CLEAR)
        self.expect_waits(self.tsql(WAITS))  # FreeTDS gives in and encrypts

    def test_client_that_requires_encryption_meets_a_server_without(self):
        simulator = self.start(matrix.CLEAR)
        self.configure(simulator, matrix.WHOLE)
        self.assertIn("20002", self.tsql(WAITS).stderr)

    def test_only_the_valid_certificate_is_trusted(self):
        for name in ("valid", "expired", "wrong-host", "unknown-ca"):
            with self.subTest(certificate=name):
                simulator = self.start(matrix.WHOLE, name)
                self.configure(simulator, matrix.WHOLE, authority="ca")
                result = self.tsql(WAITS)
                if name == "valid":
                    self.expect_waits(result)
                else:
                    self.assertIn("20002", result.stderr)
                    self.assertNotIn("PAGELATCH", result.stdout)


if __name__ == "__main__":
    if not shutil.which("tsql") or not shutil.which("bsqldb"):
        matrix.skip("freetds-bin is not installed")
    matrix.main()
