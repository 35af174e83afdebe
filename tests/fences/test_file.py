"""examples/fences/file on this machine's own file system."""

import store_server

store_server.need("file")

import pytest  # noqa: E402
from adapter import Store  # noqa: E402
from fence_claims import DrillClaims, FenceClaims, RestoreClaims  # noqa: E402


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return Store("file", f"file://{tmp_path_factory.mktemp('file')}")


class TestFile(FenceClaims, RestoreClaims, DrillClaims):
    def unreachable(self, store):
        """Below a file there are no files."""
        return f"file://{store.program}/folder"
