# SPDX-License-Identifier: Apache-2.0
"""A freetds.conf with the one section [sim]."""

import matrix

WISHES = {matrix.CLEAR: "off", matrix.LOGIN_ONLY: "request", matrix.WHOLE: "require"}

CONF = """[sim]
host = {host}
port = {port}
tds version = 7.4
encryption = {encryption}
initial block size = {packet_size}
client charset = UTF-8
text size = 1000000
"""


def conf(simulator, encryption, packet_size=4096, authority=None):
    text = CONF.format(
        host=simulator.host, port=simulator.port, encryption=WISHES[encryption], packet_size=packet_size
    )
    return text + (f"ca file = {authority}\n" if authority else "")
