#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ct-lib, through Perl's DBD::Sybase: batches and statements prepared on the server."""

import os
import shutil
import subprocess

import matrix
from freetds_conf import conf

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ctlib.pl")


class CtlibTest(matrix.MatrixTest):
    def check(self, simulator, encryption, packet_size):
        path = self.write("freetds.conf", conf(simulator, encryption, packet_size))
        size = matrix.granted_size(packet_size, encryption == matrix.WHOLE)
        result = subprocess.run(
            ["perl", PROGRAM],
            env={**os.environ, "FREETDSCONF": path, "SIM_GRANTED_SIZE": str(size)},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_program_is_content(self):
        self.matrix(self.check)


if __name__ == "__main__":
    if not shutil.which("perl") or subprocess.run(["perl", "-MDBD::Sybase", "-e1"], capture_output=True, check=False).returncode:
        matrix.skip("libdbd-sybase-perl is not installed")
    matrix.main()
