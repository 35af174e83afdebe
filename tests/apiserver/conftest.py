"""One control plane for the whole run; skipped, and counted as skipped, where
there are neither its programs nor Go to build them."""

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import binaries  # noqa: E402
from control_plane import ControlPlane  # noqa: E402
from trials import Trials  # noqa: E402


def pytest_configure(config):
    config.addinivalue_line("markers", "trial: run several times, concurrently")
    # So that fixtures end what they started when the run is told to end.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    # Ahead of other work on the machine: an oracle that is not let run sees
    # nothing. Where the kernel groups processes by session, nice counts only
    # within the group, and the group has a nice value of its own.
    with contextlib.suppress(OSError):
        os.nice(-10)
        pathlib.Path("/proc/self/autogroup").write_text("-10")


def _build_missing():
    """Where Go is there, builds what is not: a quarter of an hour, once."""
    if shutil.which("go"):
        build = HERE / "build_binaries.sh"
        subprocess.run([build], check=True, stdout=subprocess.DEVNULL)


@pytest.fixture(scope="session")
def programs():
    _build_missing()
    try:
        for name in ("etcd", "kube-apiserver", "kubectl", "peer"):
            binaries.find(name)
    except binaries.Missing as missing:
        pytest.skip(f"THE API SERVER RING DID NOT RUN: {missing}")
    binaries.find_tenure()  # a missing sidecar is a failure, not a skip


@pytest.fixture(scope="session")
def plane(programs):
    with ControlPlane() as started:
        yield started


# Tests marked `trial` run concurrently, see trials.py; all others after them,
# alone, for they harm the control plane that the trials share.


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    config.trial_items = [item for item in items if item.get_closest_marker("trial")]
    items.sort(key=lambda item: item not in config.trial_items)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    if not pyfuncitem.get_closest_marker("trial"):
        return None
    config = pyfuncitem.config
    if not hasattr(config, "trials"):
        config.trials = Trials()
    config.trials.start(config.trial_items, pyfuncitem.funcargs["plane"])
    config.trials.result(pyfuncitem)
    return True


def pytest_unconfigure(config):
    if hasattr(config, "trials"):
        config.trials.stop()
