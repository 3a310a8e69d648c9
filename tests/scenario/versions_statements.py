#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No SQL text leaves latchd that `latchd sql` does not print for that version."""
import json
import os
import re
import subprocess

from harness import check, main, until

VERSIONS = {
    "2012": "2012", "2014": "2014", "2016": "2016", "2017": "2017", "2019": "2019", "2022": "2022", "2025": "2025",
    "mi": "mi", "azure": "azure", "azure-basic": "azure", "azure-serverless": "azure",
}


def statements(version):
    """The texts by name, as patterns: numbers behind DECLARE and the name [master] are latchd's to fill in."""
    command = [os.environ["LATCHD"], "sql", "--json", "--version", version]
    rows = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    patterns = {}
    for row in rows:
        for key in ("purpose", "rights", "cost", "versions"):
            check(row[key], f"{row['name']} says no {key}")
        pattern = re.escape(row["sql"])
        if "DECLARE" in row["sql"]:
            pattern = re.sub(r"(@\w+\\ \w+\\ =\\ )\d+", r"\1-?\\d+", pattern)
            pattern = pattern.replace(re.escape("[master]"), r"\[(?:[^]]|\]\])*\]")
        patterns[row["name"]] = re.compile(pattern)
    return patterns


def unknown_text(batch, patterns, seen):
    """What is left of a batch when every statement that is printed has been taken from its begin."""
    while batch.strip():
        for name, pattern in patterns.items():
            found = pattern.match(batch)
            if found:
                seen.add(name)
                batch = batch[found.end():].lstrip()
                break
        else:
            return batch
    return ""


def scenario_of(profile, version):
    def scenario(new, _):
        patterns = statements(version)
        s = new(profile=profile, workload="last-page", target={"database": "Sales"})
        s.start()
        s.wait_until_up(30)
        wanted = set(patterns)

        def is_all_sent():
            seen.clear()
            for batch in s.simulator.batches_path.read_text(encoding="utf-8").split("\0"):
                rest = unknown_text(batch, patterns, seen)
                check(not rest, f"latchd sent what it does not print: {rest[:500]}")
            return wanted <= seen

        seen = set()
        until(f"all of {sorted(wanted)} sent", 60, is_all_sent)

    scenario.__name__ = f"every_statement_sent_to_{profile.replace('-', '_')}_is_printed"
    return scenario


if __name__ == "__main__":
    main(*(scenario_of(profile, version) for profile, version in VERSIONS.items()), at_once=3)
