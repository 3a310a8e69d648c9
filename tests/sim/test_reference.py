#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""REFERENCE.md and README.md tell the truth: each option, command, profile and workload in them is taken by the
simulator, and none of those is missing. `test_reference.py SIMULATOR DATA`."""

import os
import re
import subprocess
import sys
import unittest

import tds
from simulator import Simulator

BINARY, DATA = sys.argv[1:3]
HERE = os.path.dirname(os.path.abspath(__file__))

# What stands for the capital words of a command.
WORDS = {
    "VIEW": "waits", "NAME": "PAGELATCH_EX", "COLUMN": "wait_time_ms", "VALUE": "1", "PER_SECOND": "10",
    "EVENTS_PER_SECOND": "5", "COUNT": "500", "SECONDS": "0.01", "SUBSTRING": "nothing", "ROWS": "3", "NUMBER": "1205",
    "SEVERITY": "16", "NODE": "NODE1", "PASSWORD": "secret", "RIGHT,...": "VIEW SERVER STATE", "N": "2",
    "PORT": "1433", "SESSION": "51", "SESSIONS": "4",
}
WORDS_OF = {
    "add": {"NAME": "ANOTHER_WAIT"}, "remove": {"NAME": "ANOTHER_WAIT"}, "identity": {"NAME": "OTHER"},
    "failover": {"NAME": "OTHER"}, "login": {"NAME": "reader"}, "grant": {"NAME": "latchd"},
    "revoke": {"NAME": "latchd"}, "deny": {"NAME": "latchd", "VIEW": "sys.dm_os_spinlock_stats"},
    "workload": {"NAME": "insert", "WORDS": "4 option on"}, "clock": {"SECONDS": "5"}, "hold": {"NAME": "LCK_M_S"},
}


def read(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return file.read().replace("\\|", "|")


def section(text, heading):
    return re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)[1]


def first_cells(text):
    """What stands between backticks in the first column of the tables."""
    rows = re.findall(r"^\| (`.*?`) \| ", text, re.MULTILINE)
    return [form for row in rows for form in re.findall(r"`(.*?)`", row)]


def spellings(form):
    """A form with each optional part there and gone, and each alternative."""
    optional = re.search(r" \[([^\[\]]*)\]", form)
    if optional:
        gone = form[: optional.start()] + form[optional.end() :]
        there = form[: optional.start()] + " " + optional[1] + form[optional.end() :]
        return spellings(gone) + spellings(there)
    choice = re.search(r"\S*\|\S*", form)
    if choice:
        return [text for word in choice[0].split("|") for text in spellings(form.replace(choice[0], word, 1))]
    return [form.replace(" ...", "")]


def command(spelling):
    known = {**WORDS, **WORDS_OF.get(spelling.split(" ")[0], {})}
    text = re.sub(r"RIGHT,\.\.\.|[A-Z][A-Z_]*", lambda found: known.get(found[0], found[0]), spelling)
    return text.replace("VIEW SERVER STATE", '"VIEW SERVER STATE"')


class ReferenceTest(unittest.TestCase):
    reference = read("REFERENCE.md")

    def start(self, *options):
        simulator = Simulator(BINARY, DATA, *options)
        self.addCleanup(lambda: self.assertEqual(simulator.stop(), 0))
        return simulator

    def try_commands(self, forms):
        simulator = self.start("--browser", "127.0.0.1:0")
        for text in (command(spelling) for form in forms for spelling in spellings(form)):
            with self.subTest(command=text):
                if text == "kill 51":
                    client = tds.Client(simulator.host, simulator.port)
                    self.addCleanup(client.close)
                    client.log_in()
                simulator.control(text)

    def test_commands_of_the_wire_are_taken(self):
        self.try_commands(first_cells(section(self.reference, "Commands for the wire")))

    def test_commands_of_the_instance_are_taken(self):
        forms = first_cells(section(self.reference, "Commands for the instance"))
        self.try_commands([form for form in forms if not form.startswith("remove")] + ["remove VIEW NAME"])

    def test_every_command_of_the_program_stands_there(self):
        told = {form.split(" ")[0] for form in first_cells(self.reference)}
        for name in ("fault.c", "instance_control.c"):
            verbs = re.findall(r'[\t ]{"([a-z-]+)", (?:"|run_)', read(name))
            self.assertGreater(len(verbs), 10)
            self.assertLessEqual(set(verbs), told)

    def test_options_are_those_of_the_usage(self):
        usage = subprocess.run([BINARY, "--help"], capture_output=True, text=True, timeout=20, check=False).stderr
        told = " ".join(first_cells(section(self.reference, "Options")))
        self.assertEqual(set(re.findall(r"--[a-z-]+", usage)), set(re.findall(r"--[a-z-]+", told)))

    def test_profiles_start(self):
        row = re.search(r"`--profile NAME` \| (.*?):", self.reference)[1]
        names = re.findall(r"`(\w+)`", row)
        self.assertEqual(set(names), set(re.findall(r'{"(\w+)", PROFILE_\w+, "SQL', read("profile.c"))))
        for name in names:
            self.start("--profile", name)

    def test_workloads_run(self):
        names = first_cells(section(self.reference, "Workloads"))
        made = re.findall(r'\.name = "([a-z-]+)"', read("workload.c"))
        made += re.findall(r'{"([a-z-]+)", "[A-Z ]+",', read("contention/load.c"))
        self.assertEqual(set(names), set(made))
        simulator = self.start()
        for name in names:
            simulator.control(f"workload {name}")
        words = "4 option on key random schedulers 8 files 2 commit 10 scale 2"
        self.assertIn("insert", simulator.control(f"workload insert {words}") + simulator.control("show"))

    def test_words_of_scenarios_are_those_of_the_program(self):
        expect = read("../scenario/expect.py")
        known = set(re.findall(r"\w+", re.search(r"for function in \((.*?)\)", expect, re.DOTALL)[1]))
        rows = re.findall(r"^\| (`.*?) \| ", section(self.reference, "Words of scenario files"), re.MULTILINE)
        told = {word for row in rows for word in re.findall(r"`([a-z_]+)(?:`|: )", row)}
        self.assertEqual(known, told & known)
        self.assertLessEqual(told - known, {"none", "see", "still", "below"})

    def test_examples_of_the_readme_are_taken(self):
        simulator = self.start()
        examples = re.findall(r"^    ([a-z].*?)   +\w", section(read("README.md"), "Drive it"), re.MULTILINE)
        self.assertGreaterEqual(len(examples), 5)
        for example in examples:
            simulator.control(example)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
