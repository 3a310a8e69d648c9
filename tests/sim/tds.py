# SPDX-License-Identifier: Apache-2.0
"""A bare TDS 7.4 client for tests: sends bytes in any pieces and shows packets as they come."""

import socket
import struct

BATCH, RPC, ATTENTION, LOGIN7, PRELOGIN = 0x01, 0x03, 0x06, 0x10, 0x12
END, IGNORE = 0x01, 0x02
DONE_BATCH, DONE_PROCEDURE = 0xFD, 0xFE
DONE_MORE, DONE_ERROR, DONE_COUNT, DONE_ATTENTION = 0x01, 0x02, 0x10, 0x20

ALL_HEADERS = struct.pack("<IIHQI", 22, 18, 2, 0, 1)


def scramble(password):
    """As LOGIN7 carries it: nibbles swapped, then XOR A5."""
    return bytes(((b << 4 | b >> 4) & 0xFF) ^ 0xA5 for b in password.encode("utf-16-le"))


def login7(user, password, database="", packet_size=4096):
    fields = [
        "test".encode("utf-16-le"),
        user.encode("utf-16-le"),
        scramble(password),
        "tds.py".encode("utf-16-le"),
        b"",
        b"",
        b"",
        b"",
        database.encode("utf-16-le"),
    ]
    fixed = struct.pack("<IIIIIBBBBiI", 0x74000004, packet_size, 7, 1, 0, 0, 0, 0, 0, 0, 0x409)
    offset = 94
    table = b""
    for field in fields:
        table += struct.pack("<HH", offset, len(field) // 2)
        offset += len(field)
    tail = bytes(6) + struct.pack("<HHHHHHI", offset, 0, offset, 0, offset, 0, 0)
    body = fixed + table + tail + b"".join(fields)
    return struct.pack("<I", len(body) + 4) + body


class Client:
    def __init__(self, host, port, timeout_s=20.0):
        self.socket = socket.create_connection((host, port), timeout_s)
        self.packet_sizes = []

    def close(self):
        self.socket.close()

    def send(self, kind, body, packet_size=4096, piece=None, last_status=END):
        """One message in packets of packet_size, in writes of `piece` bytes."""
        room = packet_size - 8
        parts = [body[i : i + room] for i in range(0, len(body), room)] or [b""]
        data = b""
        for i, part in enumerate(parts):
            status = last_status if i == len(parts) - 1 else 0
            data += struct.pack(">BBHHBB", kind, status, len(part) + 8, 0, i & 0xFF, 0) + part
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for i in range(0, len(data), piece or len(data)):
            self.socket.sendall(data[i : i + (piece or len(data))])

    def receive_bytes(self, size):
        data = b""
        while len(data) < size:
            piece = self.socket.recv(size - len(data))
            if not piece:
                raise EOFError("the server closed the connection")
            data += piece
        return data

    def receive_header(self):
        """Type, status and length of the next packet, its header included."""
        return struct.unpack(">BBH", self.receive_bytes(8)[:4])

    def receive(self):
        """The body of one whole message."""
        body = b""
        while True:
            kind, status, length = self.receive_header()
            if kind != 0x04:
                raise ValueError(f"packet type {kind:#x}")
            self.packet_sizes.append(length)
            body += self.receive_bytes(length - 8)
            if status & END:
                return body

    def log_in(self, user="latchd", password="latchd", database="", packet_size=4096, piece=None):
        self.send(PRELOGIN, bytes([1, 0, 6, 0, 1, 0xFF, 2]), piece=piece)
        answer = self.receive()
        self.send(LOGIN7, login7(user, password, database, packet_size), piece=piece)
        return answer, self.receive()

    def batch(self, sql, **how):
        self.send(BATCH, ALL_HEADERS + sql.encode("utf-16-le"), **how)


def last_done(body, kind=DONE_BATCH):
    """Status and row count of the DONE that ends a message."""
    token, status, _, rows = struct.unpack("<BHHQ", body[-13:])
    if token != kind:
        raise ValueError(f"the message ends with token {token:#x}")
    return status, rows
