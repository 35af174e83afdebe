"""Every example of examples/, with real pods: `tenure` processes on one
`tenure dev`."""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.append(str(HERE.parent / "integration"))

import pytest  # noqa: E402
from fixtures import dev, nothing_is_left_behind, sidecar, started  # noqa: E402, F401
from pod import Pod  # noqa: E402


@pytest.fixture
def pod(tmp_path, started, dev):  # noqa: F811
    """Starts a pod's command under `tenure exec --direct`:
    pod(["--lease", "x"], program, "argument", ...)"""
    count = iter(range(1000))

    def start(flags, *command, environment=None):
        made = Pod(tmp_path, f"pod{next(count)}", dev, flags, command, environment)
        started.append(made)
        return made

    return start
