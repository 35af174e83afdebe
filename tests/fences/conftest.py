"""Every fence of examples/fences against its real server."""

import pathlib
import sys
import uuid

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path += [str(HERE.parent / "integration"), str(HERE.parent / "apiserver")]

import pytest  # noqa: E402
from fixtures import dev, nothing_is_left_behind, sidecar, started  # noqa: E402, F401
from adapter import Adapter  # noqa: E402


@pytest.fixture
def adapter(started, store):  # noqa: F811
    """Starts adapters on a resource that no other test has; the module of the
    test has the fixture `store`: adapter("a"), holder "a"."""
    resource = f"r:{uuid.uuid4()}"
    first = Adapter(store, resource, "nobody")
    started.append(first)
    first.reset()

    def start(holder):
        made = Adapter(store, resource, holder)
        started.append(made)
        return made

    return start
