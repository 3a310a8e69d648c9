#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PostgreSQL reads the simulator through tds_fdw, in a cluster of its own that ends with the test."""

import glob
import os
import shutil
import subprocess
import time

import matrix
from freetds_conf import conf

PROGRAMS = (sorted(glob.glob("/usr/lib/postgresql/*/bin")) or [""])[-1]
EXTENSION = "/usr/share/postgresql/*/extension/tds_fdw.control"
SETUP = """
CREATE EXTENSION tds_fdw;
CREATE SERVER sim FOREIGN DATA WRAPPER tds_fdw OPTIONS (servername 'sim', database 'master', tds_version '7.4');
CREATE USER MAPPING FOR CURRENT_USER SERVER sim OPTIONS (username 'latchd', password 'latchd');
CREATE FOREIGN TABLE waits (wait_type text, waiting_tasks_count bigint, wait_time_ms bigint)
    SERVER sim OPTIONS (schema_name 'sys', table_name 'dm_os_wait_stats');
CREATE FOREIGN TABLE sessions (session_id smallint, login_name text, login_time timestamp, is_user_process boolean)
    SERVER sim OPTIONS (query 'SELECT session_id, login_name, login_time, is_user_process FROM sys.dm_exec_sessions');
CREATE FOREIGN TABLE connections (net_packet_size int)
    SERVER sim OPTIONS (query 'SELECT net_packet_size FROM sys.dm_exec_connections WHERE session_id = @@SPID');
CREATE FOREIGN TABLE nulls (a int, b text, c double precision)
    SERVER sim OPTIONS (query 'SELECT NULL AS a, CAST(NULL AS nvarchar(max)) AS b, 2.5 AS c');
"""


class Cluster:
    """A PostgreSQL server on a unix socket, owned by postgres, as it refuses to run for root."""

    def __init__(self, folder, conf):
        self.folder = os.path.join(folder, "cluster")
        self.environment = {**os.environ, "FREETDSCONF": conf, "LC_ALL": "C.UTF-8", "PGUSER": "postgres"}
        os.mkdir(self.folder)
        self.prefix = []
        if os.geteuid() == 0:
            self.prefix = ["runuser", "-u", "postgres", "--"]
            shutil.chown(self.folder, "postgres")
        self.run("initdb", "--no-sync", "--auth=trust", "--username=postgres", "-D", self.folder + "/data")
        self.process = subprocess.Popen(
            [*self.prefix, f"{PROGRAMS}/postgres", "-D", self.folder + "/data", "-k", self.folder, "-h", ""],
            env=self.environment,
            cwd="/",
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.wait()

    def run(self, program, *arguments, text=None):
        return subprocess.run(
            [*self.prefix, f"{PROGRAMS}/{program}", *arguments],
            env=self.environment,
            cwd="/",
            input=text,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        ).stdout

    def wait(self):
        deadline = time.monotonic() + 30
        while True:
            try:
                return self.run("psql", "-h", self.folder, "-Atc", "SELECT 1", "postgres")
            except subprocess.CalledProcessError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)

    def query(self, sql):
        """Rows, fields parted by bars. FreeTDS's notes of the login go to the log."""
        return self.run("psql", "-h", self.folder, "-Atq", "-v", "ON_ERROR_STOP=1", "postgres", text=sql).splitlines()

    def stop(self):
        self.run("pg_ctl", "-D", self.folder + "/data", "-m", "immediate", "stop")
        self.process.wait(20)


class TdsFdwTest(matrix.MatrixTest):
    def setUp(self):
        self.conf = self.write("freetds.conf", "")
        self.cluster = Cluster(self.folder.name, self.conf)
        self.addCleanup(self.cluster.stop)
        self.cluster.query(SETUP)

    def check(self, simulator, encryption, packet_size):
        self.write("freetds.conf", conf(simulator, encryption, packet_size))
        waits = self.cluster.query("SELECT wait_type, wait_time_ms FROM waits WHERE wait_type LIKE 'PAGELATCH%'")
        self.assertGreaterEqual(len(waits), 6)
        count = self.cluster.query("SELECT count(*), count(DISTINCT wait_type) FROM waits")[0].split("|")
        self.assertGreater(int(count[0]), 100)
        sessions = self.cluster.query("SELECT login_name, is_user_process FROM sessions WHERE login_name = 'latchd'")
        self.assertIn("latchd|t", sessions)
        size = matrix.granted_size(packet_size, encryption == matrix.WHOLE)
        self.assertEqual(self.cluster.query("SELECT net_packet_size FROM connections"), [str(size)])
        self.assertEqual(self.cluster.query("SELECT a IS NULL, b IS NULL, c FROM nulls"), ["t|t|2.5"])

    def test_foreign_tables_are_read(self):
        self.matrix(self.check)


if __name__ == "__main__":
    if not os.path.exists(f"{PROGRAMS}/initdb") or not glob.glob(EXTENSION):
        matrix.skip("postgresql or tds_fdw is not installed")
    matrix.main()
