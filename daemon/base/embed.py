#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a C file that holds other files: embed.py NAME ROOT OUTPUT FILE...

The C file defines `const struct embedded embedded_NAME[]`, one row per FILE, its path counted from
ROOT, ended by a row of NULL. Run by Meson at build; its output is never committed.
"""
import os
import sys


def main():
    name, root, output, *files = sys.argv[1:]
    rows, arrays = [], []
    for number, path in enumerate(files):
        with open(path, "rb") as source:
            data = source.read()
        relative = os.path.relpath(os.path.abspath(path), os.path.abspath(root)).replace(os.sep, "/")
        # An array, not a pointer to a literal: ISO C promises only 4095 characters of a literal.
        arrays.append(f"static const char file_{number}[] = {{\n{array(data)}\n}};\n")
        rows.append(f'\t{{.path = "{relative}", .data = file_{number}, .size = {len(data)}}},')
    with open(output, "w", encoding="ascii") as target:
        target.write('/* Made by daemon/base/embed.py. */\n#include "daemon/base/embedded.h"\n\n')
        target.write("".join(arrays))
        target.write(f"\nextern const struct embedded embedded_{name}[];\n")
        target.write(f"const struct embedded embedded_{name}[] = {{\n" + "\n".join(rows) + "\n\t{0},\n};\n")


def array(data):
    values = [str(byte if byte < 128 else byte - 256) for byte in data] + ["0"]
    return "\n".join("\t" + ", ".join(values[at : at + 24]) + "," for at in range(0, len(values), 24))


if __name__ == "__main__":
    main()
