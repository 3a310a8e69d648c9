#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""However latchd ends, at whatever moment, it leaves nothing behind and says so by its status."""
import os
import signal
import subprocess

from harness import check, main


def killed_daemon_leaves_no_file_but_its_store(scenario, _):
    s = scenario()
    runtime = s.directory / "runtime"
    runtime.mkdir()
    os.environ["RUNTIME_DIRECTORY"] = os.environ["TMPDIR"] = str(runtime)
    s.start()
    s.wait_until_up()
    s.latchd.stop(signal.SIGKILL)
    check(not list(runtime.iterdir()), f"left behind: {list(runtime.iterdir())}")


def stop_before_the_configuration_is_read_is_a_clean_one(scenario, _):
    s = scenario()
    path = s.directory / "latchd.yaml"
    os.mkfifo(path)  # latchd waits in the middle of reading for as long as this needs
    command = [os.environ["LATCHD"], "run", "--config", str(path)]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
        with path.open("w", encoding="utf-8") as config:
            process.send_signal(signal.SIGTERM)
            config.write(s.config())
        _, errors = process.communicate(timeout=20)
    check(process.returncode == 0, f"status {process.returncode}: {errors.decode()}")


if __name__ == "__main__":
    main(
        killed_daemon_leaves_no_file_but_its_store,
        stop_before_the_configuration_is_read_is_a_clean_one,
    )
