# SPDX-License-Identifier: Apache-2.0
"""Certificates for the simulator, made with openssl when a test needs them.

`ca.pem` signs `valid`, `expired` and `wrong-host`; `other-ca.pem` signs `unknown-ca`. Each name
stands for NAME.pem and NAME.key in the folder.
"""

import os
import subprocess

RIGHT_NAMES = "subjectAltName=IP:127.0.0.1,DNS:localhost"
WRONG_NAMES = "subjectAltName=IP:192.0.2.1,DNS:elsewhere.example"


def openssl(*arguments):
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)


class Certificates:
    def __init__(self, folder):
        self.folder = folder
        self.make_authority("ca")
        self.make_authority("other-ca")
        self.make("valid", "ca", RIGHT_NAMES, 30)
        self.make("expired", "ca", RIGHT_NAMES, -1)
        self.make("wrong-host", "ca", WRONG_NAMES, 30)
        self.make("unknown-ca", "other-ca", RIGHT_NAMES, 30)

    def path(self, name):
        return os.path.join(self.folder, name)

    def options(self, policy, name="valid"):
        """What sqlserver-sim is to be started with."""
        if policy == "off":
            return []
        return ["--tls", policy, "--certificate", self.path(name + ".pem"), "--key", self.path(name + ".key")]

    def make_authority(self, name, names=None):
        """Signs itself; with names it is also the certificate of a server."""
        openssl(
            *("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", f"/CN=latchd test {name}"),
            *(("-addext", names) if names else ()),
            *("-keyout", self.path(name + ".key"), "-out", self.path(name + ".pem")),
        )

    def make(self, name, authority, names, days):
        with open(self.path(name + ".ext"), "w", encoding="ascii") as file:
            file.write(names + "\n")
        host = names.rsplit(":", 1)[1]
        openssl(
            *("req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={host}"),
            *("-keyout", self.path(name + ".key"), "-out", self.path(name + ".csr")),
        )
        openssl(
            *("x509", "-req", "-in", self.path(name + ".csr"), "-out", self.path(name + ".pem")),
            *("-CA", self.path(authority + ".pem"), "-CAkey", self.path(authority + ".key"), "-CAcreateserial"),
            *("-days", str(days), "-extfile", self.path(name + ".ext")),
        )
