#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a benchmark briefly and checks that it prints its lines, whatever its figures: smoke.py PATTERN... -- COMMAND..."""
import re
import subprocess
import sys


def main():
    split = sys.argv.index("--")
    patterns, command = sys.argv[1:split], sys.argv[split + 1 :]
    if command[0].endswith(".py"):
        command.insert(0, sys.executable)
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    print(done.stdout, done.stderr, sep="")
    if done.returncode == 77:
        return 77
    missing = [pattern for pattern in patterns if not re.search(pattern, done.stdout, re.M)]
    if missing:
        print("not printed:", *missing, sep="\n  ")
    return 1 if missing or done.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
