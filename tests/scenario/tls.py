#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""TLS is required and verified, and each way in which it fails is told in one sentence: B043, B044.

libsybdb says only that the login failed; what is told here comes from latchd's own probe, which never sends a login.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from harness import Latchd, Simulator, check, main, until

sys.path.append(str(pathlib.Path(os.environ.get("SIM_DATA", "/")).parent))
from certificates import Certificates  # noqa: E402

TLS = "tls: {mode: off}"

# What the certificate is, what the simulator does with it, what latchd is told, what it must say (None: it is in).
CASES = {
    "valid": ("required", "tls: {ca: CA}", None),
    "valid_for_the_login_only": ("login", "tls: {mode: request, ca: CA}", None),
    "expired": ("required", "tls: {ca: CA}", r"certificate of 127\.0\.0\.1:\d+ expired on 20\d\d-\d\d-\d\d \d\d:\d\d UTC"),
    "wrong-host": ("required", "tls: {ca: CA}", r"is for another host: it names 192\.0\.2\.1, elsewhere\.example$"),
    "unknown-ca": ("required", "tls: {ca: CA}", r"signed by an unknown CA: 'CN=latchd test other-ca' is not in /.*/ca\.pem$"),
    "unknown_to_the_system": ("required", "tls: {ca: system}", r"unknown CA: 'CN=latchd test ca' is not in this machine's CAs$"),
    "self-signed": ("required", "tls: {ca: CA}", r"is self-signed; give the server one of a CA, or its own as tls: \{ca: PATH\}$"),
    "pinned": ("required", "tls: {ca: SELF}", None),
    "unverified": ("required", "tls: {ca: none}", None),
    "host_unverified": ("required", "tls: {ca: CA, verify_hostname: false}", None),
    "no_encryption": ("off", "tls: {ca: CA}", r"offers no encryption and tls\.mode is require; .*tls: \{mode: request\}$"),
    "no_ca_file": ("required", "tls: {ca: /nowhere/ca.pem}", r"the CA file '/nowhere/ca\.pem' cannot be read: No such file"),
    "no_ca_in_file": ("required", "tls: {ca: EMPTY}", r"the CA file '.*' holds no certificate in PEM$"),
}

FILES = {
    "valid_for_the_login_only": "valid", "unknown_to_the_system": "valid", "pinned": "self-signed", "unverified": "unknown-ca",
    "host_unverified": "wrong-host", "no_encryption": "valid", "no_ca_file": "valid", "no_ca_in_file": "valid",
}


def config_of(scenario, simulator, certificates, tls):
    for word, name in (("CA}", "ca.pem}"), ("CA,", "ca.pem,"), ("SELF", "self-signed.pem"), ("EMPTY", "empty.pem")):
        tls = tls.replace(word, certificates.path(name))
    return scenario.config().replace(TLS, tls).replace(f"port: {scenario.simulator.port}", f"port: {simulator.port}")


def check_connect(path):
    """`latchd config check --connect`: its status and what it says of the login."""
    done = subprocess.run([os.environ["LATCHD"], "config", "check", "--connect", "--config", str(path)],
                          capture_output=True, text=True, timeout=60, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("'prod': ")]
    if done.returncode == 0:
        rights = [line.split()[:2] for line in done.stdout.splitlines() if line.startswith("  ")]
        check(["waits", "ok"] in rights and len(rights) == 8, f"B051: a line for each view: {done.stdout}")
    return done.returncode, lines[-1] if lines else done.stderr


def every_reason_is_told(scenario, stack):
    s = scenario()
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="latchd-certificates-"))
    certificates = Certificates(folder)
    certificates.make_authority("self-signed", "subjectAltName=IP:127.0.0.1")
    pathlib.Path(certificates.path("empty.pem")).write_text("", encoding="ascii")
    for name, (policy, tls, reason) in CASES.items():
        directory = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="latchd-scenario-")))
        simulator = Simulator(directory, options=certificates.options(policy, FILES.get(name, name)))
        try:
            path = directory / "latchd.yaml"
            path.write_text(config_of(s, simulator, certificates, tls), encoding="utf-8")
            status, line = check_connect(path)
            if reason:
                check(status == 69 and re.search(reason, line), f"{name}: {status} {line}")
                check(line.startswith("'prod': ") and len(line) < 255, f"{name}: one whole sentence: {line}")
            else:
                check(status == 0 and "logged in, SQL Server" in line, f"{name}: {status} {line}")
            check(simulator.control("sessions") == "ok 0" or reason is None, f"{name}: nobody got in")
        finally:
            simulator.stop()


def the_daemon_shows_the_reason_and_gets_in_when_it_is_gone(scenario, stack):
    s = scenario()
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="latchd-certificates-"))
    certificates = Certificates(folder)
    directory = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="latchd-scenario-")))
    bad = Simulator(directory, options=certificates.options("required", "expired"))
    stack.callback(bad.stop)
    s.latchd = latchd = Latchd(s.directory, config_of(s, bad, certificates, "tls: {ca: CA}"))
    until("the reason", 20, lambda: "expired on" in (latchd.target()["last_error"] or {}).get("text", ""))
    check(latchd.target()["state"] == "down", f"down: {latchd.target()['state']}")
    check("expired on" in latchd.read_log(), "in the log too")
    latchd.stop()
    good_directory = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="latchd-scenario-")))
    good = Simulator(good_directory, options=certificates.options("required"))
    stack.callback(good.stop)
    s.latchd = Latchd(s.directory, config_of(s, good, certificates, "tls: {ca: CA}"))
    s.wait_until_up()
    check(s.latchd.target()["last_error"] is None, "no error is left")


def a_server_that_breaks_off_for_another_reason_is_not_blamed_on_tls(scenario, stack):
    s = scenario()
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="latchd-certificates-"))
    certificates = Certificates(folder)
    directory = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="latchd-scenario-")))
    simulator = Simulator(directory, options=certificates.options("required"))
    stack.callback(simulator.stop)
    simulator.control("die-before-login on")
    path = directory / "latchd.yaml"
    path.write_text(config_of(s, simulator, certificates, "tls: {ca: CA}"), encoding="utf-8")
    status, line = check_connect(path)
    check(status == 69 and "TLS is in order there" in line, f"{status} {line}")
    simulator.control("die-before-login off")
    (s.directory / "password").write_text("wrong\n", encoding="utf-8")
    status, line = check_connect(path)
    check(status == 69 and "Login failed for user 'latchd'" in line, f"{status} {line}")
    check("wrong" not in line, f"the password is not told: {line}")
    simulator.control("refuse on")
    status, line = check_connect(path)
    check(status == 69 and "connection refused by 127.0.0.1:" in line, f"{status} {line}")


def a_silent_server_bounds_the_check(scenario, _):
    """B036: with TLS in play, too, one login timeout and no more."""
    s = scenario()
    s.simulator.control("silent login on")
    path = s.directory / "latchd.yaml"
    path.write_text(s.config().replace(TLS, "tls: {ca: none}"), encoding="utf-8")
    status, line = check_connect(path)
    check(status == 69 and "did not answer the login in time" in line, f"{status} {line}")


if __name__ == "__main__":
    main(
        every_reason_is_told,
        the_daemon_shows_the_reason_and_gets_in_when_it_is_gone,
        a_server_that_breaks_off_for_another_reason_is_not_blamed_on_tls,
        a_silent_server_bounds_the_check,
    )
