"""Fixtures that rings with a running `tenure` share: whatever a test starts is
ended with it, and seen if it is not."""

import ctypes
import os
import pathlib

import pytest
from dev_server import DevServer
from process import BINARY
from sidecar import Sidecar

PR_SET_CHILD_SUBREAPER = 36


@pytest.fixture(scope="session", autouse=True)
def nothing_is_left_behind():
    """Orphans of the tests come to this process, where they can be seen."""
    assert BINARY.exists(), f"{BINARY} is not built: run `make build`"
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    yield
    path = f"/proc/{os.getpid()}/task/{os.getpid()}/children"
    left = pathlib.Path(path).read_text(encoding="ascii").split()
    alive = []
    for pid in left:
        try:
            command = pathlib.Path(f"/proc/{pid}/cmdline").read_text()
        except OSError:
            continue
        if command:  # else it has ended, and is only not reaped
            alive.append(command)
    assert not alive, f"processes left behind: {alive}"


@pytest.fixture
def started():
    """What is to be stopped at the end, last started first."""
    processes = []
    yield processes
    errors = []
    for process in reversed(processes):
        try:
            process.stop()
        except AssertionError as error:
            errors.append(str(error))
    assert not errors, "\n".join(errors)


@pytest.fixture
def dev(tmp_path, started):
    server = DevServer(tmp_path)
    started.append(server)
    return server


@pytest.fixture
def sidecar(tmp_path, started, dev):
    """Starts sidecars on `dev`: sidecar("a", "--lease", "job")."""

    def start(name, *arguments, environment=None, **options):
        given = ["--kubeconfig", str(dev.kubeconfig), *arguments]
        if "--lease" not in arguments:
            given += ["--lease", "job"]
        made = Sidecar(tmp_path, name, given, environment, **options)
        started.append(made)
        return made

    return start
