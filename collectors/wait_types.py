#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the sorted table of wait types: wait_types.py WAIT_TYPES_CSV OUTPUT_C

Run by Meson at build; its output is never committed. Sorted by bytes, as strcmp sorts.
"""
import csv
import sys


def main():
    source, output = sys.argv[1:]
    with open(source, encoding="utf-8", newline="") as lines:
        rows = sorted(csv.DictReader(lines), key=lambda row: row["wait_type"].encode())
    names = [row["wait_type"] for row in rows]
    if len(set(names)) != len(names):
        sys.exit(f"{source}: a name is there twice")
    with open(output, "w", encoding="utf-8") as target:
        target.write('/* Made by collectors/wait_types.py. */\n#include "collectors/wait_type_table.h"\n\n')
        target.write("const struct wait_type wait_types[] = {\n")
        for row in rows:
            benign = {"0": "false", "1": "true"}[row["benign"]]
            target.write(f'\t{{"{row["wait_type"]}", "{row["category"]}", {benign}}},\n')
        target.write(f"}};\nconst size_t wait_type_count = {len(rows)};\n")


if __name__ == "__main__":
    main()
