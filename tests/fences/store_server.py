"""Servers of the tests' own: each on a port and in a folder of its own, ended by
its pid, and killed by the kernel should the tests be killed."""

import contextlib
import importlib.util
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

import pytest
from process import die_with_parent
from waiting import GENEROUS, eventually

IN_CI = "postgresql redis etcd"
# Where tests/fences/install_servers.sh puts what Debian does not have.
CACHE = os.environ.get("TENURE_CACHE") or pathlib.Path(
    os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache", "tenure"
)
SERVERS = pathlib.Path(CACHE, "stores")


def need(name, programs=(), modules=(), packages="stores"):
    """Skips the whole file, loudly, where this store is not asked for or its
    programs are not installed."""
    wanted = os.environ.get("TENURE_STORES", IN_CI).split()
    if "all" not in wanted and name not in wanted:
        _skip(name, "only `make soak` (TENURE_STORES=all) runs it")
    missing = [program for program in programs if not find(program)]
    missing += [m for m in modules if not importlib.util.find_spec(m)]
    if missing:
        install = f"tools/install_packages.sh {packages}"
        _skip(name, f"missing: {' '.join(missing)}; {install} installs it")


def need_files(name, files, install):
    """The same for servers that Debian does not have."""
    missing = [str(file) for file in files if not file.exists()]
    if missing:
        _skip(name, f"missing: {' '.join(missing)}; {install} installs it")


def _skip(name, why):
    said = f"THE FENCE OF {name.upper()} WAS NOT TRIED: {why}"
    pytest.skip(said, allow_module_level=True)


def find(program):
    """In PATH, and where Debian keeps servers that only root starts."""
    postgresql = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))
    places = [os.environ.get("PATH", ""), "/usr/sbin", *map(str, postgresql[-1:])]
    return shutil.which(program, path=":".join(places))


def as_user(name, command):
    """`command` as that user where we are root: some servers refuse root."""
    if os.geteuid() != 0:
        return command
    return ["setpriv", f"--reuid={name}", f"--regid={name}", "--clear-groups",
            "--pdeathsig=KILL", *command]


@contextlib.contextmanager
def running(kind):
    """A server in a folder that its user may enter: pytest's are closed."""
    with tempfile.TemporaryDirectory(prefix=f"tenure-{kind.USER}-") as folder:
        if os.geteuid() == 0:
            shutil.chown(folder, kind.USER)
        server = kind(pathlib.Path(folder))
        try:
            yield server
        finally:
            server.stop()


class StoreServer:
    """One server process; its output is in a file of its folder."""

    def __init__(self, folder, name, command, environment=None):
        self.name = name
        self.log = folder / f"{name}.log"
        with open(self.log, "ab") as out:
            self.popen = subprocess.Popen(
                [str(part) for part in command],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                cwd=folder,
                env={**os.environ, **(environment or {})},
                preexec_fn=die_with_parent,
            )

    def wait_until(self, ready, seconds=9 * GENEROUS):
        """`ready()` may raise while the server is not."""

        def answers():
            assert self.popen.poll() is None, f"{self.name} ended:\n{self.said}"
            try:
                return ready()
            except Exception as error:
                self._last = error
                return False

        try:
            eventually(answers, seconds, f"{self.name} answers")
        except AssertionError:
            self.stop()
            raise
        return self

    @property
    def said(self):
        return self.log.read_text(errors="replace")[-4000:]

    def signal(self, number):
        self.popen.send_signal(number)

    def stop(self):
        """First as an operator would, so that its children end with it."""
        if self.popen.poll() is None:
            self.signal(signal.SIGCONT)
            self.signal(getattr(self, "gentle", signal.SIGTERM))
            try:
                self.popen.wait(GENEROUS)
            except subprocess.TimeoutExpired:
                self.popen.kill()
                self.popen.wait(GENEROUS)
