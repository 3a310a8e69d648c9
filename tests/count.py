#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts a Meson test log: a cmocka program counts test by test, any other test as one."""
import json
import re
import sys


def main():
    passed = failed = skipped = 0
    with open(sys.argv[1], encoding="utf-8") as log:
        for line in log:
            test = json.loads(line)
            output = test.get("stdout") or ""
            output += test.get("stderr") or ""
            good = len(re.findall(r"^\[       OK \] ", output, re.M))
            bad = len(re.findall(r"^\[  FAILED  \] (?!tests: )", output, re.M))
            if test["result"] == "SKIP":
                skipped += 1
            elif test["result"] == "OK":
                passed += max(good, 1)
            else:
                passed += good
                failed += max(bad // 2, 1)
    tail = f", {skipped} skipped" if skipped else ""
    print(f"{passed} passed, {failed} failed{tail}")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
