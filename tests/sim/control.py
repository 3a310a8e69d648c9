#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sends one command to a simulator's control socket and prints the answer.

usage: control.py SOCKET COMMAND [WORD ...]     exit status 1 when the answer is an error
A word with blanks in it travels in double quotes; a command may also be one word as a whole.
"""

import socket
import sys


def control(path, command, timeout_s=10.0):
    """Returns the answer line, without its end."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(timeout_s)
        connection.connect(path)
        connection.sendall(command.encode() + b"\n")
        answer = b""
        while not answer.endswith(b"\n"):
            piece = connection.recv(65536)
            if not piece:
                break
            answer += piece
    return answer.decode().rstrip("\n")


def main(arguments):
    if len(arguments) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    words = arguments[2:]
    if len(words) > 1:
        words = [f'"{word}"' if " " in word else word for word in words]
    answer = control(arguments[1], " ".join(words))
    print(answer)
    return 0 if answer.split(" ")[0] == "ok" else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv))
