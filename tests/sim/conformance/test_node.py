#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a program of checks in Node: `test_node.py SIMULATOR DATA tedious.js`."""

import os
import shutil
import subprocess
import sys

import matrix

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = sys.argv[3]


class NodeTest(matrix.MatrixTest):
    def test_checks_hold(self):
        self.matrix(self.run_program)

    def run_program(self, simulator, encryption, packet_size):
        environment = {
            **os.environ,
            "NODE_NO_WARNINGS": "1",
            "SIM_PORT": str(simulator.port),
            "SIM_ENCRYPT": "on" if encryption == matrix.WHOLE else "off",
            "SIM_PACKET_SIZE": str(packet_size),
            "SIM_GRANTED_SIZE": str(matrix.granted_size(packet_size, encryption == matrix.WHOLE)),
        }
        result = subprocess.run(
            ["node", os.path.join(HERE, PROGRAM)],
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertGreater(result.stdout.count("ok "), 5, result.stdout)


if __name__ == "__main__":
    if not shutil.which("node"):
        matrix.skip("node is not installed")
    if not os.path.isdir(os.path.join(HERE, "node_modules", PROGRAM.removesuffix(".js"))):
        matrix.skip("conformance/install has not been run")
    matrix.main()
