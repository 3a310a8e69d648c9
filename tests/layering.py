#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the layers: includes point upstream, foreign libraries have one door, SQL stays in .sql files."""
import pathlib
import re
import sys

LAYERS = ["daemon/base", "collectors", "storage", "analysis", "web", "daemon"]

# Foreign header: the files (or folders) that may include it.
DOORS = {
    "sybdb.h": ["collectors/session.c"],
    "sybfront.h": ["collectors/session.c"],
    "sqlite3.h": ["storage/"],
    "microhttpd.h": ["web/server.c"],
    "gnutls/gnutls.h": ["collectors/tls_probe.c"],
    "gnutls/x509.h": ["collectors/tls_probe.c"],
    "yaml.h": ["daemon/config_yaml.c"],
    "systemd/sd-daemon.h": ["daemon/supervisor.c"],
    "curl/curl.h": ["web/outbound_"],
    "pthread.h": ["daemon/", "storage/"],
}

CLOCK_CALLS = re.compile(r"\b(clock_gettime|gettimeofday|time)\s*\((?!\s*void)")
SQL_TEXT = re.compile(r'"\s*(SELECT|INSERT INTO|INSERT OR|UPDATE|DELETE FROM|CREATE TABLE|WITH RECURSIVE)\s')
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)
COMMENT = re.compile(r"/\*.*?\*/", re.S)


def layer_of(path):
    for name in ("daemon/base", *LAYERS[1:]):
        if path.startswith(name + "/"):
            return LAYERS.index(name)
    return None


def check_file(path, text):
    code = COMMENT.sub("", text)
    is_simulator = path.startswith("tests/sim/")
    own = layer_of(path)
    for kind, header in INCLUDE.findall(code):
        other = layer_of(header) if kind == '"' else None
        if is_simulator and other is not None:
            yield f"includes {header}: the simulator shares no code with the product"
        if own is not None and other is not None and other > own:
            yield f"includes {header}, which is downstream"
        if own is not None and kind == '"' and other is None:
            yield f'includes "{header}", which is not a path from the root'
        doors = DOORS.get(header)
        if own is not None and doors and not any(path.startswith(door) for door in doors):
            yield f"includes <{header}>; its only door is {', '.join(doors)}"
    if own is None:
        return
    if CLOCK_CALLS.search(code) and path not in ("daemon/base/clock.c", "daemon/base/stop.c"):
        yield "reads a clock; only daemon/base/clock.c does"
    if path.endswith(".c") and SQL_TEXT.search(code) and path != "storage/store.c":
        yield "holds SQL text; it belongs into a .sql file"
    if own in (1, 2) and re.search(r'"daemon/base/log\.h"', code):
        yield "logs; collectors and storage never do (thread loops excepted: storage/writer.c)"


def main():
    root = pathlib.Path(sys.argv[1])
    faults = []
    for folder in ("daemon", "collectors", "storage", "analysis", "web", "tests/sim"):
        for source in sorted((root / folder).rglob("*.[ch]")):
            path = source.relative_to(root).as_posix()
            for fault in check_file(path, source.read_text(encoding="utf-8")):
                if path == "storage/writer.c" and fault.startswith("logs"):
                    continue
                faults.append(f"{path}: {fault}")
    print("\n".join(faults) or "the layers hold")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
