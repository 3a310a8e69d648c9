#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Faults that strike logins, metadata, packets and Attention: usage test_breakage.py SIMULATOR DATA."""

import sys
import time
import unittest

import tds
from simulator import Simulator

BINARY, DATA = sys.argv[1:3]
WAITS = "SELECT wait_type, wait_time_ms FROM sys.dm_os_wait_stats"
LONG = "WITH n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 2000000000) SELECT COUNT(*) FROM n"
GONE = (EOFError, ConnectionResetError)


class BreakageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.simulator = Simulator(BINARY, DATA)

    @classmethod
    def tearDownClass(cls):
        status = cls.simulator.stop()
        assert status == 0, f"the simulator ended with {status}"

    def client(self):
        client = tds.Client(self.simulator.host, self.simulator.port)
        self.addCleanup(client.close)
        return client

    def connect(self, **login):
        client = self.client()
        client.log_in(**login)
        return client

    def works(self, client):
        client.batch(WAITS)
        self.assertEqual(tds.last_done(client.receive())[0], tds.DONE_COUNT)

    def test_login_that_dies_gets_no_answer(self):
        self.simulator.control("die-before-login on")
        self.assertRaises(GONE, self.client().log_in)
        self.simulator.control("die-before-login off")
        self.works(self.connect())

    def test_metadata_is_cut_in_its_middle_once(self):
        client = self.connect()
        self.simulator.control("die-mid-metadata next")
        client.batch(WAITS)
        kind, status, length = client.receive_header()
        self.assertEqual((kind, status), (0x04, 0))
        self.assertEqual(client.receive_bytes(length - 8)[0], 0x81)
        self.assertRaises(GONE, client.receive_bytes, 1)
        self.works(self.connect())

    def test_truncated_packet_promises_more_than_it_holds(self):
        client = self.connect(packet_size=512)
        self.simulator.control("truncate next")
        client.batch(WAITS)
        length = client.receive_header()[2]
        self.assertEqual(length, 512)
        client.receive_bytes(252)
        self.assertRaises(GONE, client.receive_bytes, 1)
        self.works(self.connect())

    def test_ignored_attention_is_never_answered(self):
        client = self.connect()
        self.simulator.control("ignore-attention on")
        try:
            client.batch(LONG)
            client.send(tds.ATTENTION, b"")
            client.socket.settimeout(0.5)
            self.assertRaises(TimeoutError, client.receive_bytes, 1)
        finally:
            self.simulator.control("ignore-attention off")
        client.socket.settimeout(20)
        client.receive()
        self.assertEqual(tds.last_done(client.receive()), (tds.DONE_ATTENTION, 0))

    def test_logins_over_the_limit_are_refused(self):
        self.simulator.control("login-limit 2 3600")
        try:
            for _ in range(2):
                self.works(self.connect())
            client = self.client()
            body = client.log_in()[1]
            self.assertEqual((body[0], int.from_bytes(body[3:7], "little")), (0xAA, 10928))
            self.assertRaises(GONE, client.receive_bytes, 1)
        finally:
            self.simulator.control("login-limit off")
        self.works(self.connect())

    def test_attention_stops_a_query_that_computes(self):
        client = self.connect()
        client.batch(LONG)
        time.sleep(0.1)
        started = time.monotonic()
        client.send(tds.ATTENTION, b"")
        client.receive()
        self.assertEqual(tds.last_done(client.receive()), (tds.DONE_ATTENTION, 0))
        self.assertLess(time.monotonic() - started, 5)
        self.works(client)

    def test_request_given_up_half_way_is_answered_empty(self):
        client = self.connect()
        body = tds.ALL_HEADERS + WAITS.encode("utf-16-le")
        client.send(tds.BATCH, body, last_status=tds.END | tds.IGNORE)
        self.assertEqual(tds.last_done(client.receive()), (0, 0))
        self.works(client)

    def test_hundreds_of_sessions_work_at_once(self):
        clients = [self.connect() for _ in range(400)]
        for client in clients:
            client.batch("SELECT @@SPID")
        for client in clients:
            self.assertEqual(tds.last_done(client.receive()), (tds.DONE_COUNT, 1))
        self.assertGreaterEqual(int(self.simulator.control("sessions").split()[1]), 400)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
