# SPDX-License-Identifier: Apache-2.0
"""What every client is tried with: how the simulator is encrypted, and the packet sizes.

Programs that use it are called with the simulator and its data: `PROGRAM SIMULATOR DATA [MORE]`.
"""

import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

# pylint: disable=wrong-import-position
from certificates import Certificates
from simulator import Simulator

BINARY, DATA = sys.argv[1:3]

# What the client asks for, and what the server wants.
CLEAR, LOGIN_ONLY, WHOLE = "clear", "login-only", "whole"
POLICIES = {CLEAR: "off", LOGIN_ONLY: "login", WHOLE: "required"}
PACKET_SIZES = (512, 4096, 32767)
MOST_ENCRYPTED = 16383


def granted_size(packet_size, is_encrypted):
    """What the server makes of a client's wish."""
    return min(packet_size, MOST_ENCRYPTED) if is_encrypted else packet_size


class MatrixTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="latchd-conformance-")
        os.chmod(cls.folder.name, 0o755)  # other users' clients read the certificates
        cls.certificates = Certificates(cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def simulator(self, encryption, certificate="valid", options=()):
        policy = self.certificates.options(POLICIES[encryption], certificate)
        return Simulator(BINARY, DATA, *policy, *options)

    def start(self, encryption, certificate="valid"):
        """A simulator that ends with the test, which then fails if it did not end well."""
        simulator = self.simulator(encryption, certificate)
        self.addCleanup(lambda: self.assertEqual(simulator.stop(), 0))
        return simulator

    def matrix(self, check, encryptions=(CLEAR, LOGIN_ONLY, WHOLE), packet_sizes=PACKET_SIZES, options=()):
        """Calls check(simulator, encryption, packet_size) for each, as a test of its own."""
        for encryption in encryptions:
            for packet_size in packet_sizes:
                # Clients also ask for the size; but FreeTDS asks for nothing below 4096.
                granted = ("--packet-size", str(packet_size), *options)
                with self.subTest(encryption=encryption, packet_size=packet_size):
                    with self.simulator(encryption, options=granted) as simulator:
                        check(simulator, encryption, packet_size)
                        self.assertEqual(simulator.stop(), 0)


def skip(reason):
    """Ends the program as one that cannot run here."""
    print(f"skipped: {reason}", file=sys.stderr)
    sys.exit(77)


def main():
    unittest.main(argv=sys.argv[:1])
