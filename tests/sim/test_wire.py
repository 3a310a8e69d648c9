#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The wire as no well-behaved client shows it: usage test_wire.py SIMULATOR DATA."""

import socket
import sys
import time
import unittest

import tds
from simulator import Simulator

BINARY, DATA = sys.argv[1:3]
WAITS = "SELECT wait_type, waiting_tasks_count, wait_time_ms FROM sys.dm_os_wait_stats"


class WireTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.simulator = Simulator(BINARY, DATA)

    @classmethod
    def tearDownClass(cls):
        status = cls.simulator.stop()
        assert status == 0, f"the simulator ended with {status}"

    def setUp(self):
        self.wait_for_sessions(0)

    def connect(self, **login):
        client = tds.Client(self.simulator.host, self.simulator.port)
        self.addCleanup(client.close)
        client.log_in(**login)
        return client

    def wait_for_sessions(self, count):
        deadline = time.monotonic() + 10
        while self.simulator.control("sessions") != f"ok {count}":
            self.assertLess(time.monotonic(), deadline, "sessions do not end")
            time.sleep(0.02)

    def test_messages_may_be_split_at_any_byte(self):
        client = self.connect(piece=1)
        client.batch(WAITS, packet_size=19, piece=3)
        status, rows = tds.last_done(client.receive())
        self.assertEqual(status, tds.DONE_COUNT)
        self.assertGreater(rows, 100)

    def test_answer_is_split_at_the_packet_size(self):
        for packet_size in (512, 4096, 32767):
            client = self.connect(packet_size=packet_size)
            client.packet_sizes.clear()
            client.batch(WAITS)
            client.receive()
            self.assertTrue(all(size == packet_size for size in client.packet_sizes[:-1]))
            self.assertLessEqual(client.packet_sizes[-1], packet_size)

    def wait_for_rest(self, client):
        """Until the simulator has sent something and then nothing for a while: it is in the delayed statement."""
        size = 0
        while True:
            client.socket.settimeout(60)
            before, size = size, len(client.socket.recv(1 << 20, socket.MSG_PEEK))
            if size == before:
                return
            time.sleep(0.3)

    def test_attention_during_rows_cuts_between_tokens(self):
        client = self.connect(packet_size=512)
        client.batch("; ".join([WAITS] * 200))
        client.receive_bytes(2000)
        client.send(tds.ATTENTION, b"")
        rest = b""
        while not rest.endswith(b"\xfd\x20\x00\xc1\x00" + bytes(8)):
            rest += client.socket.recv(65536)
        client.batch(WAITS)
        self.assertEqual(tds.last_done(client.receive())[0], tds.DONE_COUNT)

    def test_attention_during_a_batch_is_answered_in_two_messages(self):
        client = self.connect()
        self.simulator.control("delay 30 latch_stats")
        try:
            client.batch(WAITS + "; SELECT latch_class FROM sys.dm_os_latch_stats")
            self.wait_for_rest(client)
            client.send(tds.ATTENTION, b"")
            status, rows = tds.last_done(client.receive())
            self.assertEqual(status, tds.DONE_COUNT)
            self.assertGreater(rows, 100)
            self.assertEqual(tds.last_done(client.receive()), (tds.DONE_ATTENTION, 0))
        finally:
            self.simulator.control("delay off")
        client.batch(WAITS)
        self.assertEqual(tds.last_done(client.receive())[0], tds.DONE_COUNT)

    def test_restart_cuts_the_sessions(self):
        client = self.connect()
        self.simulator.control("restart")
        self.assertRaises(EOFError, client.receive_bytes, 1)

    def test_silence_ends_with_the_answer(self):
        client = self.connect()
        self.simulator.control("silent query on")
        try:
            client.batch(WAITS)
            client.socket.settimeout(0.3)
            self.assertRaises(TimeoutError, client.receive_bytes, 1)
        finally:
            self.simulator.control("silent query off")
        client.socket.settimeout(20)
        self.assertEqual(tds.last_done(client.receive())[0], tds.DONE_COUNT)

    def test_drip_is_slow_and_whole(self):
        client = self.connect()
        self.simulator.control("drip on")
        try:
            client.send(tds.ATTENTION, b"")
            started = time.monotonic()
            client.receive_bytes(10)
            self.assertGreater(time.monotonic() - started, 0.4)
        finally:
            self.simulator.control("drip off")
        self.assertEqual(len(client.receive_bytes(8 + 13 - 10)), 11)

    def test_garbage_comes_once(self):
        client = self.connect()
        self.simulator.control("garbage next")
        client.batch(WAITS)
        self.assertNotEqual(client.receive_bytes(256)[0], 0x04)
        client.batch(WAITS)
        self.assertEqual(tds.last_done(client.receive())[0], tds.DONE_COUNT)

    def test_session_numbers_are_used_again(self):
        clients = [self.connect() for _ in range(3)]
        self.wait_for_sessions(3)
        self.assertEqual(self.simulator.control("kill 52"), "ok 1")
        self.assertRaises(EOFError, clients[1].receive_bytes, 1)
        self.wait_for_sessions(2)
        self.connect()
        self.assertEqual(self.simulator.control("kill 52"), "ok 1")

    def test_idle_attention_is_acknowledged_alone(self):
        client = self.connect()
        client.send(tds.ATTENTION, b"")
        self.assertEqual(client.receive()[1:3], bytes([tds.DONE_ATTENTION, 0]))

    def test_call_without_statement_fails_and_the_session_lives(self):
        client = self.connect()
        client.send(tds.RPC, tds.ALL_HEADERS + b"\xff\xff\x0a\x00\x00\x00")
        body = client.receive()
        self.assertEqual(body[0], 0xAA)
        self.assertEqual(tds.last_done(body, tds.DONE_PROCEDURE)[0], tds.DONE_ERROR)
        client.batch(WAITS)
        self.assertEqual(tds.last_done(client.receive())[0], tds.DONE_COUNT)

    def test_failed_login_is_told_and_closed(self):
        client = tds.Client(self.simulator.host, self.simulator.port)
        self.addCleanup(client.close)
        _, body = client.log_in(password="wrong")
        self.assertEqual((body[0], int.from_bytes(body[3:7], "little")), (0xAA, 18456))
        self.assertEqual(tds.last_done(body)[0], tds.DONE_ERROR)
        self.assertRaises(EOFError, client.receive_bytes, 1)

    def test_what_is_not_tds_is_closed(self):
        client = tds.Client(self.simulator.host, self.simulator.port)
        self.addCleanup(client.close)
        client.socket.sendall(b"GET / HTTP/1.0\r\n\r\n")
        self.assertRaises((EOFError, ConnectionResetError), client.receive_bytes, 1)

    def test_many_sessions_live_at_once_and_end(self):
        clients = [self.connect() for _ in range(200)]
        self.assertGreaterEqual(int(self.simulator.control("sessions").split()[1]), 200)
        clients[-1].batch(WAITS)
        self.assertEqual(tds.last_done(clients[-1].receive())[0], tds.DONE_COUNT)
        for client in clients:
            client.close()
        self.wait_for_sessions(0)

    def test_error_hits_only_the_statements_that_are_meant(self):
        client = self.connect()
        self.simulator.control("fail 300 14 latch_stats")
        try:
            client.batch("SELECT latch_class FROM sys.dm_os_latch_stats; " + WAITS)
            body = client.receive()
        finally:
            self.simulator.control("fail off")
        self.assertEqual((body[0], int.from_bytes(body[3:7], "little")), (0xAA, 300))
        self.assertEqual(tds.last_done(body)[0], tds.DONE_COUNT)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
