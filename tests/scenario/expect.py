# SPDX-License-Identifier: Apache-2.0
"""What a scenario file may say about latchd: one function a word, each answers None or what it saw instead.

tests/sim/REFERENCE.md has the same words for those who write scenario files.
"""
import fnmatch
import re


def _differs(seen, wanted):
    """True unless seen is what is wanted: a text may have * in it, '45 to 60' is a range, 'any' is not null."""
    if wanted == "any":
        return seen is None
    between = re.fullmatch(r"(\S+) to (\S+)", str(wanted))
    if between and isinstance(seen, (int, float)):
        return not float(between[1]) <= seen <= float(between[2])
    if isinstance(wanted, str) and isinstance(seen, str):
        return not fnmatch.fnmatchcase(seen, wanted)
    return seen != wanted


def _fields(seen, wanted):
    """What is not as wanted in an object of the API; `page.resource` is a field of a field."""
    for name, value in wanted.items():
        field = seen
        for part in name.split("."):
            field = field.get(part) if field else None
        if _differs(field, value):
            return f"{name} is {field!r}"
    return None


def _words(text, wanted):
    missing = [word for word in ([wanted] if isinstance(wanted, str) else wanted) if word not in text]
    return f"no {missing} in {text!r}" if missing else None


def _first(problems):
    return next((problem for problem in problems if problem), None)


def _collectors(run):
    return {row["name"]: row for row in run.latchd.target()["collectors"]}


def _raw(run, which, start="-10m"):
    family, _, name = which.partition(" ")
    return run.latchd.series(family, name, f"step=raw&start={start}")


def _hotspots(run):
    return run.latchd.get("/api/v1/targets/prod/hotspots?start=-10m")["hotspots"]


def state(run, wanted):
    target = run.latchd.target()
    return None if not _differs(target["state"], wanted) else f"state {target['state']}: {target['last_error']}"


def not_state(run, wanted):
    return f"state {wanted}" if run.latchd.target()["state"] == wanted else None


def error(run, wanted):
    last = run.latchd.target()["last_error"]
    if wanted == "none":
        return f"error {last}" if last else None
    return _words(last["text"], wanted) if last else "no error"


def healthy(run, wanted):
    return None if run.latchd.is_healthy() == wanted else "not healthy"


def target(run, wanted):
    return _fields(run.latchd.target(), wanted)


def collectors(run, wanted):
    rows = _collectors(run)
    return _first(f"{name} is {rows[name]['state']}: {rows[name]['last_error']}"
                  for name in wanted if _differs(rows[name]["state"], wanted[name]))


def collector_error(run, wanted):
    rows = _collectors(run)
    return _first(_words((rows[name]["last_error"] or {"text": ""})["text"], words) for name, words in wanted.items())


def _rights(run):
    return {row["name"]: row for row in run.latchd.target()["rights"] or []}


def rights(run, wanted):
    seen = _rights(run)
    return _first(f"{name} is {seen.get(name)}" for name in wanted
                  if name not in seen or _differs(seen[name]["state"], wanted[name]))


def cures(run, wanted):
    """The statement that grants a missing right, or null."""
    seen = _rights(run)
    return _first(f"{name} is {seen.get(name)}" for name in wanted
                  if name not in seen or _differs(seen[name]["cure"], wanted[name]))


def warnings(run, wanted):
    """Words in the warnings; 'none' for no warning."""
    seen = run.latchd.target()["warnings"]
    if wanted == "none":
        return f"warnings {seen}" if seen else None
    return _words(" | ".join(seen), wanted)


def rows(run, wanted):
    seen = _collectors(run)
    return _first(f"{name}: {seen[name]['rows']} rows" if _differs(seen[name]["rows"], count) else None
                  for name, count in wanted.items())


def events(run, wanted):
    seen = [event["kind"] for event in run.latchd.events()]
    return _first(f"{seen.count(kind)} events '{kind}'" if seen.count(kind) != count else None
                  for kind, count in wanted.items())


def event(run, wanted):
    seen = run.latchd.events()
    return None if any(_fields(row, wanted) is None for row in seen) else f"events {seen}"


def hotspot(run, wanted):
    spots = _hotspots(run)
    return None if any(_fields(spot, wanted) is None for spot in spots) else f"hotspots {spots}"


def no_hotspot(run, wanted):
    spots = [spot for spot in _hotspots(run) if _fields(spot, wanted) is None]
    return f"hotspots {spots}" if spots else None


def evidence(run, wanted):
    """Words in the evidence of some hotspot."""
    texts = [item["text"] for spot in _hotspots(run) for item in spot["evidence"]]
    return _words(" | ".join(texts), wanted)


def polls(run, wanted):
    return _first(f"{which}: {len(_raw(run, which)['t'])} intervals" if len(_raw(run, which)["t"]) < count else None
                  for which, count in wanted.items())


def _rate(run, which, wanted):
    """'51900 within 5%' or 'below 100': the mean of what the last eight seconds know, in ms (or spins) a second."""
    answer = _raw(run, which, "-8s")
    field = "spins_per_sec" if which.startswith("spinlocks") else "ms_per_sec"
    values = [value for series in answer["series"] for value in series[field] if value is not None]
    if len(values) < 3:
        return f"{which}: {len(values)} intervals known"
    mean = sum(values) / len(values)
    near = re.fullmatch(r"(\S+) within (\S+)%", str(wanted))
    below = re.fullmatch(r"below (\S+)", str(wanted))
    if near:
        middle, share = float(near[1]), float(near[2]) / 100
        is_right = abs(mean - middle) <= share * middle
    elif below:
        is_right = mean < float(below[1])
    else:
        raise ValueError(f"rates: '{wanted}' is neither 'NUMBER within NUMBER%' nor 'below NUMBER'")
    return None if is_right else f"{which}: {mean:.0f}"


def rates(run, wanted):
    return _first(_rate(run, which, text) for which, text in wanted.items())


def calm(run, wanted):
    """No rate was ever negative or above the limit."""
    def spike(which, limit):
        for series in _raw(run, which)["series"]:
            for value in series["ms_per_sec"]:
                if value is not None and not 0 <= value <= limit:
                    return f"{series['name']}: {value}"
        return None
    return _first(spike(which, limit) for which, limit in wanted.items())


def _qualities(run, family):
    return run.latchd.get(f"/api/v1/targets/prod/{family}?step=raw&start=-10m")["quality"]


def quality(run, wanted):
    """Each of these was seen, and with 'only' no other."""
    def odd(family, words):
        seen = _qualities(run, family)
        allowed = words.get("only") if isinstance(words, dict) else None
        if allowed:
            other = set(seen) - set(allowed)
            return f"{family}: {sorted(other)}" if other else None
        return None if words in seen else f"{family}: {seen}"
    return _first(odd(family, words) for family, words in wanted.items())


def known(run, wanted):
    """In intervals of this quality the rate is known, not null."""
    def unknown(which, word):
        answer = _raw(run, which)
        at = [i for i, seen in enumerate(answer["quality"]) if seen == word]
        values = [answer["series"][0]["ms_per_sec"][i] for i in at]
        return None if values and None not in values else f"{which}: {values} in {answer['quality']}"
    return _first(unknown(which, word) for which, word in wanted.items())


def alerts(run, wanted):
    seen = {alert["rule"]: alert["state"] for alert in run.latchd.get("/api/v1/alerts")["alerts"]}
    return _first(f"{rule} is {seen.get(rule)}" if seen.get(rule) != is_wanted else None
                  for rule, is_wanted in wanted.items())


def notices(run, wanted):
    return None if run.hook.statuses() == wanted else f"notices {run.hook.statuses()}"


def log_without(run, wanted):
    return f"{wanted!r} stands in the log" if wanted in run.latchd.read_log() else None


WORDS = {
    function.__name__: function
    for function in (alerts, calm, collector_error, collectors, cures, error, event, events, evidence, healthy, hotspot, known,
                     log_without, no_hotspot, not_state, notices, polls, quality, rates, rights, rows, state, target,
                     warnings)
}


def problem(run, wanted):
    """The first thing that is not as wanted, or None."""
    return _first(WORDS[word](run, value) for word, value in wanted.items())
