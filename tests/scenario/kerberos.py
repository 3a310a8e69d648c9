#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A login by keytab: what hinders it is one sentence; with a KDC of our own the ticket reaches the server.

Whether a server takes the ticket is not tried: the simulator knows no integrated login and refuses it.
"""
import os
import shutil
import socket
import subprocess

from harness import Failure, Latchd, check, main, until

KEYTAB_HEAD = b"\x05\x02"


KRB5_CONF = """\
[libdefaults]
 default_realm = TEST
 dns_lookup_kdc = false
 dns_canonicalize_hostname = false
 rdns = false
[realms]
 TEST = {{
  kdc = 127.0.0.1:{port}
 }}
"""

KDC_CONF = """\
[realms]
 TEST = {{
  database_name = {folder}/principals
  key_stash_file = {folder}/stash
  kdc_listen = 127.0.0.1:{port}
  kdc_tcp_listen = 127.0.0.1:{port}
 }}
[logging]
 kdc = FILE:{folder}/kdc.log
"""


def program(name):
    return shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as finder:
        finder.bind(("127.0.0.1", 0))
        return finder.getsockname()[1]


class Kdc:
    """A KDC without rights and on a port of its own, in the folder of the scenario."""

    def __init__(self, folder, stack):
        self.folder = folder
        port = free_port()
        (folder / "krb5.conf").write_text(KRB5_CONF.format(port=port), encoding="ascii")
        (folder / "kdc.conf").write_text(KDC_CONF.format(port=port, folder=folder), encoding="ascii")
        os.environ.update(KRB5_CONFIG=str(folder / "krb5.conf"), KRB5_KDC_PROFILE=str(folder / "kdc.conf"))
        stack.callback(os.environ.pop, "KRB5_CONFIG")
        stack.callback(os.environ.pop, "KRB5_KDC_PROFILE")
        self.run("kdb5_util", "create", "-s", "-r", "TEST", "-P", "master")
        self.process = subprocess.Popen([program("krb5kdc"), "-n", "-r", "TEST"], stderr=subprocess.DEVNULL)
        stack.callback(self.stop)
        until("the KDC", 10, lambda: "commencing operation" in self.log())

    def run(self, name, *arguments):
        done = subprocess.run([program(name), *arguments], capture_output=True, text=True, timeout=60, check=False)
        if done.returncode != 0:
            raise Failure(f"{name}: {done.stderr}")

    def administer(self, query):
        self.run("kadmin.local", "-r", "TEST", "-q", query)

    def log(self):
        path = self.folder / "kdc.log"
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def stop(self):
        self.process.terminate()
        self.process.wait(10)


def start(s):
    old = f'{{user: latchd, password: {{file: "{s.directory}/password"}}}}'
    check(old in s.config(), "the harness writes the login as known here")
    s.latchd = Latchd(s.directory, s.config().replace(old, f'{{kerberos: {{keytab: "{s.directory}/keytab"}}}}'))
    return s.latchd


def says(latchd, *words):
    def is_said():
        text = (latchd.target()["last_error"] or {"text": ""})["text"]
        return all(word in text for word in words)

    until(f"{words} in the error", 40, is_said)


def each_hindrance_is_told(scenario, _):
    s = scenario()
    path = s.directory / "keytab"
    latchd = start(s)
    says(latchd, f"keytab '{path}': No such file or directory")
    path.write_bytes(b"no keytab")
    path.chmod(0o644)
    says(latchd, f"keytab '{path}' is open to everybody")
    path.chmod(0o600)
    says(latchd, f"'{path}' is no keytab")
    path.write_bytes(KEYTAB_HEAD)
    says(latchd, f"no Kerberos ticket for 127.0.0.1:{s.simulator.port}: does a KDC answer")
    check(latchd.is_healthy() and latchd.target()["state"] == "down", "down, and healthy")
    check(s.simulator.control("sessions") == "ok 0", "no connection is left")
    check(latchd.stop()[0] == 0, "it ends as ever")


def a_ticket_for_the_server_is_fetched_and_sent(scenario, stack):
    s = scenario()
    kdc = Kdc(s.directory, stack)
    kdc.administer("addprinc -randkey latchd")
    kdc.administer(f"addprinc -randkey MSSQLSvc/localhost:{s.simulator.port}")
    kdc.administer(f"ktadd -k {s.directory}/keytab latchd")
    (s.directory / "keytab").chmod(0o600)
    config = s.config().replace("host: 127.0.0.1", "host: localhost")
    old = f'{{user: latchd, password: {{file: "{s.directory}/password"}}}}'
    s.latchd = Latchd(s.directory, config.replace(old, f'{{kerberos: {{keytab: "{s.directory}/keytab"}}}}'))
    until("the ticket", 20, lambda: f"latchd@TEST for MSSQLSvc/localhost:{s.simulator.port}@TEST" in kdc.log())
    says(s.latchd, "Login failed for user ''")  # the simulator's answer to a login without a name
    check(not list(s.directory.glob("krb5cc*")), "tickets are in memory only")


if __name__ == "__main__":
    with_kdc = [a_ticket_for_the_server_is_fetched_and_sent] if program("krb5kdc") and program("kadmin.local") else []
    main(each_hindrance_is_told, *with_kdc)
