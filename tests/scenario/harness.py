# SPDX-License-Identifier: Apache-2.0
"""Runs latchd against the simulated SQL Server and asks both as a user would: HTTP, signals, exit codes.

Environment: LATCHD, SQLSERVER_SIM (programs), SIM_DATA (its name lists). Every scenario has its own
directory, ports and processes, and leaves none behind.
"""
import concurrent.futures
import contextlib
import http.server
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request


class Failure(AssertionError):
    """A scenario did not see what it must see."""


def until(what, seconds, probe):
    """Asks probe until it answers something true; the last answer stands in the failure."""
    deadline = time.monotonic() + seconds
    answer = None
    while time.monotonic() < deadline:
        answer = probe()
        if answer:
            return answer
        time.sleep(0.1)
    raise Failure(f"not seen within {seconds} s: {what}; last: {answer!r}")


def check(is_true, text):
    if not is_true:
        raise Failure(text)


class Program:
    """A child process whose first line of output tells its address; its log is kept for failures."""

    def __init__(self, name, command, log, env=None):
        self.name = name
        self.log = log
        with open(log, "ab") as stderr:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, env=env)
        line = self.process.stdout.readline().decode()
        if not line.startswith("listening on "):
            self.process.kill()
            self.process.wait()
            raise Failure(f"{name} did not start: {line!r}\n{self.read_log()}")
        self.address = line.split()[-1]

    def read_log(self):
        return pathlib.Path(self.log).read_text(encoding="utf-8", errors="replace")

    def stop(self, how=signal.SIGTERM, seconds=30):
        """Ends the process; returns its status and how long it took."""
        begin = time.monotonic()
        if self.process.poll() is None:
            self.process.send_signal(how)
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise Failure(f"{self.name} did not end within {seconds} s\n{self.read_log()}") from None
        finally:
            self.process.stdout.close()
        return status, time.monotonic() - begin


class Simulator(Program):
    def __init__(self, directory, workload="last-page", server_name="SIM01", profile="2019", logins=(),
                 listen="127.0.0.1:0", options=()):
        self.batches_path = directory / "batches"
        self.control_path = str(directory / "control.sock")
        command = [
            os.environ["SQLSERVER_SIM"], "--listen", listen, "--control", self.control_path,
            "--data", os.environ["SIM_DATA"], "--workload", workload, "--server-name", server_name,
            "--profile", str(profile), "--batches", str(self.batches_path),
            *(word for login in logins for word in ("--login", login)), *options,
        ]
        super().__init__("simulator", command, directory / "simulator.log")
        self.port = int(self.address.rsplit(":", 1)[1])

    def control(self, command):
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(self.control_path)
            client.sendall(command.encode() + b"\n")
            answer = client.makefile().readline().strip()
        check(answer.startswith("ok"), f"control '{command}': {answer}")
        return answer


class Latchd(Program):
    """latchd with one target `prod`; answers come parsed."""

    def __init__(self, directory, config, env=None):
        self.config_path = directory / "latchd.yaml"
        self.config_path.write_text(config, encoding="utf-8")
        command = [os.environ["LATCHD"], "run", "--config", str(self.config_path), "--print-address"]
        super().__init__("latchd", command, directory / "latchd.log", {**os.environ, **(env or {})})

    def get(self, path):
        with urllib.request.urlopen(self.address + path, timeout=10) as answer:
            return json.load(answer)

    def is_healthy(self):
        with urllib.request.urlopen(self.address + "/-/healthy", timeout=10) as answer:
            return answer.status == 200

    def target(self):
        return self.get("/api/v1/targets/prod")

    def events(self, kind=None):
        events = self.get("/api/v1/targets/prod/events?start=-1h")["events"]
        return [event for event in events if kind in (None, event["kind"])]

    def series(self, family, name, query="step=raw&start=-10m", idle=True):
        """Range of one name, as (t, rate) pairs of what is known."""
        path = f"/api/v1/targets/prod/{family}?{query}&name={name}" + ("&benign=true" if idle else "")
        return self.get(path)


class Webhook:
    """Collects what latchd posts; answers with the statuses it was given first, then 200."""

    def __init__(self, statuses=()):
        self.bodies = []
        self.ids = []
        waiting = list(statuses)
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status = waiting.pop(0) if waiting else 200
                if status == 200:
                    receiver.bodies.append(json.loads(body))
                receiver.ids.append(self.headers.get("Idempotency-Key"))
                self.send_response(status)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/hook"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()

    def statuses(self):
        return [body["status"] for body in self.bodies]


CONFIG = """\
web: {{listen: "127.0.0.1:0"}}
storage: {{path: "{directory}/latchd.db"}}
defaults:
  login: {{user: latchd, password: {{file: "{directory}/password"}}}}
  tls: {{mode: off}}
  intervals: {{waits: 1s, latches: 1s, spinlocks: 1s, waiting_tasks: 1s}}
  timeouts: {{login: 2s, query: 2s}}
targets:
  - {{name: prod, host: 127.0.0.1, port: {port}{more}}}
{rules}"""

RULES = """\
rules:
  - alert: PageLatchExHigh
    when: wait("PAGELATCH_EX") + wait("BTREE_INSERT_FLOW_CONTROL") > 1000ms/s
    clear: 500ms/s
    for: 3s
    severity: warning
    notify: [ops]
notifiers:
  ops: {{type: webhook, url: "{url}"}}
"""


class Scenario:
    """A directory, a simulator, and latchd on it as often as the scenario wants."""

    def __init__(self, stack, target=None, **options):
        """target: keys of the configured target beside name, host and port."""
        self.target_keys = target or {}
        self.directory = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="latchd-scenario-")))
        self.set_password("latchd")
        self.simulator = Simulator(self.directory, **options)
        stack.callback(self.simulator.stop, signal.SIGTERM)
        self.latchd = None
        stack.callback(self.kill_latchd)

    def set_password(self, password):
        (self.directory / "password").write_text(password + "\n", encoding="utf-8")

    def config(self, rules=""):
        more = "".join(f", {key}: {json.dumps(value)}" for key, value in self.target_keys.items())
        more = more.replace("PASSWORD", str(self.directory / "password"))
        return CONFIG.format(directory=self.directory, port=self.simulator.port, rules=rules, more=more)

    def start(self, rules="", env=None):
        self.latchd = Latchd(self.directory, self.config(rules), env)
        return self.latchd

    def wait_until_up(self, seconds=20):
        until("target up", seconds, lambda: self.latchd.target()["state"] == "up")

    def kill_latchd(self):
        if self.latchd and self.latchd.process.poll() is None:
            self.latchd.stop(signal.SIGKILL)


def run_one(scenario):
    """Runs a scenario function with a stack of its own; returns whether it held, and what to print."""
    with contextlib.ExitStack() as stack:
        held = {}
        try:
            scenario(lambda **options: held.setdefault("s", Scenario(stack, **options)), stack)
            return True, ""
        except (Failure, OSError, LookupError, TypeError, ValueError) as reason:
            lines = [f"{type(reason).__name__}: {reason}"]
            for log in sorted(held["s"].directory.glob("*.log")) if held else []:
                lines.append(f"--- {log.name}\n{log.read_text(encoding='utf-8', errors='replace')[-4000:]}")
            return False, "\n".join(lines) + "\n"


def run(*scenarios, at_once=1):
    """Runs scenario functions; prints cmocka's lines, so that each counts."""
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        for scenario, (is_held, text) in zip(scenarios, pool.map(run_one, scenarios)):
            print(f"[ RUN      ] {scenario.__name__}\n{text}", end="")
            print(f"[{'       OK ' if is_held else '  FAILED  '}] {scenario.__name__}", flush=True)
            failed += not is_held
    return 1 if failed else 0


def main(*scenarios, at_once=1):
    for variable in ("LATCHD", "SQLSERVER_SIM", "SIM_DATA"):
        if not os.environ.get(variable):
            print(f"{variable} is not set")
            sys.exit(77)
    sys.exit(run(*scenarios, at_once=at_once))
