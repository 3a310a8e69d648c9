# SPDX-License-Identifier: Apache-2.0
"""A simulator process for tests: starts on a free port, takes commands, stops without leaving anything."""

import os
import subprocess
import tempfile

import control


class Simulator:
    def __init__(self, binary, data, *options):
        self.folder = tempfile.TemporaryDirectory(prefix="latchd-sim-")
        self.control_path = os.path.join(self.folder.name, "control")
        self.process = subprocess.Popen(
            [binary, "--listen", "127.0.0.1:0", "--control", self.control_path, "--data", data, *options],
            stdout=subprocess.PIPE,
            text=True,
        )
        words = self.process.stdout.readline().split()
        if words[:2] != ["listening", "on"]:
            raise RuntimeError(f"the simulator did not start: {words}")
        self.host, port = words[2].rsplit(":", 1)
        self.port = int(port)

    def control(self, command):
        """Executes one command; an error answer raises."""
        answer = control.control(self.control_path, command)
        if not answer.startswith("ok"):
            raise RuntimeError(f"'{command}': {answer}")
        return answer

    def stop(self, timeout_s=10.0):
        """Ends the process as systemd would and returns its exit status."""
        self.process.terminate()
        try:
            return self.process.wait(timeout_s)
        finally:
            self.process.kill()
            self.process.stdout.close()
            self.folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.stop()
