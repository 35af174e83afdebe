"""Fixtures: a `tenure dev` of each test's own, and sidecars that end with it."""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
# Its sampler, its oracle and its certificates serve here too.
sys.path.append(str(HERE.parent / "apiserver"))

import pytest  # noqa: E402
from fixtures import dev, nothing_is_left_behind, sidecar, started  # noqa: E402, F401
from process import Process  # noqa: E402


@pytest.fixture
def process(tmp_path, started):  # noqa: F811
    """Starts any verb: process("x", "run", "--embedded")."""

    def start(name, *arguments, environment=None, **options):
        made = Process(tmp_path, name, arguments, environment, **options)
        started.append(made)
        return made

    return start


@pytest.fixture
def holder(sidecar):  # noqa: F811
    """A sidecar that holds the lease."""
    one = sidecar("one", "--absent-lease", "take")
    one.wait("held")
    return one
