#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cases.tsv is the ledger of faults that users of other monitors reported in public: each has a test that names its
id, or waits for something that latchd cannot do yet. `test_cases.py ROOT`."""

import csv
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv[1])
ID = re.compile(r"\b[BS]\d{2,3}\b")
AREAS = {"delta", "collector", "config", "ops", "storage", "detector", "alerts", "http"}
CAPABILITIES = {"detector", "alerting", "storage", "http", "statistics"}
COLLECTION = {"delta", "collector", "config", "ops"}  # is all there, but for what these bring:
COLLECTION_MAY_WAIT_FOR = {"detector", "alerting"}
SUFFIXES = {".c", ".h", ".py", ".yaml", ".tsv", ".md", ".sh", ".js"}
OUR_OWN = {"cases.tsv", "test_cases.py"}


def ids_in(path):
    files = [path] if path.is_file() else sorted(file for file in path.iterdir() if file.is_file())
    return {found for file in files for found in ID.findall(file.read_text(encoding="utf-8", errors="replace"))}


def ledger():
    with open(ROOT / "tests/cases.tsv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


class LedgerTest(unittest.TestCase):
    rows = ledger()

    def test_rows_are_whole(self):
        for row in self.rows:
            with self.subTest(id=row["id"]):
                self.assertTrue(ID.fullmatch(row["id"]))
                self.assertIn(row["area"], AREAS)
                self.assertTrue(row["input"] and row["answer"])
        names = [row["id"] for row in self.rows]
        self.assertEqual(len(names), len(set(names)))

    def test_each_has_a_test_or_waits(self):
        for row in self.rows:
            with self.subTest(id=row["id"]):
                if row["test"]:
                    self.assertEqual(row["waits_for"], "")
                else:
                    self.assertIn(row["waits_for"], CAPABILITIES)

    def test_what_collection_owes_is_tested(self):
        for row in self.rows:
            with self.subTest(id=row["id"]):
                if row["area"] in COLLECTION and not row["test"]:
                    self.assertIn(row["waits_for"], COLLECTION_MAY_WAIT_FOR)

    def test_each_test_names_its_case(self):
        for row in self.rows:
            for name in row["test"].split():
                with self.subTest(id=row["id"], test=name):
                    self.assertTrue((ROOT / name).exists(), "there is no such file")
                    self.assertIn(row["id"], ids_in(ROOT / name))

    def test_each_id_in_the_tests_is_known(self):
        known = {row["id"] for row in self.rows}
        for path in sorted((ROOT / "tests").rglob("*")):
            if path.suffix not in SUFFIXES or path.name in OUR_OWN or "node_modules" in path.parts:
                continue
            with self.subTest(file=str(path.relative_to(ROOT))):
                self.assertLessEqual(ids_in(path), known)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
