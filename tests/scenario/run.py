#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs one scenario file: starts the simulator and latchd, takes its steps, and says what was not as told.

usage: run.py FILE.yaml     tests/sim/REFERENCE.md tells what may stand in it; the environment is that of harness.py.
"""
import json
import pathlib
import re
import sys
import time

import expect
from harness import Failure, Webhook, main, until

try:
    import yaml
except ImportError:
    print("python3-yaml is not installed: packaging/install-dependencies --test")
    sys.exit(77)

TOP = {"title", "cases", "start", "steps"}
START = {"profile", "workload", "server_name", "logins", "password", "rules", "target"}
STEPS = {"do", "wait", "password", "see", "still"}
SECONDS = 40  # to see something, unless the step says otherwise
CASES_AT_ONCE = 3  # the machine has to keep up with its clocks


def fill_in(value, case):
    """Puts the values of a case where its $names stand."""
    if isinstance(value, dict):
        return {key: fill_in(inner, case) for key, inner in value.items()}
    if isinstance(value, list):
        return [fill_in(inner, case) for inner in value]
    if isinstance(value, str) and value.startswith("$"):
        return case[value[1:]]
    return value


def seconds(text):
    found = re.fullmatch(r"(\d+(?:\.\d+)?)s", str(text))
    if not found:
        raise ValueError(f"'{text}' is no time like 20s")
    return float(found[1])


def refuse_unknown(what, seen, known):
    if set(seen) - known:
        raise ValueError(f"{what}: {sorted(set(seen) - known)} is not one of {sorted(known)}")


class Run:
    """One case on its way: what the words of expect.py look at."""

    def __init__(self, scenario, stack, start):
        refuse_unknown("start", start, START)
        options = {key: start[key] for key in ("profile", "workload", "server_name", "logins", "target") if key in start}
        self.hook = Webhook()
        stack.callback(self.hook.stop)
        self.scenario = scenario(**options)
        if "password" in start:
            self.scenario.set_password(start["password"])
        self.latchd = self.scenario.start(self.rules(start.get("rules")))

    def rules(self, rules):
        if not rules:
            return ""
        notifiers = {"ops": {"type": "webhook", "url": self.hook.url}}
        return f"rules: {json.dumps(rules)}\nnotifiers: {json.dumps(notifiers)}\n"

    def see(self, wanted, limit):
        refuse_unknown("see", wanted, set(expect.WORDS))
        problems = []

        def is_seen():
            problems[:] = [expect.problem(self, wanted)]
            return problems[0] is None

        try:
            until("", limit, is_seen)
        except Failure:
            raise Failure(f"not seen within {limit:.0f} s: {wanted}; last: {problems[0]}") from None

    def take(self, step):
        refuse_unknown("step", step, STEPS | {"within"})
        for command in [step["do"]] if isinstance(step.get("do"), str) else step.get("do", []):
            self.scenario.simulator.control(command)
        if "password" in step:
            self.scenario.set_password(step["password"])
        if "wait" in step:
            time.sleep(seconds(step["wait"]))
        if "see" in step:
            self.see(step["see"], seconds(step["within"]) if "within" in step else SECONDS)
        if "still" in step:
            refuse_unknown("still", step["still"], set(expect.WORDS))
            problem = expect.problem(self, step["still"])
            if problem:
                raise Failure(f"not as told: {step['still']}; it was: {problem}")


def scenario_of(name, text, case):
    def scenario(new, stack):
        run = Run(new, stack, fill_in(text.get("start", {}), case))
        for step in fill_in(text["steps"], case):
            run.take(step)

    scenario.__name__ = f"{name}_{case['name']}" if case else name
    return scenario


def read(path):
    text = yaml.safe_load(path.read_text(encoding="utf-8"))
    refuse_unknown(path.name, text, TOP)
    return [scenario_of(path.stem, text, case) for case in text.get("cases", [{}])]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(*read(pathlib.Path(sys.argv[1])), at_once=CASES_AT_ONCE)
